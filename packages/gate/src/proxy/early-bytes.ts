import type { Socket } from 'node:net';

/**
 * Resolves once the process has read all input that was waiting on its connections at the time of the call. A
 * connection that received unsolicited bytes is closed by then, so that they are not taken for the response
 * to the next request.
 */
export function everythingRead(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // Immediates run after the event loop has polled for input. The first may belong to a poll that was already over.
  setImmediate(() => setImmediate(resolve));
  return promise;
}

/**
 * Waits a moment on a new connection, and reports whether the other side speaks first: those bytes are not a
 * response. In HTTP/2, both sides begin with a preface.
 */
export async function speaksFirst(socket: Socket & { readonly alpnProtocol?: unknown }): Promise<boolean> {
  if (socket.alpnProtocol === 'h2') return false;
  for (let look = 0; look < looks && socket.readableLength === 0 && !socket.destroyed; look++)
    await everythingRead();
  return socket.readableLength > 0;
}

/** A server on the same machine needs a few turns of the event loop to accept and to write. */
const looks = 2;
