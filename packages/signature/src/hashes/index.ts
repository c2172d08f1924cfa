/**
 * SHA-256 for runtimes that only offer it asynchronously, and the parts from which other hash functions can be made. Not
 * constant-time: for texts that are no secrets.
 *
 * @module
 */
export { hashBlocks, paddedMessage, rotated } from './padded-message.ts';
export { firstPrimes, fractionOfRoot } from './prime-roots.ts';
export { sha224, sha256 } from './sha256.ts';
