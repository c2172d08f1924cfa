import type { IncomingMessage, ServerResponse } from 'node:http';

/** The result of reading a body: its bytes, too large, or aborted because the peer went away. */
export type BodyReading =
  | { readonly outcome: 'complete'; readonly bytes: Uint8Array }
  | { readonly outcome: 'too-large' }
  | { readonly outcome: 'aborted' };

const noBytes = new Uint8Array(0);

/** Reads a body's bytes as sent, up to the limit. Never rejects. */
export function readBody(request: IncomingMessage, bodyBytesMax: number): Promise<BodyReading> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const done = (reading: BodyReading): void => {
      request.off('data', onData);
      request.off('end', onEnd);
      request.off('close', onAborted);
      request.off('error', onAborted);
      resolve(reading);
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > bodyBytesMax) return done({ outcome: 'too-large' });
      chunks.push(chunk);
    };
    const onEnd = (): void => done({ outcome: 'complete', bytes: joined(chunks) });
    const onAborted = (): void => done({ outcome: 'aborted' });
    // A destroyed request emits no more events.
    if (request.destroyed) return resolve({ outcome: 'aborted' });
    request.on('data', onData);
    request.on('end', onEnd);
    request.on('close', onAborted);
    request.on('error', onAborted);
  });
}

/**
 * Sends an answer and ends it once the request's body has arrived as well. Closing the connection earlier could lose
 * the answer for a caller that is still sending (RFC 9112 section 9.6). The body is discarded. The connection is cut if
 * the body exceeds the limit, or when the request times out.
 */
export function endAfterBody(response: ServerResponse, answer: Uint8Array, bodyBytesMax: number): void {
  const request = response.req;
  if (request.complete || request.destroyed) {
    response.end(answer);
    return;
  }
  if (request.method === 'HEAD') response.flushHeaders();
  else response.write(answer);
  let length = 0;
  const end = (): void => void response.end();
  request.on('error', () => undefined);
  request.on('end', end);
  request.on('close', end);
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > bodyBytesMax) request.socket.destroy();
  });
}

function joined(chunks: readonly Buffer[]): Uint8Array {
  if (chunks.length === 0) return noBytes;
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}
