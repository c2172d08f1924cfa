import type { IncomingMessage, ServerResponse } from 'node:http';

/** How reading a body ended: with its bytes, because it was too large, or because the peer went away. */
export type BodyReading =
  | { readonly outcome: 'complete'; readonly bytes: Uint8Array }
  | { readonly outcome: 'too-large' }
  | { readonly outcome: 'aborted' };

const noBytes = new Uint8Array(0);

/** Reads the bytes of a body as they were sent, no more than the limit. Never rejects. */
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
    // A request that is gone already says so no more.
    if (request.destroyed) return resolve({ outcome: 'aborted' });
    request.on('data', onData);
    request.on('end', onEnd);
    request.on('close', onAborted);
    request.on('error', onAborted);
  });
}

/**
 * Sends an answer, and ends it when the request's body has come too. Ending the connection earlier would take the
 * answer away from a caller that is still sending (RFC 9112 section 9.6). The body passes by unread; the connection is
 * cut when more comes than any body may have, and when the time for the request is over.
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
