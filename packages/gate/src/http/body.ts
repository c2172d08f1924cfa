import type { IncomingMessage } from 'node:http';
import { valuesOf } from './framing.ts';
import { SmallChunks } from './small-chunks.ts';
import type { ReceivedBody, Spool, SpoolWriter } from './spool.ts';

/** The result of reading a body: all of it, too large, no space for it, or aborted because the peer disconnected. */
export type BodyReading =
  | { readonly outcome: 'complete'; readonly body: ReceivedBody }
  | { readonly outcome: 'too-large' }
  | { readonly outcome: 'no-space'; readonly reason: string }
  | { readonly outcome: 'aborted' };

/** The place for bodies that are too large for memory. */
export interface Spooling {
  readonly spool: Spool;
  /** The largest body that stays in memory. */
  readonly memoryBytesMax: number;
}

const noBytes = new Uint8Array(0);
const tooLarge: BodyReading = { outcome: 'too-large' };

/** Reads a body's bytes as sent, up to the limit. Never rejects. */
export async function readBody(
  request: IncomingMessage,
  bodyBytesMax: number,
  spooling?: Spooling,
): Promise<BodyReading> {
  const memoryBytesMax = Math.min(bodyBytesMax, spooling?.memoryBytesMax ?? bodyBytesMax);
  const chunks: Buffer[] = [];
  const first = await readUntil(request, memoryBytesMax, chunks);
  if (first === 'complete') return { outcome: 'complete', body: joined(chunks) };
  if (first === 'aborted') return { outcome: 'aborted' };
  const reading =
    spooling === undefined || memoryBytesMax === bodyBytesMax
      ? tooLarge
      : await spoolBody(request, chunks, bodyBytesMax, spooling.spool);
  // The rest has yet to be read from the connection.
  if (reading.outcome !== 'complete') request.resume();
  return reading;
}

/** Collects bytes until the body is complete or there are more than the limit. Then it pauses the request. */
function readUntil(
  request: IncomingMessage,
  bytesMax: number,
  chunks: Buffer[],
): Promise<'complete' | 'more' | 'aborted'> {
  return new Promise((resolve) => {
    let length = 0;
    const smallChunks = new SmallChunks(request, chunks);
    const done = (outcome: 'complete' | 'more' | 'aborted'): void => {
      request.off('data', onData);
      request.off('end', onEnd);
      request.off('close', onAborted);
      request.off('error', onAborted);
      smallChunks.end();
      resolve(outcome);
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      smallChunks.add(chunk);
      if (length <= bytesMax) return;
      request.pause();
      done('more');
    };
    const onEnd = (): void => done('complete');
    const onAborted = (): void => done('aborted');
    // A destroyed request emits no more events.
    if (request.destroyed) return resolve('aborted');
    request.on('data', onData);
    request.on('end', onEnd);
    request.on('close', onAborted);
    request.on('error', onAborted);
  });
}

/** Writes a body to disk, no faster than the disk accepts it. */
async function spoolBody(
  request: IncomingMessage,
  begun: readonly Buffer[],
  bodyBytesMax: number,
  spool: Spool,
): Promise<BodyReading> {
  let writer: SpoolWriter | undefined;
  let length = 0;
  try {
    writer = await spool.begin();
    for (const chunk of begun) {
      length += chunk.length;
      await writer.write(chunk);
    }
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      length += (chunk as Buffer).length;
      if (length > bodyBytesMax) {
        writer.remove();
        return tooLarge;
      }
      await writer.write(chunk as Buffer);
    }
    return { outcome: 'complete', body: writer.finish() };
  } catch (error) {
    writer?.remove();
    if (request.destroyed) return { outcome: 'aborted' };
    return { outcome: 'no-space', reason: (error as Error).message };
  }
}

/**
 * Returns true if the rest of a rejected request's body is short enough to read, so that the connection can
 * be reused. After a longer body the connection closes (RFC 9112 section 9.3).
 */
export function isRestShort({ complete, rawHeaders }: IncomingMessage): boolean {
  if (complete) return true;
  if (valuesOf(rawHeaders, 'transfer-encoding').length > 0) return false;
  return Number(valuesOf(rawHeaders, 'content-length')[0] ?? 0) <= shortBodyBytesMax;
}

const shortBodyBytesMax = 65_536;

/** Joins chunks that nobody else has, and frees them, so that a body takes its length in memory and not twice that. */
function joined(chunks: readonly Buffer[]): Uint8Array {
  if (chunks.length === 0) return noBytes;
  if (chunks.length === 1) return chunks[0]!;
  const whole = Buffer.concat(chunks);
  for (const { buffer, byteLength } of chunks) {
    // A short one may be part of a buffer that others use too.
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
  }
  return whole;
}
