import { readDer, readDerInteger, readDerSequence, writeDerNull } from '../der.ts';
import { type EncodedPrivateKey, writeEncodedPrivateKey } from '../key-encodings.ts';
import { unsignedFrom } from '../unsigned.ts';
import {
  rsaAlgorithmFault,
  rsaEncryption,
  type RsaEncodingFault,
  type RsaNumbers,
} from './public-encoding.ts';

/** An RSA private key: its public numbers, and its PKCS#1 encoding. */
export interface RsaPrivateNumbers extends RsaNumbers {
  /** DER RSAPrivateKey. */
  readonly pkcs1Der: Uint8Array;
}

/** Reads the RSA key in a PrivateKeyInfo. */
export function readPrivateKeyInfo(encoded: EncodedPrivateKey): RsaPrivateNumbers | RsaEncodingFault {
  return rsaAlgorithmFault(encoded) ?? readRsaPrivateKey(encoded.privateKey) ?? 'malformed';
}

/**
 * Reads a PKCS#1 RSAPrivateKey with two primes (RFC 8017 appendix A.1.2) and checks that its numbers match: a damaged
 * key would make signatures that nobody can verify or, with one wrong prime, reveal the other prime. Returns undefined
 * for anything else.
 */
export function readRsaPrivateKey(bytes: Uint8Array): RsaPrivateNumbers | undefined {
  const elements = readDerSequence(readDer(bytes));
  const numbers = elements?.map(readDerInteger) ?? [];
  const [version, modulus, exponent] = numbers;
  if (numbers.length !== 9 || version?.length !== 1 || version[0] !== 0) return undefined;
  if (modulus === undefined || exponent === undefined || modulus.length > modulusBytesMax) return undefined;
  if (!areConsistent(numbers.slice(1).map((number) => (number === undefined ? 0n : unsignedFrom(number)))))
    return undefined;
  return { modulus, exponent, pkcs1Der: bytes };
}

/** Writes a PKCS#8 PrivateKeyInfo around a DER RSAPrivateKey, without attributes. */
export function writePrivateKeyInfo(pkcs1Der: Uint8Array): Uint8Array<ArrayBuffer> {
  return writeEncodedPrivateKey(rsaEncryption, writeDerNull(), pkcs1Der);
}

/** Bounds the arithmetic to 16384-bit numbers: larger keys are rejected anyway. */
const modulusBytesMax = 2048;

/** RFC 8017 section 3.2, with the numbers in the order of RSAPrivateKey. */
function areConsistent(numbers: readonly bigint[]): boolean {
  const [n = 0n, e = 0n, d = 0n, p = 0n, q = 0n, exponentP = 0n, exponentQ = 0n, coefficient = 0n] = numbers;
  if (p < 2n || q < 2n || p * q !== n) return false;
  if (exponentP !== d % (p - 1n) || exponentQ !== d % (q - 1n)) return false;
  if ((e * exponentP) % (p - 1n) !== 1n || (e * exponentQ) % (q - 1n) !== 1n) return false;
  return (coefficient * q) % p === 1n;
}
