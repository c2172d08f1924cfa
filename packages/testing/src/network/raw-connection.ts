import { connect } from 'node:net';

/** One response as it appears on the wire. Header names are in lower case. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** All of it as it came, one code point up to U+00FF for each byte. */
  readonly whole: string;
  /** The body as JSON; fails when it is not JSON. */
  json(): Record<string, unknown>;
}

/** A TCP connection on which a test says every byte itself. */
export interface RawConnection {
  /** The port on this side, which identifies the connection on the other. */
  readonly localPort: number;
  /** Sends bytes; a text has one code point up to U+00FF for each. */
  write(bytes: string | Uint8Array): void;
  /** Sends bytes and waits until the system has taken them all. Rejects when the other side stops it. */
  send(bytes: string): Promise<void>;
  /** Announces that nothing more is sent, and continues reading. */
  halfClose(): void;
  /** Resolves with the next complete response, including interim ones. Rejects if the connection ends before it. */
  answer(): Promise<RawAnswer>;
  /** Resolves when the other side has closed the connection, with everything that it sent since the last response. */
  ended(): Promise<string>;
  /** Stops reading: what the other side sends stays in the buffers of the system. */
  pause(): void;
  resume(): void;
  /** Ends the connection at once, as a crash does. */
  cut(): void;
}

/** Connects to a port of this machine, from an address of this machine. */
export async function openConnection(port: number, localAddress = '127.0.0.1'): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
  const state = { isOver: false, sending: 0 };
  let received = '';
  let wake = (): void => undefined;
  const over = (): void => {
    state.isOver = true;
    // The other side may go on reading when it writes no more.
    if (state.sending === 0) socket.destroy();
    wake();
  };
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    received += text;
    wake();
  });
  // Being cut off is an outcome like any other here: what had been received by then counts.
  socket.on('error', over).on('end', over).on('close', over);
  const news = (): Promise<void> => new Promise((resolve) => (wake = resolve));
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return {
    localPort: socket.localPort!,
    write(bytes) {
      if (!socket.destroyed) socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    },
    send: (bytes) =>
      new Promise((resolve, reject) => {
        state.sending += 1;
        socket.write(Buffer.from(bytes, 'latin1'), (error) => {
          state.sending -= 1;
          if (state.isOver) over();
          if (error) reject(error);
          else resolve();
        });
      }),
    halfClose: () => void socket.end(),
    async answer() {
      for (;;) {
        const reading = readAnswer(received);
        if (reading) {
          received = received.slice(reading.length);
          return reading.answer;
        }
        if (state.isOver)
          throw new Error(`The connection ended before an answer; received ${JSON.stringify(received)}`);
        await news();
      }
    },
    async ended() {
      while (!state.isOver) await news();
      return received;
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    cut: () => void socket.resetAndDestroy(),
  };
}

/** The text of a request; the body is its latin1 text. */
export function requestText(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

function readAnswer(text: string): { answer: RawAnswer; length: number } | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine, ...lines] = text.slice(0, headEnd).split('\r\n') as [string, ...string[]];
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const bodyStart = headEnd + 4;
  const length = bodyStart + Number(headers['content-length'] ?? 0);
  if (text.length < length) return undefined;
  const body = Buffer.from(text.slice(bodyStart, length), 'latin1').toString('utf8');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  const json = (): Record<string, unknown> => JSON.parse(body) as Record<string, unknown>;
  return { length, answer: { status, headers, text: body, whole: text.slice(0, length), json } };
}
