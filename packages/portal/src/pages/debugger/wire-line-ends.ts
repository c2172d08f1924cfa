/**
 * The bytes of a text that was typed or pasted. A field of a page turns CRLF into LF, also in a body; where the body of an
 * HTTP request lacks exactly one byte for each of its line ends, they were CRLF on the wire.
 */
export function withLineEndsOfWire(text: string): Uint8Array<ArrayBuffer> {
  const headEnd = text.indexOf('\n\n');
  const encoder = new TextEncoder();
  if (headEnd < 0 || text.includes('\r')) return encoder.encode(text);
  const body = text.slice(headEnd + 2);
  const [, announced] = /^content-length:[ \t]*(\d{1,9})[ \t]*$/im.exec(text.slice(0, headEnd)) ?? [];
  const lineEnds = body.split('\n').length - 1;
  const missing = Number(announced ?? 0) - encoder.encode(body).length;
  const isOfWire = announced !== undefined && lineEnds > 0 && missing === lineEnds;
  return encoder.encode(isOfWire ? text.slice(0, headEnd + 2) + body.replaceAll('\n', '\r\n') : text);
}
