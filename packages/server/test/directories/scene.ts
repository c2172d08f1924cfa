import { once } from 'node:events';
import { generateKeyPairSync } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { NetworkMeans } from '../../src/directories/connection.ts';
import { makeCertificates } from './certificates.ts';

/** An address that could be a directory's; connections to it reach the scene's server. */
export const publicAddress = '93.184.216.34';

/** Answers one request. The head is the text up to the empty line. */
export type Answering = (socket: Socket, head: string) => void;

/** A server for directories, a server that must never be reached, and the network between. */
export interface Scene {
  /** What the server answers with. */
  answer: Answering;
  /** Addresses by name; a function is asked each time. Every other name has the server's address. */
  readonly names: Map<string, readonly string[] | (() => readonly string[] | Promise<readonly string[]>)>;
  /** Where connections were opened to, as `address:port`. */
  readonly targets: string[];
  /** The names that were resolved. */
  readonly resolved: string[];
  /** Requests that the server read. */
  readonly requests: string[];
  readonly means: NetworkMeans;
  /** A URL by which the server can be reached without the scene's network. */
  readonly realOrigin: string;
  /** How many connections reached the server that none may reach. */
  readonly internalConnections: () => number;
  /** Serves with a certificate that nobody trusts, from the next connection on. */
  useCertificate(whose: 'server' | 'stranger'): void;
  /** Forgets what was counted, and answers with an empty set again. */
  reset(): void;
  close(): Promise<void>;
}

export async function openScene(): Promise<Scene> {
  const {
    authority,
    server: own,
    stranger,
  } = makeCertificates(['DNS:agent.example', 'DNS:*.agents.example', 'DNS:localhost', 'IP:127.0.0.1']);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const server = createTlsServer({ ...own, ALPNProtocols: ['http/1.1'] }, (socket) => {
    keep(socket);
    let head = '';
    socket.on('data', (chunk: Buffer) => {
      head += chunk.toString('latin1');
      if (!head.endsWith('\r\n\r\n')) return;
      scene.requests.push(head);
      scene.answer(socket, head);
    });
  });
  server.on('connection', keep).on('tlsClientError', () => undefined);
  let internalConnections = 0;
  const internal = createServer((socket) => {
    internalConnections += 1;
    keep(socket);
    socket.end();
  });
  const [serverPort, internalPort] = [await listen(server), await listen(internal)];
  const means: NetworkMeans = {
    resolve: async (hostname) => {
      scene.resolved.push(hostname);
      const found = scene.names.get(hostname) ?? [publicAddress];
      return typeof found === 'function' ? found() : found;
    },
    openSocket: ({ address, port }) => {
      scene.targets.push(`${address}:${port}`);
      return connect(address === publicAddress ? serverPort : internalPort, '127.0.0.1');
    },
    certificateAuthorities: [authority],
  };
  const scene: Scene = {
    answer: serve({ keys: [] }),
    names: new Map(),
    targets: [],
    resolved: [],
    requests: [],
    means,
    realOrigin: `https://127.0.0.1:${serverPort}`,
    internalConnections: () => internalConnections,
    useCertificate: (whose) => server.setSecureContext(whose === 'server' ? own : stranger),
    reset() {
      scene.answer = serve({ keys: [] });
      scene.names.clear();
      for (const list of [scene.targets, scene.resolved, scene.requests]) list.length = 0;
      internalConnections = 0;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all([closed(server), closed(internal)]);
    },
  };
  return scene;
}

/** Answers with a document as a directory. */
export function serve(document: unknown, headers: Readonly<Record<string, string>> = {}): Answering {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  return serveBytes(Buffer.from(text), headers);
}

/** Answers with a body. */
export function serveBytes(
  body: Buffer,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): Answering {
  const lines = Object.entries({
    'Content-Type': 'application/http-message-signatures-directory+json',
    'Content-Length': String(body.length),
    ...headers,
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return (socket) => {
    socket.write(`HTTP/1.1 ${status} It\r\n${head}\r\n`);
    socket.end(body);
  };
}

/** Answers with bytes as they are. */
export function send(text: string): Answering {
  return (socket) => void socket.end(Buffer.from(text, 'latin1'));
}

/** A JWK, parsed. */
export type Jwk = Readonly<Record<string, unknown>>;

/** A new public key as JWK. */
export function newJwk(members: object = {}): Jwk {
  const { publicKey } = generateKeyPairSync('ed25519');
  return { ...publicKey.export({ format: 'jwk' }), ...members };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function closed(server: Server): Promise<void> {
  const ended = once(server, 'close');
  server.close();
  await ended;
}
