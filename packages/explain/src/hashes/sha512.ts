import { firstPrimes, fractionOfRoot, paddedMessage } from '@countersign/signature/hashes';

/** SHA-512 (FIPS 180-4 section 6.4). */
export function sha512(message: Uint8Array): Uint8Array {
  return digestOf(message, initial512);
}

/** SHA-384 (FIPS 180-4 section 6.5). */
export function sha384(message: Uint8Array): Uint8Array {
  return digestOf(message, initial384).subarray(0, 48);
}

const wordMask = 0xffff_ffff_ffff_ffffn;
const primes = firstPrimes(80);
const initial512 = primes.slice(0, 8).map((prime) => wordOf(fractionOfRoot(prime, 2)));
const initial384 = primes.slice(8, 16).map((prime) => wordOf(fractionOfRoot(prime, 2)));
const constants = primes.map((prime) => wordOf(fractionOfRoot(prime, 3)));

function wordOf([high, low]: readonly [number, number]): bigint {
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}

/** Uses big integers: these two hash few texts, so readability matters more than speed. */
function digestOf(message: Uint8Array, initial: readonly bigint[]): Uint8Array {
  const padded = paddedMessage(message, 128);
  let state = initial;
  for (let offset = 0; offset < padded.byteLength; offset += 128) state = afterBlock(state, padded, offset);
  const digest = new DataView(new ArrayBuffer(64));
  state.forEach((word, index) => digest.setBigUint64(index * 8, word));
  return new Uint8Array(digest.buffer);
}

function afterBlock(state: readonly bigint[], message: DataView, offset: number): bigint[] {
  const words = Array.from({ length: 16 }, (_, index) => message.getBigUint64(offset + index * 8));
  for (let index = 16; index < 80; index++) {
    const [x, y] = [words[index - 15]!, words[index - 2]!];
    const s0 = rotated(x, 1n) ^ rotated(x, 8n) ^ (x >> 7n);
    const s1 = rotated(y, 19n) ^ rotated(y, 61n) ^ (y >> 6n);
    words.push((words[index - 16]! + s0 + words[index - 7]! + s1) & wordMask);
  }
  let [a, b, c, d, e, f, g, h] = state as [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint];
  for (let index = 0; index < 80; index++) {
    const s1 = rotated(e, 14n) ^ rotated(e, 18n) ^ rotated(e, 41n);
    const t1 = h + s1 + ((e & f) ^ (~e & wordMask & g)) + constants[index]! + words[index]!;
    const s0 = rotated(a, 28n) ^ rotated(a, 34n) ^ rotated(a, 39n);
    const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) & wordMask, c, b, a, (t1 + t2) & wordMask];
  }
  return [a, b, c, d, e, f, g, h].map((word, index) => (word + state[index]!) & wordMask);
}

function rotated(word: bigint, by: bigint): bigint {
  return ((word >> by) | (word << (64n - by))) & wordMask;
}
