import type { Socket } from 'node:net';

/** Bounds on what is read from a connection after its last response. */
export interface LingerLimits {
  readonly lingerBytesMax: number;
  /** The connection ends when nothing has arrived for this long. */
  readonly lingerQuietMs: number;
  readonly lingerTimeoutMs: number;
}

export const profileLingerLimits: LingerLimits = {
  lingerBytesMax: 128 * 1024 * 1024,
  lingerQuietMs: 5000,
  lingerTimeoutMs: 30_000,
};

/** Makes a node:http connection linger after its last response, within the limits that were set first. */
export function lingerAtEnd(socket: Socket, limits: LingerLimits = profileLingerLimits): void {
  // node:http calls this method once the last response is written.
  if (!Object.hasOwn(socket, 'destroySoon')) socket.destroySoon = () => linger(socket, limits);
}

/**
 * Closes a connection so that its last response arrives. Closing a connection with unread bytes makes a peer
 * that is still sending lose the response. So this closes only the writing side first, then reads and
 * discards input until the peer closes or a limit is reached (RFC 9112 section 9.6).
 */
function linger(socket: Socket, { lingerBytesMax, lingerQuietMs, lingerTimeoutMs }: LingerLimits): void {
  if (socket.destroyed) return;
  const cut = (): void => void socket.destroy();
  const bytesReadMax = socket.bytesRead + lingerBytesMax;
  // From here on the parser receives nothing.
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
