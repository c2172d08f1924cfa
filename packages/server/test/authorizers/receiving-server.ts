import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { closeServer, listenOn } from '../gateway/protected-api.ts';

/** A request as an API received it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly target: string;
  readonly body: string;
}

/** An API that accepts everything. */
export interface ReceivingServer {
  readonly address: string;
  /** Returns what has been received since the last call. */
  take(): readonly ReceivedRequest[];
  close(): Promise<void>;
}

/** Starts an API that accepts everything and answers nothing but 200. */
export async function receivingServer(): Promise<ReceivingServer> {
  let received: ReceivedRequest[] = [];
  const server: Server = createServer({ maxHeaderSize: 65_536 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    void once(request, 'end').then(() => {
      const { method = '', url: target = '' } = request;
      received.push({ method, target, body: Buffer.concat(chunks).toString('base64') });
      response.end();
    });
  });
  const address = await listenOn(server);
  return {
    address,
    take() {
      const taken = received;
      received = [];
      return taken;
    },
    close: () => closeServer(server),
  };
}
