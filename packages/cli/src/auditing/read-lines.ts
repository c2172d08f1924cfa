/** No line of a stream is longer: a record and its link. */
const lineBytesMax = 67_108_864;

/** Cuts bytes into lines of text, without their ends, however large the whole is. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<string, void, undefined> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    let rest = Buffer.from(chunk as Uint8Array);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield Buffer.concat([...parts, rest.subarray(0, end)]).toString('utf8');
      parts = [];
      bytes = 0;
      rest = rest.subarray(end + 1);
    }
    bytes += rest.length;
    if (bytes > lineBytesMax) throw new RangeError('a line is too long');
    if (rest.length > 0) parts.push(rest);
  }
  if (bytes > 0) yield Buffer.concat(parts).toString('utf8');
}
