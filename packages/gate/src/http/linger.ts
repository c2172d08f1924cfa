import type { Socket } from 'node:net';

/** Bounds on what is read from a connection after its last answer. */
export interface LingerLimits {
  readonly lingerBytesMax: number;
  /** The connection ends when nothing has come for so long. */
  readonly lingerQuietMs: number;
  readonly lingerTimeoutMs: number;
}

/**
 * Ends a connection so that its last answer arrives. A peer that is still sending would lose an answer that it has not read
 * yet if the connection were closed with unread bytes. So only the writing side is closed at first, and what comes is read
 * and thrown away until the peer closes or a limit is reached (RFC 9112 section 9.6).
 */
export function linger(
  socket: Socket,
  { lingerBytesMax, lingerQuietMs, lingerTimeoutMs }: LingerLimits,
): void {
  if (socket.destroyed) return;
  const cut = (): void => void socket.destroy();
  const bytesReadMax = socket.bytesRead + lingerBytesMax;
  // The parser gets nothing any more.
  socket.removeAllListeners('data');
  socket.on('data', () => {
    if (socket.bytesRead > bytesReadMax) cut();
  });
  socket.on('error', cut).once('end', cut);
  socket.setTimeout(lingerQuietMs, cut);
  const deadline = setTimeout(cut, lingerTimeoutMs);
  socket.once('close', () => clearTimeout(deadline));
  socket.end();
  socket.resume();
}
