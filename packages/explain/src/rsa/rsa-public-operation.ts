import { hexadecimal, readSubjectPublicKeyInfo, unsignedFrom } from '@countersign/signature/keys';

export interface RsaModulus {
  readonly modulus: bigint;
  readonly modulusBytes: number;
}

/**
 * Reads the modulus from a DER SubjectPublicKeyInfo. Skips the registration checks, which the key has passed
 * and which take longer than a whole explanation. Undefined for anything except RSA with exponent 65537.
 */
export function readModulus(spkiDer: Uint8Array): RsaModulus | undefined {
  const numbers = readSubjectPublicKeyInfo(spkiDer);
  if (typeof numbers === 'string' || hexadecimal(numbers.exponent) !== '010001') return undefined;
  if (numbers.modulus.length > modulusBytesMax) return undefined;
  return { modulus: unsignedFrom(numbers.modulus), modulusBytes: numbers.modulus.length };
}

/**
 * RSAVP1 (RFC 8017 section 5.2.2): recovers the encoded message that was signed. Undefined if the signature's size
 * differs from the modulus or its value is not below it. Nothing here is secret, so timing may vary.
 */
export function recoverEncodedMessage(
  signature: Uint8Array,
  { modulus, modulusBytes }: RsaModulus,
): Uint8Array | undefined {
  if (signature.length !== modulusBytes) return undefined;
  const representative = unsignedFrom(signature);
  if (representative >= modulus) return undefined;
  let power = representative;
  for (let squaring = 0; squaring < 16; squaring++) power = (power * power) % modulus;
  return bytesOf((power * representative) % modulus, modulusBytes);
}

const modulusBytesMax = 1024;

function bytesOf(value: bigint, length: number): Uint8Array {
  const text = value.toString(16).padStart(length * 2, '0');
  const bytes = new Uint8Array(length);
  for (let index = 0; index < length; index++)
    bytes[index] = Number.parseInt(text.slice(index * 2, index * 2 + 2), 16);
  return bytes;
}
