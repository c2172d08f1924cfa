import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A hop between clients and a service that loses responses: the service acts on a request, and its caller
 * never learns of it.
 */
export interface LosingHop {
  readonly port: number;
  /** The number of next responses to lose. */
  losses: number;
  close(): Promise<void>;
}

/** Opens a hop to a port of this machine. It forwards bytes; one request at a time is on a connection. */
export async function openLosingHop(
  servicePort: number,
  { host = '127.0.0.1', port = 0 }: { readonly host?: string; readonly port?: number } = {},
): Promise<LosingHop> {
  const sockets = new Set<Socket>();
  const server = createServer((caller) => {
    const service = connect(servicePort, '127.0.0.1');
    const end = (): void => {
      caller.destroy();
      service.destroy();
    };
    for (const socket of [caller, service]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    caller.pipe(service);
    service.on('data', (answer) => {
      if (hop.losses === 0) {
        caller.write(answer);
        return;
      }
      hop.losses -= 1;
      end();
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  const hop: LosingHop = {
    port: (server.address() as AddressInfo).port,
    losses: 0,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return hop;
}
