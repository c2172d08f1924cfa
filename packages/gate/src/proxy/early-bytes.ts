import type { Socket } from 'node:net';

/**
 * Resolves once the process has read what its connections held when this was called. A connection on which something came
 * unasked is closed by then, so that it is not taken for the answer to the next request.
 */
export function everythingRead(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // Immediates run after the event loop has looked for input. The first may come from a look that was over already.
  setImmediate(() => setImmediate(resolve));
  return promise;
}

/**
 * Waits a moment on a new connection, and reports if the other side speaks first: what it says is no answer. HTTP/2 begins
 * with a preface of both sides.
 */
export async function speaksFirst(socket: Socket & { readonly alpnProtocol?: unknown }): Promise<boolean> {
  if (socket.alpnProtocol === 'h2') return false;
  for (let look = 0; look < looks && socket.readableLength === 0 && !socket.destroyed; look++)
    await everythingRead();
  return socket.readableLength > 0;
}

/** A server on the same machine takes a few turns of the event loop to accept and to write. */
const looks = 2;
