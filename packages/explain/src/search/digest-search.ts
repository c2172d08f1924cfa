import { decodeBase64 } from '@countersign/signature';
import { varyBody } from '../bodies/body-draft.ts';
import { jsonOfForm } from '../bodies/json-of-form.ts';
import { escapedControls } from '../bodies/json-string-forms.ts';
import { readJsonText } from '../bodies/json-text.ts';
import { jsonOfRelaxed } from '../bodies/relaxed-json.ts';
import { sentTwice } from '../bodies/printed-forms.ts';
import { textOf } from '../bodies/text-charset.ts';
import { isEqual, latin1Text, utf8Bytes } from '../byte-text.ts';
import type { ExplainOptions, Hashes, HashFunction } from '../explanation.ts';
import type { Note, Words } from '../findings/finding.ts';
import type { MeantDigest } from '../reading/meant-digest.ts';
import type { Budget } from './budget.ts';
import { notesOf, visitVariations } from './enumeration.ts';

/** The text that was hashed instead of the body. */
export interface DigestMatch {
  readonly notes: readonly Note[];
  /** Undefined if it is not text. */
  readonly hashedText: string | undefined;
}

/** A form of the body that the caller may have hashed. */
export interface BodyForm {
  readonly bytes: Uint8Array;
  readonly notes: readonly Note[];
}

/** Returns the body as received and, if it is compressed, decompressed. */
export function bodyForms(body: Uint8Array, inflate: ExplainOptions['inflate']): readonly BodyForm[] {
  const forms: BodyForm[] = [{ bytes: body, notes: [] }];
  const inner = innerText(body);
  if (inner !== undefined)
    forms.push({
      bytes: utf8Bytes(inner),
      notes: [{ code: 'body_json_twice', ...sentTwice }],
    });
  const ofForm = body.length <= formBytesMax ? jsonOfForm(textOf(body).text.trim()) : undefined;
  if (ofForm !== undefined)
    forms.push({
      bytes: utf8Bytes(ofForm),
      notes: [{ code: 'body_form_encoded', subject: 'the same values as JSON' }],
    });
  const ofRelaxed = ofForm === undefined ? relaxedInner(body) : undefined;
  if (ofRelaxed !== undefined) forms.push({ bytes: utf8Bytes(ofRelaxed.text), notes: [ofRelaxed.note] });
  if (!inflate) return forms;
  const isGzip = body[0] === 0x1f && body[1] === 0x8b;
  const isDeflate =
    !isGzip && body.length > 2 && (body[0]! & 0x0f) === 8 && ((body[0]! << 8) | body[1]!) % 31 === 0;
  const format = isGzip ? 'gzip' : isDeflate ? 'deflate' : undefined;
  const plain = format && inflate(body, format);
  if (plain)
    forms.push({
      bytes: plain,
      notes: [{ code: 'body_compression', subject: `the body before it was compressed with ${format}` }],
    });
  return forms;
}

/** The JSON in a body that is a JSON string, as a second serialisation makes it. */
function innerText(body: Uint8Array): string | undefined {
  if (body[0] !== 0x22 || body.length > innerBytesMax) return undefined;
  const outer = readJsonText(textOf(body).text);
  if (outer?.kind !== 'string') return undefined;
  if (/^\s*[{[]/.test(outer.value)) return outer.value;
  // Go writes bytes as a string with their Base64.
  const bytes = /^(?:ey|W)[\w+/]+=*$/.test(outer.value) ? decodeBase64(outer.value) : undefined;
  return bytes && textOf(bytes).text;
}

/** The JSON that a body in JSON5 or the like represents. */
function relaxedInner(body: Uint8Array): { readonly text: string; readonly note: Note } | undefined {
  if (body.length > formBytesMax) return undefined;
  const { text } = textOf(body);
  if (readJsonText(text)) return undefined;
  const escaped = escapedControls(text);
  if (readJsonText(escaped)) return { text: escaped, note: { code: 'body_json_escapes', ...sentRaw } };
  const relaxed = jsonOfRelaxed(text);
  return relaxed === undefined
    ? undefined
    : { text: relaxed, note: { code: 'body_printed', ...sentRelaxed } };
}

const sentRaw: Words = {
  what: 'The body that you sent has control characters in its strings, such as a tab or a line break, which JSON allows only as escapes.',
  mend: 'Send the JSON text that you hash, with \\t, \\n and the like in strings.',
};

const sentRelaxed: Words = {
  subject: 'the same values as JSON',
  what: 'The body that you sent is not JSON, but JSON5, Hjson or a JavaScript literal: names or strings have no double quotes, or commas are at the end of lists.',
  mend: 'Send the JSON text that you hash.',
};

const innerBytesMax = 128 * 1024;
const formBytesMax = 16 * 1024;

/** Searches for the input of a digest. */
export function searchDigest(
  digest: MeantDigest,
  forms: readonly BodyForm[],
  hashes: Hashes,
  budget: Budget,
  gzip?: ExplainOptions['gzip'],
): DigestMatch | undefined {
  const hash = hashes[digest.hash];
  if (!hash) return undefined;
  const fits = (bytes: Uint8Array): boolean =>
    budget.spend(bytes.length) && isEqual(hash(bytes), digest.bytes);
  // Start with what does not depend on the content: another form hashed correctly, or nothing hashed.
  for (const { bytes, notes } of forms.filter((form) => form.bytes.length > 0))
    if (fits(bytes)) return { notes, hashedText: shown(bytes) };
  for (const text of emptyTexts) {
    const bytes = utf8Bytes(text);
    if (!fits(bytes)) continue;
    return {
      notes: notesOfNothing(
        text,
        forms.some((form) => form.bytes.length > 0),
      ),
      hashedText: text,
    };
  }
  for (const bytes of gzipForms(forms[0]?.bytes, gzip)) {
    if (!fits(bytes)) continue;
    return { notes: [{ code: 'body_compression', ...hashedCompressed }], hashedText: undefined };
  }
  let isCutShort = false;
  for (const [index, form] of forms.entries()) {
    const ofForm = budget.part(1 / (forms.length - index));
    const found = searchForm(form, digest.bytes, hash, ofForm);
    budget.absorb(ofForm);
    if (found) return found;
    isCutShort ||= ofForm.isCutShort;
  }
  if (isCutShort) budget.cutShort();
  return undefined;
}

const hashedCompressed: Words = {
  what: 'The digest matches the body compressed with gzip, but the body arrived uncompressed.',
  mend: 'Hash the bytes that are sent: send the compressed bytes with Content-Encoding, or hash the body as it is.',
};

/** Writes the gzip forms of a body, with the operating systems that libraries write into the header (RFC 1952). */
function* gzipForms(body: Uint8Array | undefined, gzip: ExplainOptions['gzip']): Generator<Uint8Array> {
  if (!gzip || body === undefined || body.length === 0 || body.length > gzipBytesMax) return;
  for (const bytes of gzip(body)) {
    for (const system of gzipSystems) {
      bytes[gzipSystemAt] = system;
      yield bytes;
    }
  }
}

const gzipBytesMax = 16 * 1024;
const gzipSystemAt = 9;
/** Unix, unknown, FAT, NTFS, macOS. */
const gzipSystems = [3, 255, 0, 10, 11, 7, 19];

/** Hashes the likeliest other forms of a body, for signatures over a digest other than the received one. */
export function otherDigests(
  forms: readonly BodyForm[],
  sha256: HashFunction,
  budget: Budget,
  costMax: number,
): readonly { readonly digest: Uint8Array; readonly cost: number; readonly notes: readonly Note[] }[] {
  const found: { digest: Uint8Array; cost: number; notes: readonly Note[] }[] = [];
  for (const { bytes, notes } of forms) {
    const varied = varyBody(bytes);
    for (const { field, alternatives } of varied.dimensions) {
      if (field === 'finish') continue;
      const draft = varied.draft as unknown as Record<string, unknown>;
      const usual = draft[field];
      for (const { value, cost, notes: more } of alternatives().filter((one) => one.cost <= costMax)) {
        draft[field] = value;
        const written = varied.write();
        if (written && budget.spend(written.length))
          found.push({ digest: sha256(written), cost, notes: [...notes, ...more] });
      }
      draft[field] = usual;
    }
  }
  return found;
}

/** Texts that languages write for a missing value. */
const emptyTexts = ['', '{}', 'null', '""', '[]', 'undefined', 'None', 'nil', '\n', '0', 'false', ' '];

function notesOfNothing(text: string, hasBody: boolean): readonly Note[] {
  const code = text.trim() === '' ? 'body_empty' : 'body_printed';
  const visible = text.trim() === '' ? JSON.stringify(text) : text;
  if (text === '')
    return hasBody
      ? [{ code, what: 'The digest is the digest of no bytes, but a body arrived.' }]
      : [
          {
            code,
            what: 'The digest is the digest of no bytes, and no body arrived.',
            mend: 'Without a body, leave Content-Digest out of the request and the signature.',
          },
        ];
  if (hasBody)
    return [
      {
        code,
        what: `The digest is the digest of the text ${visible}, not of the body that arrived.`,
        mend: 'Build and serialize the body first, then hash and send those bytes.',
      },
    ];
  return [
    {
      code,
      what: `The digest is the digest of the text ${visible}, but no body arrived.`,
      mend: 'Send the bytes that you hash. If there is no body, leave Content-Digest out of the request and the signature.',
    },
    { code: 'body_missing' },
  ];
}

function searchForm(
  form: BodyForm,
  wanted: Uint8Array,
  hash: HashFunction,
  budget: Budget,
): DigestMatch | undefined {
  const { draft, dimensions, write } = varyBody(form.bytes);
  if (!budget.look()) return undefined;
  let found: DigestMatch | undefined;
  const { charset: usualCharset, lineEnd: usualLineEnd } = draft;
  const seen = new Set<string>();
  visitVariations(draft, dimensions, (chosen, cost) => {
    const isCombined = cost === undefined;
    const bytes = write();
    if (!bytes) return !budget.look() ? 'spent' : isCombined ? 'other' : 'repeated';
    if (!budget.spend(bytes.length)) return 'spent';
    const digest = draft.finish ? draft.finish(bytes, hash) : hash(bytes);
    if (!isEqual(digest, wanted)) {
      // These may matter only once another variation brings lines, unescaped characters, brackets or commas.
      const needsOthers =
        draft.lineEnd !== usualLineEnd ||
        draft.charset !== usualCharset ||
        draft.formEscape !== undefined ||
        draft.twice !== undefined;
      if (isCombined || needsOthers) return 'other';
      const mark = latin1Text(digest);
      if (seen.has(mark)) return 'repeated';
      seen.add(mark);
      return 'other';
    }
    found = { notes: [...form.notes, ...notesOf(chosen)], hashedText: shown(bytes) };
    return 'found';
  });
  return found;
}

const shownBytesMax = 16 * 1024;

function shown(bytes: Uint8Array): string | undefined {
  if (bytes.length > shownBytesMax) return undefined;
  const { text, hasMark } = textOf(bytes);
  return hasMark ? `\ufeff${text}` : text;
}
