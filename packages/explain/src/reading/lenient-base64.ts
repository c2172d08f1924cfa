import type { FindingCode } from '../findings/findings.ts';

/** Bytes that a text holds, with what is unusual about how it holds them. */
export interface LenientBytes {
  readonly bytes: Uint8Array;
  readonly forms: readonly EncodingForm[];
}

/** What may be unusual about an encoding. */
export type EncodingForm =
  | 'url_encoded'
  | 'white_space'
  | 'hex'
  | 'url_alphabet'
  | 'no_padding'
  | 'double'
  | 'hex_in_base64';

/**
 * Decodes what was meant to be Base64. `isExpected` tells which lengths make sense, so that the readings of a text that has
 * several are told apart; the first reading of such a length is taken, else the plainest.
 */
export function decodeLeniently(
  text: string,
  isExpected: (length: number) => boolean,
): LenientBytes | undefined {
  const forms: EncodingForm[] = [];
  // `openssl dgst -hex` and `sha256sum` write names beside the digits.
  let plain = text.replace(/^[^=]*\)=\s*/, '').replace(/^([0-9a-f]{32,})\s+\*?\S+\s*$/i, '$1');
  if (/%(?:2B|2F|3D)/i.test(plain)) {
    plain = plain.replace(/%2B/gi, '+').replace(/%2F/gi, '/').replace(/%3D/gi, '=');
    forms.push('url_encoded');
  }
  // A plus sign that went through a form decoder is a space: then there is one space where one character is missing.
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

/** Which findings the forms of a field's encoding are. */
export type FormCodes = Readonly<Record<EncodingForm, FindingCode>>;

/** Base64 in either alphabet, padded or not; undefined when there are other characters. */
function decodeAnyBase64(text: string): Uint8Array | undefined {
  const plain = text.replace(/=+$/, '').replace(/-/g, '+').replace(/_/g, '/');
  if (!/^[A-Za-z0-9+/]*$/.test(plain)) return undefined;
  const bytes = new Uint8Array(Math.floor((plain.length * 3) / 4));
  let bits = 0;
  let value = 0;
  let position = 0;
  for (let index = 0; index < plain.length && position < bytes.length; index++) {
    value = ((value << 6) | alphabet.indexOf(plain.charAt(index))) & 0xffffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[position++] = value >> bits;
  }
  return bytes;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The bytes of a hexadecimal text of even length. */
function bytesOfHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** What was decoded may be the text of another encoding. Digits of hex alone are never there by chance. */
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
