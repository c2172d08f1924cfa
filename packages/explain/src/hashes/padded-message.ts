/**
 * A message with its padding (FIPS 180-4 section 5.1): one bit, zeros, and the length in bits at the end. MD5 has the length
 * with its low byte first (RFC 1321 section 3.1).
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
