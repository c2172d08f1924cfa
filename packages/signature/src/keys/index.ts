/**
 * Reads keys: their text forms, their encodings, and their numbers. For programs that register or inspect keys.
 *
 * @module
 */
export { d as edwardsConstant, p as edwardsPrime } from './ed25519/curve-point.ts';
export { readEncodedPublicKey } from './key-encodings.ts';
export { type KeyText, readKeyText } from './key-text.ts';
export { algorithmOfPublicKey } from './key-kinds.ts';
export { readSubjectPublicKeyInfo } from './rsa/public-encoding.ts';
export { hexadecimal, unsignedFrom } from './unsigned.ts';
