import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A request exactly as received. */
export interface Wire {
  method: string;
  /** In origin form, even if the client used a proxy's absolute form. */
  target: string;
  host: string;
  /** Raw lines. A folded line keeps its line ends. One code point up to U+00FF per octet. */
  headers: [string, string][];
  body: Buffer;
}

/**
 * A server that responds with 200 to everything and records it. An HTTP parser would correct or reject some
 * of it.
 */
export interface Recorder {
  readonly port: number;
  /** Returns the requests since the last call, in order. */
  take(): Wire[];
  close(): Promise<void>;
}

/** Starts a recorder on the loopback interface, on any free port unless one is given. */
export async function startRecorder(port = 0): Promise<Recorder> {
  let received: Wire[] = [];
  const server = createServer((socket) => record(socket, (wire) => received.push(wire)));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    take: () => {
      const taken = received;
      received = [];
      return taken;
    },
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

function record(socket: Socket, keep: (wire: Wire) => void): void {
  let bytes: Buffer = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) return;
    const wire = readHead(bytes.subarray(0, end).toString('latin1'));
    const body = readBody(wire, bytes.subarray(end + 4));
    if (!body) return;
    wire.body = body;
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    socket.removeAllListeners('data');
    keep(wire);
  });
}

/** Undefined until the body is complete. */
function readBody({ headers }: Wire, bytes: Buffer): Buffer | undefined {
  const values = (wanted: string): string[] =>
    headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
  if (values('transfer-encoding').some((value) => /chunked/i.test(value))) return readChunks(bytes);
  const length = Number(values('content-length')[0] ?? 0);
  return bytes.length < length ? undefined : bytes;
}

function readChunks(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (size === 0) return bytes.indexOf('\r\n', end + 2) < 0 ? undefined : Buffer.concat(chunks);
    if (!(size > 0) || bytes.length < end + 2 + size + 2) return undefined;
    chunks.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

/** Headers of the connection or of the proxy that the recorder stands for; omitted. */
const connectionHeaders = ['connection', 'proxy-connection', 'http2-settings', 'upgrade'];

function readHead(head: string): Wire {
  const [first = '', ...lines] = head.split(/\r\n(?![ \t])/);
  // A target with a space, which no server accepts, is kept whole.
  const [, method = '', target = ''] = /^(\S*) (.*?)(?: HTTP\/[\d.]+)?$/.exec(first) ?? [];
  const headers = lines
    .map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '')];
    })
    .filter(([name]) => !connectionHeaders.includes(name.toLowerCase()));
  const host = headers.find(([name]) => name.toLowerCase() === 'host')?.[1] ?? '';
  return { method, target: target.replace(/^http:\/\/[^/]*/, ''), host, headers, body: Buffer.alloc(0) };
}
