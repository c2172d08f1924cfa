import {
  hexadecimal,
  readKeyText,
  readSubjectPublicKeyInfo,
  unsignedFrom,
} from '@countersign/signature/keys';

/** The numbers of a registered key, ready for the public operation. */
export interface RsaModulus {
  readonly modulus: bigint;
  readonly modulusBytes: number;
}

/**
 * Reads the modulus of a SubjectPublicKeyInfo in PEM. The key passed the checks of registration; they are not made again,
 * as they take longer than the whole explanation. Undefined for anything but RSA with the exponent 65537.
 */
export function readModulus(spkiPem: string): RsaModulus | undefined {
  const text = readKeyText(spkiPem);
  if (!('der' in text)) return undefined;
  const numbers = readSubjectPublicKeyInfo(text.der);
  if (typeof numbers === 'string' || hexadecimal(numbers.exponent) !== '010001') return undefined;
  if (numbers.modulus.length > modulusBytesMax) return undefined;
  return { modulus: unsignedFrom(numbers.modulus), modulusBytes: numbers.modulus.length };
}

/**
 * RSAVP1 (RFC 8017 section 5.2.2): gives back the encoded message that the private key was applied to. Undefined when the
 * signature has another size than the modulus or is not smaller. There is no secret in it, so its time may vary.
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
