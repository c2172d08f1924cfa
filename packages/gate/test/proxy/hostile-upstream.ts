import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A request as it came over the wire: exactly one, with one `Content-Length` or none. */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  /** Lines of the head behind the first one, as they came. */
  readonly lines: readonly string[];
  readonly body: string;
  /** Which connection carried it, counted from 0. */
  readonly connection: number;
  /** The values of a header. */
  values(lowerCaseName: string): readonly string[];
}

/** A server's behaviour on a connection. Anything that it omits does not happen. */
export interface Behaviour {
  readonly connected?: (socket: Socket) => void;
  /** Called as soon as a head is complete, before its body. */
  readonly head?: (socket: Socket) => void;
  /** Called for each complete request. */
  readonly answer?: (socket: Socket, request: WireRequest) => void;
  /** Leaves the body of requests in the buffers of the system. */
  readonly readsNoBody?: true;
}

/**
 * A raw TCP server that writes every byte itself, counts connections and requests, and keeps what it
 * received. It reads requests more strictly than any real server does: bytes that are not a request with
 * exact framing are strays.
 */
export interface HostileUpstream {
  /** `http://127.0.0.1:port` */
  readonly address: string;
  readonly requests: readonly WireRequest[];
  /** Received bytes that were not a request. */
  readonly strays: readonly string[];
  readonly connectionCount: number;
  readonly openCount: number;
  behave(behaviour: Behaviour): void;
  /** Resets the counts. */
  forget(): void;
  /** Resolves when no connection is open. */
  allClosed(): Promise<void>;
  /** Resolves with the number of requests once that many have come. */
  arrived(count: number): Promise<void>;
  /** Ends all connections, and waits until the gateway has done so too. */
  endAll(): Promise<void>;
}

/** Starts a server that behaves well unless told otherwise. It is closed when the test ends. */
export async function openHostileUpstream(t: Pick<TestContext, 'after'>): Promise<HostileUpstream> {
  const open = new Set<Socket>();
  const waiting = new Set<() => void>();
  const news = (): void => {
    for (const look of waiting) look();
  };
  const until = (isTrue: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!isTrue()) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  const allClosed = (): Promise<void> => until(() => open.size === 0);
  let behaviour: Behaviour = honest;
  let requests: WireRequest[] = [];
  let strays: string[] = [];
  let connectionCount = 0;

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    const connection = connectionCount++;
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open.delete(socket);
      if (reader.rest !== '') strays.push(reader.rest);
      news();
    });
    const reader = createReader(connection, {
      head: () => {
        if (behaviour.readsNoBody) socket.pause();
        behaviour.head?.(socket);
      },
      request: (request) => {
        requests.push(request);
        news();
        behaviour.answer?.(socket, request);
      },
    });
    socket.on('data', (chunk: Buffer) => reader.take(chunk.toString('latin1')));
    // The gateway has closed its side: it expects nothing any more.
    socket.on('end', () => socket.destroy());
    behaviour.connected?.(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of open) socket.destroy();
    await closed;
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests;
    },
    get strays() {
      return strays;
    },
    get connectionCount() {
      return connectionCount;
    },
    get openCount() {
      return open.size;
    },
    behave(next) {
      behaviour = next;
    },
    forget() {
      requests = [];
      strays = [];
      connectionCount = 0;
    },
    allClosed,
    arrived: (count) => until(() => requests.length >= count),
    endAll() {
      for (const socket of open) socket.resume().end();
      return allClosed();
    },
  };
}

/** Responds to each request with its method and target, and keeps the connection. */
export const honest: Behaviour = {
  answer: (socket, { method, target }) => {
    const body = `${method} ${target}`;
    const head = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`;
    socket.write(head + (method === 'HEAD' ? '' : body), 'latin1');
  },
};

interface Reader {
  /** Received bytes that are not a complete request. */
  readonly rest: string;
  take(text: string): void;
}

function createReader(
  connection: number,
  on: { readonly head: () => void; readonly request: (request: WireRequest) => void },
): Reader {
  let received = '';
  let hasHead = false;
  return {
    get rest() {
      return received;
    },
    take(text) {
      received += text;
      for (;;) {
        const headEnd = received.indexOf('\r\n\r\n');
        if (headEnd < 0) return;
        const [first = '', ...lines] = received.slice(0, headEnd).split('\r\n');
        const [, method, target] = /^([A-Z]+) (\S+) HTTP\/1\.1$/.exec(first) ?? [];
        const lengths = valuesIn(lines, 'content-length');
        const isExact = lengths.length <= 1 && lengths.every((length) => /^\d+$/.test(length));
        // The rest could only be guessed at: it stays where it is, and is a stray.
        if (method === undefined || target === undefined || !isExact) return;
        if (!hasHead) {
          hasHead = true;
          on.head();
        }
        const bodyStart = headEnd + 4;
        const end = bodyStart + Number(lengths[0] ?? 0);
        if (received.length < end) return;
        const body = received.slice(bodyStart, end);
        received = received.slice(end);
        hasHead = false;
        on.request({
          method,
          target,
          lines,
          body,
          connection,
          values: (name) => valuesIn(lines, name),
        });
      }
    },
  };
}

function valuesIn(lines: readonly string[], lowerCaseName: string): string[] {
  return lines
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)] as const)
    .filter(([name]) => name.toLowerCase() === lowerCaseName)
    .map(([, value]) => value.trim());
}
