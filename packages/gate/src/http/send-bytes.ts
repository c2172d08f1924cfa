import type { ServerResponse } from 'node:http';
import { nextLoopTurn } from './loop-turns.ts';

/** Up to this length, a copy costs less than a second buffer in the write to the socket. */
const joinedBytesMax = 8192;

/**
 * Ends a response with the last bytes of its body. If they are few, they are written as Latin-1 text, which node:http joins
 * with the head: one string is written in half the time of two buffers.
 */
export function endWith(response: ServerResponse, bytes: Uint8Array): void {
  if (bytes.length === 0) response.end();
  else if (bytes.length > joinedBytesMax) response.end(bytes);
  else response.end(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'), 'latin1');
}

/** The system copies this much in less than a tenth of a millisecond. */
const pieceBytes = 65_536;

/**
 * Ends a response with all bytes of its body. A long body is written piece by piece, as fast as the caller reads it:
 * written at once, the system would copy megabytes in one turn of the event loop, for which all other requests wait.
 */
export function sendBytes(response: ServerResponse, bytes: Uint8Array): void {
  if (bytes.length <= pieceBytes || response.req.method === 'HEAD') endWith(response, bytes);
  else void sendInPieces(response, bytes);
}

async function sendInPieces(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  const { socket } = response.req;
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  let start = 0;
  const endNow = (): void => void response.end(bytes.subarray(start));
  // Node closes its side when a caller has closed its own, and would drop what is not written by then.
  socket.prependOnceListener('end', endNow);
  response.once('close', () => socket.off('end', endNow));
  while (start + pieceBytes < bytes.length) {
    const piece = bytes.subarray(start, start + pieceBytes);
    start += pieceBytes;
    if (!response.write(piece)) await Promise.race([drained(response), closed]);
    if (isOver(response)) return;
    await nextLoopTurn('responses');
    if (isOver(response)) return;
  }
  endNow();
}

/** The connection may be gone, and others end a response too: for a caller that closed its side or sent nonsense. */
function isOver({ destroyed, writableEnded }: ServerResponse): boolean {
  return destroyed || writableEnded;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once('drain', resolve));
}
