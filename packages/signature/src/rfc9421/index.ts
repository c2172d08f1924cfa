/**
 * The parts of RFC 9421 that are independent of the profile: structured fields, components, the signature base,
 * algorithms.
 *
 * @module
 */
export {
  algorithmNamed,
  type AlgorithmName,
  algorithms,
  alternatives,
  type KeyKind,
  type SignatureAlgorithm,
} from './algorithms.ts';
export {
  algorithmsOfKind,
  algorithmsToChoose,
  isKeyAlgorithm,
  type KeyAlgorithm,
  keyAlgorithmNames,
  keyAlgorithms,
  type KeyAlgorithmFacts,
  publicKeyAlgorithmNamed,
} from './key-algorithms.ts';
export { decodeBase64, encodeBase64 } from './base64.ts';
export { formatContentDigest, isContentDigest } from './content-digest.ts';
export { formatHttpDate, readHttpDate } from './http-date.ts';
export { type Component, component, signatureBase, type SignedMessage } from './signature-base.ts';
export * from './structured-fields.ts';
