import type { IncomingMessage } from 'node:http';

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
    request.on('data', onData);
    request.on('end', onEnd);
    request.on('close', onAborted);
    request.on('error', onAborted);
  });
}

/**
 * Lets the rest of a refused body pass by unread, so that a caller that is still sending gets to read its answer, and
 * ends the connection when more comes than any body may have.
 */
export function discardBody(request: IncomingMessage, bodyBytesMax: number): void {
  if (request.readableEnded || request.destroyed) return;
  let length = 0;
  request.on('error', () => undefined);
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > bodyBytesMax) request.socket.destroy();
  });
}

function joined(chunks: readonly Buffer[]): Uint8Array {
  if (chunks.length === 0) return noBytes;
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}
