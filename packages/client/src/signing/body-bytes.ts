import { SigningError } from '@countersign/signature';

/** A body as bytes, and the `Content-Type` that its type implies. */
export interface BufferedBody {
  /** Undefined if there is no body. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
  readonly contentType: string | undefined;
}

const none: BufferedBody = { bytes: undefined, contentType: undefined };

/**
 * Buffers a body of any type that HTTP clients accept: text, bytes, `Blob`, `FormData`, `URLSearchParams`,
 * web streams, Node streams and other async iterables. Bytes are copied, so that they cannot change between
 * signing and sending.
 *
 * @throws SigningError `body_too_large`, or `request_invalid` for anything else
 */
export async function bufferBody(body: unknown, bytesMax: number): Promise<BufferedBody> {
  if (body === undefined || body === null) return none;
  if (typeof body === 'string') {
    const bytes = new TextEncoder().encode(body);
    if (bytes.length > bytesMax) throw tooLarge(bytesMax);
    return { bytes, contentType: 'text/plain;charset=UTF-8' };
  }
  const view = bytesOf(body);
  if (view) {
    if (view.length > bytesMax) throw tooLarge(bytesMax);
    return { bytes: new Uint8Array(view), contentType: undefined };
  }
  // Not `instanceof`: test runners and frames have their own classes. The platform knows how to encode these.
  if (/^(Blob|File|FormData|URLSearchParams)$/.test(kindOf(body))) {
    const { headers, body: stream } = new Response(body as Blob | FormData | URLSearchParams);
    const bytes = stream ? await collect(chunksOf(stream), bytesMax) : new Uint8Array();
    return { bytes, contentType: headers.get('Content-Type') ?? undefined };
  }
  if (isWebStream(body)) return { bytes: await collect(chunksOf(body), bytesMax), contentType: undefined };
  if (isAsyncIterable(body)) return { bytes: await collect(body, bytesMax), contentType: undefined };
  if (isIterable(body)) return { bytes: await collect(fromIterable(body), bytesMax), contentType: undefined };
  throw new SigningError(
    'request_invalid',
    `A body of this kind (${kindOf(body)}) cannot be signed: give text, bytes, a Blob, FormData, URLSearchParams or a stream.`,
  );
}

function bytesOf(value: object): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return /^(Shared)?ArrayBuffer$/.test(kindOf(value)) ? new Uint8Array(value as ArrayBuffer) : undefined;
}

async function collect(source: AsyncIterable<unknown>, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source) {
    const bytes =
      typeof chunk === 'string' ? new TextEncoder().encode(chunk) : bytesOf(Object(chunk) as object);
    if (!bytes) throw new SigningError('request_invalid', 'The stream of a body must give bytes or text.');
    length += bytes.length;
    // Leaving the loop ends the stream.
    if (length > bytesMax) throw tooLarge(bytesMax);
    chunks.push(bytes);
  }
  const all = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    all.set(chunk, offset);
    offset += chunk.length;
  }
  return all;
}

/** Some browsers cannot iterate over their streams. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  let isDone = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        isDone = true;
        return;
      }
      yield value;
    }
  } finally {
    // Not awaited: a cloned stream, such as ky's, waits for both copies.
    if (!isDone) void reader.cancel().catch(() => undefined);
  }
}

async function* fromIterable(source: Iterable<unknown>): AsyncGenerator {
  yield* source;
}

function isWebStream(value: object): value is ReadableStream<Uint8Array> {
  return 'getReader' in value && typeof value.getReader === 'function';
}

function isAsyncIterable(value: object): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in value;
}

function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

function tooLarge(bytesMax: number): SigningError {
  return new SigningError(
    'body_too_large',
    `The body has more than ${bytesMax} bytes. It is buffered for its digest: send less at a time, or raise bodyBytesMax.`,
  );
}
