import { latin1Bytes } from '../byte-text.ts';
import type { FindingCode } from '../findings/findings.ts';

/** Decoded bytes, and what was unusual about their encoding. */
export interface LenientBytes {
  readonly bytes: Uint8Array;
  readonly forms: readonly EncodingForm[];
}

export type EncodingForm =
  | 'url_encoded'
  | 'white_space'
  | 'hex'
  | 'url_alphabet'
  | 'no_padding'
  | 'double'
  | 'hex_in_base64';

/**
 * Decodes what was meant to be Base64. If the text can be read in several ways, takes the first one whose length
 * `isExpected`, or else the simplest.
 */
export function decodeLeniently(
  text: string,
  isExpected: (length: number) => boolean,
): LenientBytes | undefined {
  const forms: EncodingForm[] = [];
  // `openssl dgst -hex` and `sha256sum` print names next to the digits.
  let plain = text.replace(/^[^=]*\)=\s*/, '').replace(/^([0-9a-f]{32,})\s+\*?\S+\s*$/i, '$1');
  if (/%(?:2B|2F|3D)/i.test(plain)) {
    plain = plain.replace(/%2B/gi, '+').replace(/%2F/gi, '/').replace(/%3D/gi, '=');
    forms.push('url_encoded');
  }
  // A form decoder turns a plus sign into a space: one space for each missing character.
  if (/\s|\\n|\\r/.test(plain)) {
    plain = plain.replace(/\\r|\\n|\s+/g, '');
    forms.push('white_space');
  }
  if (/^(?:0x)?(?:[0-9a-f]{2}:?)+$/i.test(plain)) {
    const bytes = bytesOfHex(plain.replace(/^0x|:/gi, ''));
    if (isExpected(bytes.length)) return { bytes, forms: [...forms, 'hex'] };
  }
  const decoded = decodeAnyBase64(plain);
  if (!decoded) return undefined;
  if (/[-_]/.test(plain)) forms.push('url_alphabet');
  else if (plain.length % 4 !== 0 && !plain.endsWith('=')) forms.push('no_padding');
  return decodeInner(decoded, forms, isExpected) ?? { bytes: decoded, forms };
}

/** Maps the unusual encodings of one field to findings. */
export type FormCodes = Readonly<Record<EncodingForm, FindingCode>>;

/** Accepts either alphabet, padded or not. Undefined if there are other characters. */
function decodeAnyBase64(text: string): Uint8Array | undefined {
  const plain = text.replace(/=+$/, '').replace(/-/g, '+').replace(/_/g, '/');
  if (!/^[A-Za-z0-9+/]*$/.test(plain)) return undefined;
  // A text that was cut off may end with a character too few to make a byte.
  return latin1Bytes(atob(plain.length % 4 === 1 ? plain.slice(0, -1) : plain));
}

function bytesOfHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** The decoded text may itself be encoded. Nothing but hex digits is never chance. */
function decodeInner(
  decoded: Uint8Array,
  forms: readonly EncodingForm[],
  isExpected: (length: number) => boolean,
): LenientBytes | undefined {
  if (decoded.length < 32 || decoded.length > 4096 || decoded.some((byte) => byte > 0x7e)) return undefined;
  const inner = String.fromCharCode(...decoded)
    .replace(/^([0-9a-f]{32,})\s+\*?\S+\s*$/i, '$1')
    .replace(/\s+/g, '');
  if (/^(?:[0-9a-f]{2})+$/i.test(inner) && isExpected(inner.length / 2))
    return { bytes: bytesOfHex(inner), forms: [...forms, 'hex_in_base64'] };
  const bytes = decodeAnyBase64(inner);
  return bytes && isExpected(bytes.length) && !isExpected(decoded.length)
    ? { bytes, forms: [...forms, 'double'] }
    : undefined;
}
