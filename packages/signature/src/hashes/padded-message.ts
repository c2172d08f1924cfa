/**
 * Pads a message (FIPS 180-4 section 5.1): a one bit, zeros, and the length in bits. MD5 puts the length's low byte
 * first (RFC 1321 section 3.1).
 */
export function paddedMessage(message: Uint8Array, blockBytes: 64 | 128, isLittleEndian = false): DataView {
  const lengthBytes = blockBytes / 8;
  const blocks = Math.ceil((message.length + 1 + lengthBytes) / blockBytes);
  const padded = new Uint8Array(blocks * blockBytes);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  const [high, low] = [Math.floor(message.length / 2 ** 29), (message.length << 3) >>> 0];
  view.setUint32(padded.length - 4, isLittleEndian ? high : low, isLittleEndian);
  view.setUint32(padded.length - 8, isLittleEndian ? low : high, isLittleEndian);
  return view;
}

/** Hashes a message with a function of 32-bit words, block by block. */
export function hashBlocks(
  message: Uint8Array,
  initial: readonly number[],
  takeBlock: (state: Int32Array, message: DataView, offset: number) => void,
  isLittleEndian = false,
): Uint8Array {
  const padded = paddedMessage(message, 64, isLittleEndian);
  const state = Int32Array.from(initial);
  for (let offset = 0; offset < padded.byteLength; offset += 64) takeBlock(state, padded, offset);
  const digest = new DataView(new ArrayBuffer(initial.length * 4));
  state.forEach((word, index) => digest.setInt32(index * 4, word, isLittleEndian));
  return new Uint8Array(digest.buffer);
}

/** Rotates a 32-bit word to the left. */
export function rotated(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}
