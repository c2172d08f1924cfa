import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Returns a port for a listener that must know its number in advance, such as a service whose base URL is
 * set. No connection gets it meanwhile, because it is below the range that systems use for connections, and
 * no other test on this machine does, because this process holds a claim on it until it ends.
 *
 * @param count ports in a row; the first one is returned
 */
export async function freePort(count = 1): Promise<number> {
  for (;;) {
    const first = randomInt(20_000, 32_000 - count);
    const ports = Array.from({ length: count }, (_, index) => first + index);
    if ((await claim(ports)) && (await areFree(ports))) return first;
  }
}

/**
 * Claims are UDP sockets, which nothing else opens on these numbers: the system gives each number to only one
 * process at a time, and takes it back when the process ends, for whatever reason.
 */
async function claim(ports: readonly number[]): Promise<boolean> {
  const sockets: Socket[] = [];
  for (const port of ports) {
    const socket = await claimOf(port - distanceOfClaims);
    if (socket === undefined) {
      for (const one of sockets) one.close();
      return false;
    }
    sockets.push(socket);
  }
  return true;
}

const distanceOfClaims = 12_000;

async function claimOf(number: number): Promise<Socket | undefined> {
  const socket = createSocket('udp4').unref();
  // Never shared with the other processes of a cluster.
  socket.bind({ port: number, address: '127.0.0.1', exclusive: true });
  try {
    await once(socket, 'listening');
    return socket;
  } catch {
    socket.close();
    return undefined;
  }
}

async function areFree(ports: readonly number[]): Promise<boolean> {
  for (const port of ports) {
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      return false;
    }
    server.close();
    await once(server, 'close');
  }
  return true;
}
