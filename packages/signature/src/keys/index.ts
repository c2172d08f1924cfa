/**
 * Reads keys: their text forms, their encodings, and their numbers. For programs that register or inspect keys.
 *
 * @module
 */
export {
  decodePoint,
  type EdwardsPoint,
  isSame,
  Multiplier,
  order as edwardsOrder,
  subtract,
  times,
} from './ed25519/edwards-point.ts';
export { type KeyText, readKeyText } from './key-text.ts';
export { algorithmOfEncodedKey } from './key-kinds.ts';
export { algorithmOfPem } from './registered-algorithm.ts';
export { readSubjectPublicKeyInfo } from './rsa/public-encoding.ts';
export { hexadecimal, unsignedFrom } from './unsigned.ts';
