/** More than this is not looked at: a few kilobytes can stand for gigabytes. */
const inflatedBytesMax = 4 * 1024 * 1024;

/**
 * What decompresses one body, at once: browsers do so only asynchronously, so it is done before it is asked for.
 *
 * @param body of the request that is explained; for all others the answer is undefined
 */
export async function inflaterFor(
  body: Uint8Array | undefined,
): Promise<(bytes: Uint8Array, format: 'gzip' | 'deflate') => Uint8Array | undefined> {
  const isGzip = body?.[0] === 0x1f && body[1] === 0x8b;
  const isZlib = body !== undefined && !isGzip && body.length > 2 && ((body[0] ?? 0) & 0x0f) === 8;
  const format = isGzip ? 'gzip' : isZlib ? 'deflate' : undefined;
  const plain = body && format && (await inflated(body, format));
  return (bytes, asked) => (bytes === body && asked === format ? plain : undefined);
}

async function inflated(bytes: Uint8Array, format: 'gzip' | 'deflate'): Promise<Uint8Array | undefined> {
  const stream = new Blob([Uint8Array.from(bytes)]).stream().pipeThrough(new DecompressionStream(format));
  const reader = stream.getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      pieces.push(value);
      length += value.length;
      if (length > inflatedBytesMax) {
        void reader.cancel();
        return undefined;
      }
    }
  } catch {
    return undefined;
  }
  const whole = new Uint8Array(length);
  let position = 0;
  for (const piece of pieces) {
    whole.set(piece, position);
    position += piece.length;
  }
  return whole;
}
