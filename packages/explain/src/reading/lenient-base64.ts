import { latin1Bytes } from '../byte-text.ts';
import type { FindingCode } from '../findings/findings.ts';
import { bytesOfNumbers, cleanText, type SpoiledForm } from './printed-text.ts';

/** Decoded bytes, and what was unusual about their encoding. */
export interface LenientBytes {
  readonly bytes: Uint8Array;
  readonly forms: readonly EncodingForm[];
}

export type EncodingForm =
  | SpoiledForm
  | 'white_space'
  /** A form decoder turned plus signs into spaces. */
  | 'plus_lost'
  | 'hex'
  | 'url_alphabet'
  | 'no_padding'
  | 'more_padding'
  | 'double'
  | 'hex_in_base64';

/**
 * Decodes text that was meant to be Base64. If there are several readings, takes the first one whose length
 * `isExpected`, or else the simplest.
 */
export function decodeLeniently(
  text: string,
  isExpected: (length: number) => boolean,
): LenientBytes | undefined {
  // `openssl dgst -hex` and `sha256sum` print names next to the digits.
  const clean = cleanText(
    text.replace(/^[^=]{0,100}\)=\s*/, '').replace(/^([0-9a-f]{32,})\s+\*?\S+\s*$/i, '$1'),
  );
  const forms: EncodingForm[] = [...clean.forms];
  let plain = clean.text;
  const numbers = bytesOfNumbers(plain);
  if (numbers) return { bytes: numbers, forms: [...forms.filter((form) => form !== 'printed'), 'printed'] };
  const isHex = /^(?:0x)?[0-9a-f]{2}(?:[:\s-]*[0-9a-f]{2}){15,}\s*$/i.test(plain);
  if (isHex) {
    const bytes = bytesOfHex(plain.replace(/^0x|[^0-9a-f]/gi, ''));
    if (isExpected(bytes.length) || bytes.length >= hexBytesMin) return { bytes, forms: [...forms, 'hex'] };
  }
  if (/\s|\\n|\\r/.test(plain)) {
    const joined = plain.replace(/\\r|\\n|\s+/g, '');
    const filled = plain.replace(/ /g, '+');
    const isFilled = !isExpected(decodeAnyBase64(joined)?.length ?? 0);
    if (isFilled && isExpected(decodeAnyBase64(filled)?.length ?? 0)) {
      plain = filled;
      forms.push('plus_lost');
    } else {
      plain = joined;
      forms.push('white_space');
    }
  }
  const decoded = decodeAnyBase64(plain);
  if (!decoded) return undefined;
  if (/[-_]/.test(plain)) forms.push('url_alphabet');
  else if (plain.length % 4 !== 0 && !plain.endsWith('=')) forms.push('no_padding');
  else if (plain.endsWith('=') && plain.length % 4 !== 0) forms.push('more_padding');
  else if (plain.endsWith('===')) forms.push('more_padding');
  return decodeInner(decoded, forms, isExpected, 0) ?? { bytes: decoded, forms };
}

/** This many hex digits are never Base64 by chance. */
const hexBytesMin = 32;

/** Maps the unusual encodings of one field to findings. */
export type FormCodes = Readonly<Record<EncodingForm, FindingCode>>;

/** Says how a Base64 text differs from standard Base64: in its alphabet, or in its padding. */
export function base64Difference(text: string): string {
  const swapped = [
    ...(text.includes('-') ? ['- in place of +'] : []),
    ...(text.includes('_') ? ['_ in place of /'] : []),
  ].join(' and ');
  const isUnpadded = !text.endsWith('=') && text.length % 4 !== 0;
  const unpadded = `the ${text.length % 4 === 2 ? '==' : '='} at its end is missing`;
  return swapped === '' ? unpadded : `it has ${swapped}${isUnpadded ? `, and ${unpadded}` : ''}`;
}

/** Accepts either alphabet, padded or not. Undefined if there are other characters. */
function decodeAnyBase64(text: string): Uint8Array | undefined {
  const plain = text.replace(/=+$/, '').replace(/-/g, '+').replace(/_/g, '/');
  if (!/^[A-Za-z0-9+/]*$/.test(plain)) return undefined;
  // A truncated text may end with too few characters for a byte.
  return latin1Bytes(atob(plain.length % 4 === 1 ? plain.slice(0, -1) : plain));
}

function bytesOfHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** The decoded text may itself be encoded: nothing but hex digits, or nothing but Base64, is never chance. */
function decodeInner(
  decoded: Uint8Array,
  forms: readonly EncodingForm[],
  isExpected: (length: number) => boolean,
  depth: number,
): LenientBytes | undefined {
  if (decoded.length < 32 || decoded.length > 4096 || decoded.some((byte) => byte > 0x7e)) return undefined;
  const inner = String.fromCharCode(...decoded)
    .replace(/^([0-9a-f]{32,})\s+\*?\S+\s*$/i, '$1')
    .replace(/\s+/g, '');
  if (/^(?:[0-9a-f]{2})+$/i.test(inner) && isExpected(inner.length / 2))
    return { bytes: bytesOfHex(inner), forms: [...forms, 'hex_in_base64'] };
  const bytes = decodeAnyBase64(inner);
  if (!bytes) return undefined;
  if (isExpected(bytes.length)) return { bytes, forms: [...forms, 'double'] };
  return depth < depthMax ? decodeInner(bytes, forms, isExpected, depth + 1) : undefined;
}

const depthMax = 2;
