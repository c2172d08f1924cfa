/**
 * Reads keys: their text forms, their encodings, and their numbers. For programs that register or inspect keys.
 *
 * @module
 */
export { type AffinePoint, decodeCurvePoint, p256, p384, type PrimeCurve } from './ec/prime-curve.ts';
export {
  add as addEdwardsPoints,
  decodePoint,
  type EdwardsPoint,
  isSame,
  neutral as neutralEdwardsPoint,
  order as edwardsOrder,
  subtract,
} from './ed25519/edwards-point.ts';
export { readEncodedPublicKey } from './key-encodings.ts';
export { type KeyText, readKeyText } from './key-text.ts';
export {
  type OfferedKeyPolicy,
  type OfferedKeyReading,
  type OfferedPublicKey,
  readOfferedKey,
  readOfferedKeyInTurns,
} from './offered-key.ts';
export { algorithmOfEncodedKey } from './key-kinds.ts';
export { algorithmOfPem } from './registered-algorithm.ts';
export { readSubjectPublicKeyInfo } from './rsa/public-encoding.ts';
export { hexadecimal, unsignedFrom } from './unsigned.ts';
