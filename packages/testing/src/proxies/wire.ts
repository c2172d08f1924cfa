import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** A request, byte for byte. */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Written as it is: with a chunked coding, the chunks. */
  readonly body?: Uint8Array | string | undefined;
}

/** A response as received. */
export interface WireAnswer {
  /** NaN if it is not a response. */
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** `ok` with status 200; else the problem's code, or `status` and the number. */
  readonly verdict: string;
}

export interface WireOptions {
  readonly isTls?: boolean;
  /** The address of this machine that sends. */
  readonly localAddress?: string;
  /** Leaves out `Connection: close`, when the request has a Connection header of its own. */
  readonly keepsConnection?: boolean;
}

/** Sends a request and reads its response. */
export async function exchange(
  port: number,
  request: WireRequest,
  options: WireOptions = {},
): Promise<WireAnswer> {
  const own = options.keepsConnection ? [] : [['Connection', 'close']];
  const lines = [...request.headers, ...own].map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${request.method} ${request.target} HTTP/1.1\r\n${lines.join('')}\r\n`;
  const body = typeof request.body === 'string' ? Buffer.from(request.body, 'latin1') : request.body;
  const received = await sendBytes(
    port,
    Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)]),
    request.method,
    options,
  );
  return readAnswer(received);
}

/** Sends bytes and returns the received bytes until the response is complete or the connection ends. */
function sendBytes(
  port: number,
  bytes: Uint8Array,
  method: string,
  { isTls, localAddress = '127.0.0.2' }: WireOptions,
): Promise<string> {
  const place = { port, host: '127.0.0.1', localAddress };
  return new Promise((resolve) => {
    let received = '';
    const socket: Socket = isTls ? connectTls({ ...place, rejectUnauthorized: false }) : connect(place);
    const end = (): void => {
      socket.destroy();
      resolve(received);
    };
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      received += text;
      if (isComplete(received, method)) end();
    });
    socket.on('end', end).on('error', end).on('close', end);
    socket.write(bytes);
  });
}

/** Sends bytes that may be no request, and waits until the connection ends or is quiet. */
export function sendUntilQuiet(
  port: number,
  bytes: Uint8Array,
  { isTls, localAddress = '127.0.0.2' }: WireOptions,
): Promise<void> {
  const place = { port, host: '127.0.0.1', localAddress };
  return new Promise((resolve) => {
    const socket: Socket = isTls ? connectTls({ ...place, rejectUnauthorized: false }) : connect(place);
    const end = (): void => {
      socket.destroy();
      resolve();
    };
    socket.on('data', () => undefined);
    socket.on('end', end).on('error', end).on('close', end);
    socket.setTimeout(500, end);
    socket.write(bytes);
  });
}

function isComplete(received: string, method: string): boolean {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const head = received.slice(0, end);
  if (/^HTTP\/1\.1 1\d\d/.test(head)) return isComplete(received.slice(end + 4), method);
  if (method === 'HEAD' || /^HTTP\/1\.1 (?:204|304)/.test(head)) return true;
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length !== undefined) return received.length >= end + 4 + Number(length);
  return /\r\ntransfer-encoding: chunked/i.test(head) && received.endsWith('\r\n0\r\n\r\n');
}

/** Reads a whole response, after interim ones. */
export function readAnswer(received: string): WireAnswer {
  const end = received.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = received.slice(0, Math.max(0, end)).split('\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1]);
  if (status >= 100 && status < 200) return readAnswer(received.slice(end + 4));
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const body = received.slice(end + 4);
  const isChunked = headers['transfer-encoding'] === 'chunked';
  const text = Buffer.from(isChunked ? unchunked(body) : body, 'latin1').toString('utf8');
  const challenge = /error="([a-z_]+)"/.exec(headers['www-authenticate'] ?? '')?.[1];
  const code = challenge ?? /"code":"([a-z_]+)"/.exec(text)?.[1] ?? `status ${status}`;
  return { status, headers, text, verdict: status === 200 ? 'ok' : code };
}

function unchunked(text: string): string {
  let result = '';
  for (let rest = text; ;) {
    const lineEnd = rest.indexOf('\r\n');
    const length = Number.parseInt(rest.slice(0, lineEnd), 16);
    if (!(length > 0)) return result;
    result += rest.slice(lineEnd + 2, lineEnd + 2 + length);
    rest = rest.slice(lineEnd + 4 + length);
  }
}
