import type { ServerResponse } from 'node:http';
import { nextLoopTurn } from './loop-turns.ts';

/** The system copies about this much in a tenth of a millisecond. */
const pieceBytes = 131_072;

/**
 * Ends a response with all bytes of its body. A long body is written piece by piece, as fast as the caller reads it:
 * written at once, the system would copy megabytes in one turn of the event loop, for which all other requests wait.
 */
export function sendBytes(response: ServerResponse, bytes: Uint8Array): void {
  if (bytes.length <= pieceBytes || response.req.method === 'HEAD') response.end(bytes);
  else void sendInPieces(response, bytes);
}

async function sendInPieces(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  let start = 0;
  for (; start + pieceBytes < bytes.length; start += pieceBytes) {
    const isWritten = response.write(bytes.subarray(start, start + pieceBytes));
    if (!isWritten) await Promise.race([drained(response), closed]);
    if (response.destroyed) return;
    await nextLoopTurn('responses');
  }
  response.end(bytes.subarray(start));
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once('drain', resolve));
}
