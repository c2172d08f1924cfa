import { hashBlocks, rotated } from '@countersign/signature/hashes';

/** MD5 (RFC 1321), only to recognize signers that use it by mistake. */
export function md5(message: Uint8Array): Uint8Array {
  return hashBlocks(message, [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476], takeBlock, true);
}

const turns = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
] as const;
/** RFC 1321 section 3.4: derived from the sines of 1 to 64. */
const constants = Int32Array.from(
  { length: 64 },
  (_, index) => Math.floor(Math.abs(Math.sin(index + 1)) * 2 ** 32) | 0,
);

function takeBlock(state: Int32Array, message: DataView, offset: number): void {
  let [a, b, c, d] = [state[0]!, state[1]!, state[2]!, state[3]!];
  for (let index = 0; index < 64; index++) {
    const round = index >> 4;
    const [value, word] = mixed(round, index, b, c, d);
    const sum = (a + value + constants[index]! + message.getInt32(offset + word * 4, true)) | 0;
    [a, d, c, b] = [d, c, b, (b + rotated(sum, turns[round]![index & 3]!)) | 0];
  }
  [a, b, c, d].forEach((word, index) => (state[index] = state[index]! + word));
}

/** Returns a round's function value and the index of the block's word it uses. */
function mixed(round: number, index: number, b: number, c: number, d: number): readonly [number, number] {
  if (round === 0) return [(b & c) | (~b & d), index];
  if (round === 1) return [(d & b) | (~d & c), (5 * index + 1) & 15];
  if (round === 2) return [b ^ c ^ d, (3 * index + 5) & 15];
  return [c ^ (b | ~d), (7 * index) & 15];
}
