import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { closeServer, listenOn } from '@countersign/testing/listen-on';

/** A request that a receiver read. */
export interface Received {
  readonly kind: string;
  readonly eventId: string;
  readonly data: Readonly<Record<string, unknown>>;
}

type Behavior = (response: ServerResponse, count: number, receivers: Receivers) => void;

const answer =
  (status: number, headers: Readonly<Record<string, string>> = {}): Behavior =>
  (response) =>
    void response.writeHead(status, headers).end();

const good = answer(204);

/** What a receiver answers that is no answer, or is one for too long. */
const lies: readonly Behavior[] = [
  (response) => void response.socket?.end('220 mail.example.test ESMTP\r\n'),
  (response) => void response.socket?.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort'),
  (response) => void response.socket?.destroy(),
  (response) => {
    for (let count = 0; count < 50; count += 1) response.writeProcessing();
    response.writeHead(500).end(Buffer.alloc(1_000_000, 'x'));
  },
  (response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('x'), 20);
    response.once('close', () => clearInterval(drip));
  },
];

/** The kinds of receivers, each with a webhook of its own, and their shares of the events. */
export const kinds = {
  good: { share: 0.58, behavior: good },
  ordered: {
    share: 0.2,
    behavior: (...args) => (args[1] % 25 === 0 ? answer(500) : good)(...args),
  },
  flaky: {
    share: 0.1,
    behavior: (...args) => (args[1] % 3 === 0 ? answer(500) : args[1] % 7 === 0 ? lies[2]! : good)(...args),
  },
  limited: {
    share: 0.04,
    behavior: (...args) => (args[1] % 40 === 5 ? answer(429, { 'Retry-After': '1' }) : good)(...args),
  },
  slow: {
    share: 0.003,
    behavior: (response, _, { slowMs }) => void setTimeout(() => response.writeHead(204).end(), slowMs),
  },
  // Each of its attempts takes as long as one may, one at a time: with more, some would wait when all others are done.
  silent: { share: 0.0003, behavior: () => undefined },
  dead: { share: 0.01, behavior: good },
  redirecting: {
    share: 0.01,
    behavior: (response, _, { internalPort }) =>
      void response.writeHead(307, { Location: `http://127.0.0.1:${internalPort}/` }).end(),
  },
  lying: { share: 0.01, behavior: (...args) => lies[args[1] % lies.length]!(...args) },
  gone: { share: 0.01, behavior: answer(410) },
  changing: { share: 0.01, behavior: good },
  internal: { share: 0.01, behavior: good },
  api: { share: 0, behavior: good },
} as const satisfies Readonly<Record<string, { readonly share: number; readonly behavior: Behavior }>>;

export type Kind = keyof typeof kinds;
export const kindNames: readonly Kind[] = Object.keys(kinds) as Kind[];

/** Receivers on this machine, and an internal server that nothing may reach but what the operator trusts. */
export class Receivers {
  readonly slowMs: number;
  origin = '';
  internalPort = 0;
  /** How many connections the internal server had, and how many of them were for the webhook that the operator trusts. */
  readonly internal = { connections: 0, trusted: 0 };
  /** Called for each request, before it is answered; with false it is never answered. */
  onReceived: (received: Received) => boolean = () => true;
  readonly #counts = new Map<string, number>();
  readonly #server = createServer((request, response) => void this.#receive(request, response));
  readonly #internalServer = createServer((request, response) => void this.#receive(request, response));

  constructor(slowMs: number) {
    this.slowMs = slowMs;
  }

  async open(): Promise<void> {
    this.origin = await listenOn(this.#server);
    this.#internalServer.on('connection', () => (this.internal.connections += 1));
    this.internalPort = Number(new URL(await listenOn(this.#internalServer)).port);
  }

  /** Connects to the internal server as a wrong service would. */
  async provoke(): Promise<void> {
    const socket = connect(this.internalPort, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.destroy();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#internalServer.closeAllConnections();
    await Promise.all([closeServer(this.#server), closeServer(this.#internalServer)]);
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const kind = (request.url ?? '').slice(1);
    let body = '';
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) body += chunk.toString('utf8');
    } catch {
      // The node was killed in the middle of it.
      return;
    }
    if (request.socket.localPort === this.internalPort && kind === 'internal') this.internal.trusted += 1;
    const { id, data } = JSON.parse(body) as { id: string; data: Record<string, unknown> };
    response.on('error', () => undefined);
    if (!this.onReceived({ kind, eventId: id, data })) return;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const known = kinds[kind as Kind] as { readonly behavior: Behavior } | undefined;
    (known?.behavior ?? good)(response, count, this);
  }
}
