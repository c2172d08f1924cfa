import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Options of a server that outlasts a stall of the machine. With Node's own, a stall of six seconds ends the connection on
 * which the gateway is sending the next request.
 */
export const idleForLong = { keepAliveTimeout: 60_000 } as const;

/** Listens on a free port of this machine, and returns the address. */
export async function listenOn(server: Pick<Server, 'listen' | 'address' | 'once'>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server as Server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Ends a server and its connections. */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
