import type { Socket } from 'node:net';

/** Bounds on what is read from a connection after its last answer. */
export interface LingerLimits {
  readonly lingerBytesMax: number;
  /** The connection ends when nothing has come for so long. */
  readonly lingerQuietMs: number;
  readonly lingerTimeoutMs: number;
}

export const profileLingerLimits: LingerLimits = {
  lingerBytesMax: 128 * 1024 * 1024,
  lingerQuietMs: 5000,
  lingerTimeoutMs: 30_000,
};

/**
 * Has a connection of node:http end by lingering after its last answer, within the limits that were set first.
 */
export function lingerAtEnd(socket: Socket, limits: LingerLimits = profileLingerLimits): void {
  // node:http calls this method when the last answer is written.
  if (!Object.hasOwn(socket, 'destroySoon')) socket.destroySoon = () => linger(socket, limits);
}

/**
 * Ends a connection so that its last answer arrives. A peer that is still sending would lose an answer that it has not read
 * yet if the connection were closed with unread bytes. So only the writing side is closed at first, and what comes is read
 * and thrown away until the peer closes or a limit is reached (RFC 9112 section 9.6).
 */
function linger(socket: Socket, { lingerBytesMax, lingerQuietMs, lingerTimeoutMs }: LingerLimits): void {
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
