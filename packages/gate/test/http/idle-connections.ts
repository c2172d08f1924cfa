import { connect, type Socket } from 'node:net';

/** Connections that send nothing unless told to. */
export interface IdleConnections {
  readonly sockets: readonly Socket[];
  /** How many of them the other side has not ended. */
  readonly openCount: number;
  /** Resolves when no more than this many are open. */
  fallTo(openCount: number): Promise<void>;
  close(): void;
}

/** Opens connections to a port of this machine, from addresses of this machine in turn. Resolves when all are connected. */
export async function openIdle(
  port: number,
  count: number,
  localAddresses: readonly string[] = ['127.0.0.1'],
): Promise<IdleConnections> {
  const sockets: Socket[] = [];
  for (let begun = 0; begun < count;) {
    // Fewer than the queue of a listener takes.
    const batch = Math.min(100, count - begun);
    const connecting = Array.from({ length: batch }, (_, index) =>
      connected(port, localAddresses[(begun + index) % localAddresses.length]!),
    );
    sockets.push(...(await Promise.all(connecting)));
    begun += batch;
  }
  const openCount = (): number => sockets.filter((socket) => !socket.destroyed).length;
  let changed = (): void => undefined;
  for (const socket of sockets) socket.once('close', () => changed());
  return {
    sockets,
    async fallTo(most) {
      while (openCount() > most) await new Promise<void>((resolve) => (changed = resolve));
    },
    get openCount() {
      return openCount();
    },
    close: () => sockets.forEach((socket) => socket.destroy()),
  };
}

function connected(port: number, localAddress: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () => resolve(socket));
    // The test waits for connections to be ended; a refused connection is not one.
    socket.on('error', reject);
    // Without a reader the end is not noticed.
    socket.resume();
  });
}
