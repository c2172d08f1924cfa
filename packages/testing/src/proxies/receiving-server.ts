import { createServer, type Server } from 'node:http';
import { closeServer, idleForLong, listenOn } from '../network/listen-on.ts';

/** A request as an API received it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly target: string;
  readonly body: string;
}

/** An API that accepts everything. */
export interface ReceivingServer {
  readonly address: string;
  /** Returns the requests received since the last call. */
  take(): readonly ReceivedRequest[];
  close(): Promise<void>;
}

/** Starts an API that accepts everything and only ever responds with 200. */
export async function receivingServer(): Promise<ReceivingServer> {
  let received: ReceivedRequest[] = [];
  const server: Server = createServer({ ...idleForLong, maxHeaderSize: 65_536 }, (request, response) => {
    const { method = '', url: target = '' } = request;
    const chunks: Buffer[] = [];
    received.push({
      method,
      target,
      get body() {
        return Buffer.concat(chunks).toString('base64');
      },
    });
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => response.end());
    // A proxy may give up in the middle of a body.
    request.on('error', () => response.destroy());
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
