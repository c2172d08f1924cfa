import {
  derTag,
  readDer,
  readDerInteger,
  readDerSequence,
  writeDerInteger,
  writeDerNull,
  writeDerSequence,
} from '../der.ts';
import { type AlgorithmIdentifier, readEncodedPublicKey, writeEncodedPublicKey } from '../key-encodings.ts';

/** RFC 8017 appendix C. */
export const rsaEncryption = '1.2.840.113549.1.1.1';
/** RFC 8017 appendix C: a key that may be used with RSASSA-PSS only. */
export const rsassaPss = '1.2.840.113549.1.1.10';

/** An RSA public key's two numbers, big-endian without leading zeros. */
export interface RsaNumbers {
  readonly modulus: Uint8Array;
  readonly exponent: Uint8Array;
}

/** The reason why bytes do not hold a usable RSA key. */
export type RsaEncodingFault = 'malformed' | 'not_rsa' | 'pss_only';

/** Reads a PKCS#1 RSAPublicKey (RFC 8017 appendix A.1.1); undefined for anything else. */
export function readRsaPublicKey(bytes: Uint8Array): RsaNumbers | undefined {
  const elements = readDerSequence(readDer(bytes));
  const modulus = readDerInteger(elements?.[0]);
  const exponent = readDerInteger(elements?.[1]);
  if (elements?.length !== 2 || modulus === undefined || exponent === undefined) return undefined;
  return { modulus, exponent };
}

/** Reads a SubjectPublicKeyInfo (RFC 5280 section 4.1, RFC 3279 section 2.3.1) that holds an RSA key. */
export function readSubjectPublicKeyInfo(bytes: Uint8Array): RsaNumbers | RsaEncodingFault {
  const encoded = readEncodedPublicKey(bytes);
  if (encoded === undefined) return 'malformed';
  return rsaAlgorithmFault(encoded) ?? readRsaPublicKey(encoded.subjectPublicKey) ?? 'malformed';
}

/** Checks an AlgorithmIdentifier; undefined for rsaEncryption with the NULL that RFC 3279 section 2.3.1 requires. */
export function rsaAlgorithmFault({
  objectIdentifier,
  parameters,
}: AlgorithmIdentifier): RsaEncodingFault | undefined {
  if (objectIdentifier === rsassaPss) return 'pss_only';
  if (objectIdentifier !== rsaEncryption) return 'not_rsa';
  const isNull = parameters?.tag === derTag.null && parameters.content.length === 0;
  return isNull ? undefined : 'malformed';
}

/** Writes a key's DER SubjectPublicKeyInfo. */
export function writeSubjectPublicKeyInfo(numbers: RsaNumbers): Uint8Array<ArrayBuffer> {
  const rsaPublicKey = writeDerSequence(writeDerInteger(numbers.modulus), writeDerInteger(numbers.exponent));
  return writeEncodedPublicKey(rsaEncryption, writeDerNull(), rsaPublicKey);
}
