import { signatureLabel } from '@countersign/signature';
import { readSignature } from '@countersign/signature/profile';
import { type Finding, finding, type Words } from '../findings/finding.ts';
import { base64Difference, decodeLeniently, type EncodingForm, type FormCodes } from './lenient-base64.ts';
import { enclosedBase64 } from './enclosed-base64.ts';
import { otherKind } from './signature-kind.ts';

/** The intended meaning of `Signature`. */
export interface MeantSignature {
  readonly bytes: Uint8Array;
  readonly findings: readonly Finding[];
  /** The problem with the number of bytes, unless something else explains it. */
  readonly ofSize?: Finding | undefined;
  /** The text between the colons. */
  readonly content: string;
}

/**
 * Reads the signature's bytes, whatever wraps them. `keySizes` are the sizes in bytes of the keys that may
 * have signed, `ownSizes` those of the client's own keys. Undefined if there are no bytes to find; no bytes
 * for the printed text of a missing value.
 */
export function readMeantSignature(
  text: string,
  keySizes: ReadonlySet<number>,
  ownSizes: ReadonlySet<number>,
): MeantSignature | undefined {
  const isKeySize = (length: number): boolean => keySizes.has(length) || usualSizes.has(length);
  const strict = readSignature(text);
  // Hundreds of characters are never all hex digits or all Base64 by chance.
  const isText = /^sig=:[0-9a-fA-F]*:$/.test(text) || strict?.every(isBase64Character) === true;
  if (strict && isKeySize(strict.length) && !isText)
    return { bytes: strict, findings: [], content: unwrap(text).content };
  const { label, content, fault } = unwrap(text);
  const unset = wordsOfUnset(content);
  if (unset)
    return {
      bytes: new Uint8Array(),
      content,
      findings: [...aroundFindings(label, fault), finding('signature_printed', 'observed', unset)],
    };
  const decoded = decodeLeniently(content, isKeySize);
  if (!decoded) return amongOthers(label, content, isKeySize);
  if (decoded.bytes.length === 0) return undefined;
  const findings = [...aroundFindings(label, fault)];
  const { length } = decoded.bytes;
  const isJws = fault?.detail === jwsFault;
  for (const form of decoded.forms) {
    // Truncation also removes the padding, or leaves too much. JWS use URL-safe Base64 by definition.
    const isOfPadding = form === 'no_padding' || form === 'more_padding';
    if ((!isOfPadding || isKeySize(length)) && !(isJws && (isOfPadding || form === 'url_alphabet'))) {
      const code = formCodes[form];
      const isUrlSafe = code === 'signature_base64url';
      const moreDetail = detailsOfForm[form]?.(content);
      findings.push(
        finding(code, 'observed', { detail: isUrlSafe ? base64Difference(content) : moreDetail }),
      );
    }
  }
  let ofSize: Finding | undefined;
  if (!isKeySize(length)) {
    // A truncated text lacks its last colon and its padding.
    const isCut = /^[^:]*=:[^:]*[^:=\s]$/.test(text.trim());
    const other = isCut ? undefined : otherKind(decoded.bytes);
    ofSize =
      other === undefined
        ? sizeFinding(length, ownSizes.size > 0 ? ownSizes : keySizes)
        : finding('signature_other_kind', 'likely', { detail: other });
  }
  return { bytes: decoded.bytes, findings, ofSize, content };
}

/** Reads Base64 among other characters. Undefined if there is none. */
function amongOthers(
  label: string | undefined,
  content: string,
  isKeySize: (length: number) => boolean,
): MeantSignature | undefined {
  const enclosed = enclosedBase64(content, isKeySize);
  if (!enclosed) return undefined;
  const { bytes, words } = enclosed;
  return { bytes, content, findings: aroundFindings(label, words) };
}

/** Lists what is wrong around the Base64: the label, and the format. Rewriting both is one change. */
function aroundFindings(label: string | undefined, fault: Words | undefined): readonly Finding[] {
  const ofLabel =
    label !== signatureLabel && label !== undefined
      ? finding('signature_label', 'observed', { detail: `it is ${label}` })
      : undefined;
  if (fault === undefined) return ofLabel ? [ofLabel] : [];
  const ofForm = finding('signature_form', 'observed', fault);
  if (!ofLabel) return [ofForm];
  const what = `${ofForm.what} ${ofLabel.what}`;
  return [finding('signature_form', 'observed', { what, alsoCodes: ['signature_label'] })];
}

const detailsOfForm: Readonly<Partial<Record<EncodingForm, (content: string) => string>>> = {
  more_padding: () => 'it has more = at its end than its padding',
  printed: (content) => `it begins with ${content.slice(0, beginningLength)}…`,
};
const beginningLength = 16;

function isBase64Character(byte: number): boolean {
  return /[0-9a-zA-Z+/=_\s-]/.test(String.fromCharCode(byte));
}

const formCodes: FormCodes = {
  url_encoded: 'signature_url_encoded',
  white_space: 'signature_line_breaks',
  escaped: 'signature_escaped',
  printed: 'signature_printed',
  plus_lost: 'signature_plus_lost',
  more_padding: 'signature_form',
  hex: 'signature_hex',
  url_alphabet: 'signature_base64url',
  no_padding: 'signature_base64url',
  double: 'signature_double_base64',
  hex_in_base64: 'signature_hex',
};

function wordsOfUnset(content: string): Words | undefined {
  if (nothings.has(content)) return { detail: `it is the text ${content}, so there was no signature yet` };
  if (printedObject.test(content)) return { detail: `it is ${content}, which holds no signature` };
  return placeholder.test(content)
    ? {
        what: `The Signature header holds the placeholder ${content}, not a signature.`,
        mend: 'Put the signature in its place: check quotes and names in the template or script that writes the header.',
      }
    : undefined;
}

/** Texts that templates, shells and format strings leave if nothing is inserted. */
const placeholder =
  /^(?:\$\{[^{}]{1,64}\}|\{\{[^{}]{1,64}\}\}|\{[\w.]{1,64}\}|<[a-z][\w -]{0,32}>|%\(?\w{0,32}\)?s|\$\w{1,64})$/i;

/**
 * Texts that languages print for a value whose content they do not print: a function, a view of memory, an
 * unfinished task.
 */
const printedObject =
  /^<(?:[^<>]{1,100}\bat 0x[0-9a-f]+\b[^<>]{0,60}|(?:memory|function|lambda|bound method|built-in (?:function|method)|class|module|coroutine|generator|Future|Task|Promise|ArrayBuffer)\b[^<>]{0,60}|[\w.]{1,60} object|Buffer(?: [0-9a-f]{2}){0,15})>$/;

/** Texts that languages print for a missing value. Some could be read as Base64. */
const nothings: ReadonlySet<string> = new Set([
  'undefined',
  'null',
  'NULL',
  'None',
  'nil',
  'NaN',
  '[object Object]',
  '[object Promise]',
  '<nil>',
  '<null>',
]);

/** Signature sizes for RSA keys of 1024 to 8192 bits, in steps of 1024. */
const usualSizes: ReadonlySet<number> = new Set([128, 256, 384, 512, 640, 768, 896, 1024]);

interface LooseMember {
  readonly label: string | undefined;
  readonly content: string;
  /** Lists what is wrong around the content. */
  readonly fault: Words | undefined;
}

/** Splits a dictionary member loosely: label, colons and quotes may be missing, and other text may surround it. */
function unwrap(text: string): LooseMember {
  const { plain, fault } = withoutWrapping(text.trim());
  const match =
    /^(?:([A-Za-z*][\w.*-]{0,63})(\s*=+\s*)(?=[:"'[\\<]|b'|[A-Za-z0-9+/_-]{20}|Optional))?(.*)$/s.exec(plain);
  const label = match?.[1];
  const member = (match?.[3] ?? plain).trim();
  const inColons = /^:([^:]*):\s*([;,].*)?$/s.exec(member) ?? /^:(.*):$/s.exec(member);
  const quoted = /^(["'])(.*)\1$/s.exec(member)?.[2];
  const content = inColons?.[1] ?? quoted ?? member.replace(/^:|:?;?$/g, '');
  const between = match?.[2] ?? '=';
  const faults: readonly (readonly [boolean, Words])[] = [
    [fault !== undefined, { detail: fault ?? '' }],
    [label === undefined, { detail: 'it has no label' }],
    [/^["']/.test(member), { detail: 'it is in quotes, and not between colons' }],
    [inColons === null, wordsOfColons(member)],
    [
      between !== '=',
      {
        what: `The Signature header begins with \`${label}${between}:\`.`,
        mend: `Begin it with \`${label}=:\`, with one = and no spaces.`,
      },
    ],
    [(inColons?.[2] ?? '').startsWith(';'), { detail: 'a semicolon follows it' }],
    [
      (inColons?.[2] ?? '').startsWith(','),
      {
        what: 'The Signature header holds more than one signature.',
        mend: 'Send one signature, with the label `sig`.',
      },
    ],
  ];
  return { label, content, fault: faults.find(([isSo]) => isSo)?.[1] };
}

function wordsOfColons(member: string): Words {
  if (member.startsWith(':'))
    return {
      what: `The Signature header lacks the colon at its end, after \`…${member.slice(-endLength)}\`.`,
      mend: 'Add a colon after the Base64: `sig=:<base64>:`.',
    };
  if (member.endsWith(':'))
    return {
      what: 'The Signature header lacks the colon before the Base64.',
      mend: 'Add a colon before the Base64: `sig=:<base64>:`.',
    };
  return { detail: 'it has no colons around the Base64' };
}

const endLength = 8;
const jwsFault = 'it is a JWS (JSON Web Signature)';

/** Removes text that surrounds the whole member: quotes, JSON, or the name of an authentication scheme. */
function withoutWrapping(text: string): { readonly plain: string; readonly fault: string | undefined } {
  const json = /^\{\s*"([a-z][\w.-]{0,63})"\s*:\s*"([^"]*)"\s*\}$/i.exec(text);
  if (json) return { plain: `${json[1]}=${json[2]}`, fault: 'it is written as JSON' };
  const quoted = /^(["'])([a-z*][\w.-]{0,63}\s*=.*)\1$/is.exec(text)?.[2];
  if (quoted !== undefined) return { plain: quoted, fault: 'the whole value is in quotes' };
  const scheme = /^(?:Signature|Bearer|Basic|RSA)\s+(?=\S+=)/i.exec(text)?.[0];
  if (scheme !== undefined)
    return { plain: text.slice(scheme.length), fault: `it starts with ${scheme.trim()}` };
  const jws = /^(.{0,40}?)eyJ[\w-]*\.[\w-]*\.(?=[\w-]{40})/s.exec(text);
  return jws
    ? { plain: jws[1]! + text.slice(jws[0].length), fault: jwsFault }
    : { plain: text, fault: undefined };
}

function sizeFinding(length: number, keySizes: ReadonlySet<number>): Finding {
  const sizes = [...keySizes].toSorted((a, b) => a - b);
  const wanted = sizes.length > 0 ? sizes.join(' or ') : '256, 384 or 512';
  const detail = `it has ${length} bytes, and the key makes ${wanted}`;
  return length < Math.max(...(keySizes.size > 0 ? keySizes : [256]))
    ? finding('signature_truncated', 'observed', { detail })
    : finding('signature_form', 'observed', { detail });
}
