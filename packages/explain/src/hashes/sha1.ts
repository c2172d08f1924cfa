import { hashBlocks, rotated } from '@countersign/signature/hashes';

/** SHA-1 (FIPS 180-4 section 6.1), only to recognize signers that use it by mistake. */
export function sha1(message: Uint8Array): Uint8Array {
  return hashBlocks(message, [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0], takeBlock);
}

const words = new Int32Array(80);

function takeBlock(state: Int32Array, message: DataView, offset: number): void {
  for (let index = 0; index < 16; index++) words[index] = message.getInt32(offset + index * 4);
  for (let index = 16; index < 80; index++)
    words[index] = rotated(
      words[index - 3]! ^ words[index - 8]! ^ words[index - 14]! ^ words[index - 16]!,
      1,
    );
  let [a, b, c, d, e] = [state[0]!, state[1]!, state[2]!, state[3]!, state[4]!];
  for (let index = 0; index < 80; index++) {
    const next = (rotated(a, 5) + mixed(index, b, c, d) + e + words[index]!) | 0;
    [e, d, c, b, a] = [d, c, rotated(b, 30), a, next];
  }
  [a, b, c, d, e].forEach((word, index) => (state[index] = state[index]! + word));
}

/** Returns a round's function value plus its constant. */
function mixed(index: number, b: number, c: number, d: number): number {
  if (index < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (index < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (index < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}
