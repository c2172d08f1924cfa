import { encodeBase64, formatContentDigest } from '@countersign/signature';
import { lossesIn } from '../bodies/lossy-body.ts';
import { printedBy, quotedText } from '../bodies/printed-body.ts';
import { type TwoTexts } from '../bodies/written-differently.ts';
import { type Certainty, evidenceOf } from '../findings/evidence.ts';
import { type Finding, finding, mergeNotes, type Note } from '../findings/finding.ts';
import type { FindingCode } from '../findings/findings.ts';
import type { MeantDigest } from '../reading/meant-digest.ts';
import { searchDigest } from '../search/digest-search.ts';
import { hashedBodyFinding, isOfBody } from './hashed-body.ts';
import type { Investigation } from './investigation.ts';

export interface BodyFindings {
  readonly findings: readonly Finding[];
  /** The text that the caller hashed instead of the received body. */
  readonly hashedText?: string | undefined;
}

const nothingFound: BodyFindings = { findings: [] };

/**
 * Check 12: compares the digest that was sent with the body that arrived, and searches for the text that was
 * hashed.
 */
export function bodyFindings(investigation: Investigation): BodyFindings {
  const { request, options, hashes, budget, meant, forms } = investigation;
  const { digest, received } = meant;
  const { body } = request;
  const text = received.fields['content-digest'].value;
  if (text === undefined) return nothingFound;
  if (!digest) return { findings: [finding('digest_form', 'observed', { detail: text })] };
  const inDigest = ofOneForm(mergeNotes(digest.notes));
  const covers = meant.input?.components.some((name) => name.toLowerCase() === 'content-digest') ?? true;
  if (body === undefined || (body.length === 0 && !covers))
    return { findings: inDigest.map(({ code, ...more }) => finding(code, 'observed', more)) };
  const ofSearch = budget.part(0.5);
  const match = searchDigest(digest, forms, hashes, ofSearch, options.gzip);
  budget.absorb(ofSearch);
  if (!match && ofSearch.isCutShort) budget.cutShort();
  const certainty: Certainty = match ? 'proven' : 'observed';
  const evidence = evidenceOf(expectedDigest(digest, body, investigation), text);
  // If the body is the one that was hashed, the right header is known.
  const isBodyRight = match?.notes.some(isOfBody) === false;
  const header = `\`Content-Digest: ${evidence.expected}\``;
  const adviceFor = (code: FindingCode): { readonly mend?: string; readonly action?: string } =>
    !isBodyRight ? {} : writtenForms.has(code) ? { mend: `Send ${header}.` } : { action: header };
  const findings = inDigest.map(({ code, ...more }) =>
    finding(code, certainty, { ...more, ...adviceFor(code), evidence }),
  );
  if (!match)
    return { findings: body.length === 0 ? findings : [...findings, otherBody(investigation, body)] };
  const texts = shownTexts(investigation, body, match.hashedText);
  const ofBody = match.notes.filter(isOfBody);
  if (ofBody.length > 0)
    findings.push(
      hashedBodyFinding(ofBody, 'proven', {
        texts,
        evidence: texts && evidenceOf(texts.sent, texts.hashed),
      }),
    );
  for (const { code, ...words } of mergeNotes(match.notes.filter((note) => !isOfBody(note))))
    findings.push(finding(code, 'proven', words));
  return { findings, hashedText: match.hashedText };
}

/** A digest of another algorithm is wrong only if it has a note. */
function expectedDigest(
  { hash, notes }: MeantDigest,
  body: Uint8Array,
  { options, hashes }: Investigation,
): string {
  return hash === 'sha512' && notes.length === 0 && hashes.sha512
    ? `sha-512=:${encodeBase64(hashes.sha512(body))}:`
    : formatContentDigest(options.sha256(body));
}

/**
 * Reports everything that is wrong with the form of Content-Digest as one note: one header to rewrite,
 * whatever the differences.
 */
function ofOneForm(notes: readonly Note[]): readonly (Note & { alsoCodes?: readonly FindingCode[] })[] {
  const isOfForm = ({ code }: Note): boolean => formCodes.has(code);
  const ofForm = notes.filter(isOfForm);
  if (ofForm.length < 2) return notes;
  const [first, ...others] = ofForm as [Note, ...Note[]];
  const whats = ofForm.map(({ code, ...words }) => finding(code, 'observed', words).what);
  const merged = { code: first.code, alsoCodes: others.map(({ code }) => code), what: whats.join(' ') };
  return [merged, ...notes.filter((note) => !isOfForm(note))];
}

/** Differences in the text around the digest. */
const writtenForms: ReadonlySet<FindingCode> = new Set([
  'digest_no_colons',
  'digest_form',
  'digest_old_form',
]);
const formCodes: ReadonlySet<FindingCode> = new Set([...writtenForms, 'digest_hex', 'digest_base64url']);

/** Describes the received body if nothing is known about the hashed text. */
function otherBody({ options, meant }: Investigation, body: Uint8Array): Finding {
  const start = options.omitBodyText === true ? '' : startOf(body);
  const coding = meant.others.get('content-encoding');
  if (coding !== undefined && coding !== 'identity')
    return finding('body_compression', 'likely', {
      detail: `the body has the coding ${coding}`,
      alsoCodes: ['body_other'],
    });
  const text = new TextDecoder().decode(body.subarray(0, printedBytesMax));
  const quoted = quotedText(text);
  const language = printedBy(quoted ?? text);
  if (language !== undefined)
    return finding('body_printed', 'likely', {
      ...(quoted !== undefined && { alsoCodes: ['body_json_twice'] }),
      what: `The body that you sent is an object as ${language} prints it, not JSON${start === '' ? '' : `: ${start}`}.`,
      mend: `Send the JSON of the object, which ${serializers[language] ?? 'a JSON library'} writes, and hash the same bytes.`,
    });
  const lossy = lossesIn(text);
  const size = `${body.length} ${body.length === 1 ? 'byte' : 'bytes'}`;
  return finding('body_other', 'likely', {
    ...(lossy.length > 0 && { alsoCodes: lossy.map(({ code }) => code) }),
    what: [
      `The digest matches none of the forms of the body that we tried. We received ${size}${start === '' ? '' : `, which start with ${start}`}.`,
      ...lossy.map(({ what }) => what),
    ].join(' '),
    ...(lossy.length > 0 && { mend: lossy.map(({ mend }) => mend).join(' ') }),
  });
}

const serializers: Readonly<Record<string, string>> = {
  JavaScript: 'JSON.stringify',
  Node: 'JSON.stringify',
  '.NET': 'JsonSerializer.Serialize',
  PHP: 'json_encode',
  Go: 'json.Marshal',
  Ruby: 'to_json',
  Python: 'json.dumps',
  Java: 'a JSON library such as Jackson',
};

const startLengthMax = 40;
const strangeMax = 2;

/** The first characters of a text, or the first bytes of anything else. */
function startOf(body: Uint8Array): string {
  const start = body.subarray(0, startLengthMax);
  const text = new TextDecoder().decode(start).replace(/\ufffd$/, '');
  const strange = text.match(/[\x00-\x08\x0e-\x1f\ufffd]/g) ?? [];
  // Text may contain a few characters of another charset.
  const isText = strange.length <= strangeMax;
  const shown = isText
    ? text.replace(/\s+/g, ' ')
    : [...start.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
  return shown + (body.length > startLengthMax ? ' …' : '');
}

/** Returns the body and the hashed text, if they may be shown. */
function shownTexts(
  { options }: Investigation,
  body: Uint8Array,
  hashed: string | undefined,
): TwoTexts | undefined {
  if (options.omitBodyText === true || hashed === undefined || body.length > shownBytesMax) return undefined;
  const sent = new TextDecoder().decode(body);
  return sent === hashed ? undefined : { hashed, sent };
}

const printedBytesMax = 16 * 1024;
const shownBytesMax = 16 * 1024;
