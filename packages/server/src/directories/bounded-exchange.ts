import type { ClientRequest, OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { http } from '@countersign/gate/node-http';
import { connectChecked, type NetworkMeans } from './connection.ts';
import type { DirectoryUrl } from './directory-url.ts';

/** One request over a connection of its own. */
export interface BoundedRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: OutgoingHttpHeaders;
  readonly headBytesMax: number;
  /** All that may arrive: interim responses, head, and the framing of chunks too. */
  readonly wireBytesMax: number;
  /** Called when more arrives. */
  readonly onTooMany: () => void;
}

/** Prepares a request to a server that may be hostile: no content coding, one request for one connection. */
export function askOnce(
  socket: Socket,
  { method, url, headers, headBytesMax, wireBytesMax, onTooMany }: BoundedRequest,
): ClientRequest {
  const asked = http.request({
    createConnection: () => socket,
    method,
    path: `${url.pathname}${url.search}`,
    setHost: false,
    headers: {
      Host: url.host,
      ...headers,
      'Accept-Encoding': 'identity',
      'User-Agent': 'Countersign',
      Connection: 'close',
    },
    maxHeaderSize: headBytesMax,
  });
  asked.on('error', () => undefined);
  asked.on('socket', () => countBytes(socket, wireBytesMax, onTooMany));
  return asked;
}

/** Counts what arrives below the HTTP parser, so that nothing escapes: neither interim responses nor the framing of chunks. */
function countBytes(socket: Socket, bytesMax: number, onTooMany: () => void): void {
  let bytes = 0;
  socket.on('data', (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes > bytesMax) onTooMany();
  });
}

/**
 * Opens a checked connection for one exchange, and closes it afterwards, or as soon as the signal aborts. Rejects then, whatever
 * the other side does.
 *
 * @throws DirectoryFault if it cannot be opened
 */
export function overConnection<Result>(
  target: DirectoryUrl,
  means: NetworkMeans,
  signal: AbortSignal,
  exchange: (socket: Socket) => Promise<Result>,
): Promise<Result> {
  const work = async (): Promise<Result> => {
    const socket = await connectChecked(target, means, signal);
    const stop = (): void => void socket.destroy();
    signal.addEventListener('abort', stop, { once: true });
    try {
      signal.throwIfAborted();
      return await exchange(socket);
    } finally {
      signal.removeEventListener('abort', stop);
      socket.destroy();
    }
  };
  return untilAborted(work(), signal);
}

/** Waits for work until a signal aborts. Resolving a name may not listen to it, so nothing waits for that. */
function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new Error('aborted'));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
