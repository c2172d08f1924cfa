import { encodeBase64 } from '../rfc9421/base64.ts';
import {
  readDer,
  readDerBitString,
  readDerInteger,
  readDerObjectIdentifier,
  readDerSequence,
  writeDerBitString,
  writeDerInteger,
  writeDerNull,
  writeDerObjectIdentifier,
  writeDerSequence,
  derTag,
  type DerElement,
} from './der.ts';
import { objectIdentifiers } from './object-identifiers.ts';

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
  const elements = readDerSequence(readDer(bytes));
  const subjectPublicKey = readDerBitString(elements?.[1]);
  if (elements?.length !== 2 || subjectPublicKey === undefined) return 'malformed';
  const fault = rsaAlgorithmFault(elements[0]);
  return fault ?? readRsaPublicKey(subjectPublicKey) ?? 'malformed';
}

/** Checks an AlgorithmIdentifier; undefined for rsaEncryption with the NULL that RFC 3279 section 2.3.1 requires. */
export function rsaAlgorithmFault(element: DerElement | undefined): RsaEncodingFault | undefined {
  const elements = readDerSequence(element);
  const algorithm = readDerObjectIdentifier(elements?.[0]);
  if (elements === undefined || algorithm === undefined) return 'malformed';
  if (algorithm === objectIdentifiers.rsassaPss) return 'pss_only';
  if (algorithm !== objectIdentifiers.rsaEncryption) return 'not_rsa';
  const parameters = elements[1];
  const isNull = parameters?.tag === derTag.null && parameters.content.length === 0;
  return elements.length === 2 && isNull ? undefined : 'malformed';
}

/** Writes rsaEncryption's AlgorithmIdentifier. */
export function writeRsaAlgorithm(): Uint8Array<ArrayBuffer> {
  return writeDerSequence(writeDerObjectIdentifier(objectIdentifiers.rsaEncryption), writeDerNull());
}

/** Writes a key's DER SubjectPublicKeyInfo, the one form in which keys are stored and fingerprinted. */
export function writeSubjectPublicKeyInfo(numbers: RsaNumbers): Uint8Array<ArrayBuffer> {
  const rsaPublicKey = writeDerSequence(writeDerInteger(numbers.modulus), writeDerInteger(numbers.exponent));
  return writeDerSequence(writeRsaAlgorithm(), writeDerBitString(rsaPublicKey));
}

/** Writes a SubjectPublicKeyInfo as PEM (RFC 7468 section 13): lines of 64 characters, a newline at the end. */
export function writePublicKeyPem(spkiDer: Uint8Array): string {
  const lines = encodeBase64(spkiDer).match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PUBLIC KEY-----', ...lines, '-----END PUBLIC KEY-----', ''].join('\n');
}
