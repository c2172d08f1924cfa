import { hashBlocks } from './padded-message.ts';
import { firstPrimes, fractionOfRoot } from './prime-roots.ts';

/** SHA-256 (FIPS 180-4 section 6.2). */
export function sha256(message: Uint8Array): Uint8Array {
  return hashBlocks(message, initial, takeBlock);
}

/** SHA-224 (FIPS 180-4 section 6.3): the same with other initial values, and cut. */
export function sha224(message: Uint8Array): Uint8Array {
  return hashBlocks(message, initialOf224, takeBlock).subarray(0, 28);
}

/** The lower halves of the initial values of SHA-384. */
const initialOf224 = firstPrimes(16)
  .slice(8)
  .map((prime) => fractionOfRoot(prime, 2)[1]);
const initial = firstPrimes(8).map((prime) => fractionOfRoot(prime, 2)[0]);
const constants = Int32Array.from(firstPrimes(64), (prime) => fractionOfRoot(prime, 3)[0]);
const words = new Int32Array(64);

function takeBlock(state: Int32Array, message: DataView, offset: number): void {
  for (let index = 0; index < 16; index++) words[index] = message.getInt32(offset + index * 4);
  for (let index = 16; index < 64; index++) {
    const [x, y] = [words[index - 15]!, words[index - 2]!];
    const s0 = rotated(x, 7) ^ rotated(x, 18) ^ (x >>> 3);
    const s1 = rotated(y, 17) ^ rotated(y, 19) ^ (y >>> 10);
    words[index] = words[index - 16]! + s0 + words[index - 7]! + s1;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let index = 0; index < 64; index++) {
    const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + constants[index]! + words[index]!) | 0;
    const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}

function rotated(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}
