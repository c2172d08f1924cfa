import type { ClientRequest, OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { http } from '@countersign/gate/node-http';

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

/** Waits for work until a signal aborts. Resolving a name may not listen to it, so nothing waits for that. */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new Error('aborted'));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
