import { createServer, type IncomingHttpHeaders } from 'node:http';
import { closeServer, listenOn } from '../network/listen-on.ts';

/** A request as a double of a key store receives it. */
export interface DoubleRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface DoubleAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a text as it is. */
  readonly body?: unknown;
}

/** A server with the protocol of a key store. */
export interface HttpDouble {
  readonly address: string;
  readonly received: DoubleRequest[];
  /** Responds instead of the protocol, for the next requests. `hang` never responds; `cut` closes the connection. */
  readonly next: (DoubleAnswer | 'hang' | 'cut')[];
  readonly close: () => Promise<void>;
}

/** Listens on a free port of this machine, and responds like a key store's protocol. */
export async function openHttpDouble(answer: (request: DoubleRequest) => DoubleAnswer): Promise<HttpDouble> {
  const received: DoubleRequest[] = [];
  const next: HttpDouble['next'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { method = '', url = '', headers } = request;
      const sent = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
      const call = { method, target: url, headers, body: sent };
      received.push(call);
      const chosen = next.shift() ?? answer(call);
      if (chosen === 'hang') return;
      if (chosen === 'cut') {
        request.socket.destroy();
        return;
      }
      const body = typeof chosen.body === 'string' ? chosen.body : JSON.stringify(chosen.body ?? '');
      response.writeHead(chosen.status, { 'Content-Type': 'application/json', ...chosen.headers });
      response.end(chosen.body === undefined ? '' : body);
    });
  });
  return { address: await listenOn(server), received, next, close: () => closeServer(server) };
}
