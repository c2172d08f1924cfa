import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { listenOn } from '@countersign/testing/listen-on';
import type { Certificate } from '../directories/certificates.ts';

/** A real syslog receiver on this machine. */
export interface SyslogReceiver {
  /** `host:port`; `localhost` is what its certificate is for. */
  readonly host: string;
  /** The messages that it read, without their lengths. */
  readonly messages: string[];
  connections: number;
  /** Called with each new connection, before anything is read; false to leave it unread. */
  accept: (socket: Socket) => boolean;
  close(): Promise<void>;
}

/** Opens a receiver, with TLS if it gets a certificate. */
export async function openSyslogReceiver(certificate?: Certificate): Promise<SyslogReceiver> {
  const sockets = new Set<Socket>();
  const take = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    receiver.connections += 1;
    if (receiver.accept(socket)) readFrames(socket, receiver.messages);
  };
  const server: Server =
    certificate === undefined ? createTcpServer(take) : createTlsServer(certificate, take);
  const { port } = new URL(await listenOn(server as unknown as Parameters<typeof listenOn>[0]));
  const receiver: SyslogReceiver = {
    host: `${certificate === undefined ? '127.0.0.1' : 'localhost'}:${port}`,
    messages: [],
    connections: 0,
    accept: () => true,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return receiver;
}

/** Reads messages by octet counting (RFC 5425 section 4.3). */
function readFrames(socket: Socket, messages: string[]): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const [, length] = /^([1-9][0-9]*) /.exec(rest.toString('latin1', 0, 12)) ?? [];
      if (length === undefined) return;
      const start = length.length + 1;
      const end = start + Number(length);
      if (rest.length < end) return;
      messages.push(rest.toString('utf8', start, end));
      rest = rest.subarray(end);
    }
  });
}
