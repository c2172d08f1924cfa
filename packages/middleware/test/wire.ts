import { openConnection } from '@countersign/testing/raw-connection';

/** A response as received, after which the server closed the connection. */
export interface WireAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The problem's code, also of an answer to HEAD; `ok` with status 200. */
  readonly verdict: string;
}

/** A request, byte for byte. */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Written as it is: with a chunked coding, the chunks. */
  readonly body?: Uint8Array | string | undefined;
}

/** Sends a request and reads until the server ends the connection. */
export async function exchange(port: number, request: WireRequest): Promise<WireAnswer> {
  const connection = await openConnection(port);
  const headers = [...request.headers, ['Connection', 'close']];
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  connection.write(`${request.method} ${request.target} HTTP/1.1\r\n${lines.join('')}\r\n`);
  if (request.body !== undefined) connection.write(Buffer.from(request.body));
  const received = await connection.ended();
  connection.cut();
  return parse(received);
}

function parse(received: string): WireAnswer {
  const end = received.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = received.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const isChunked = headers['transfer-encoding'] === 'chunked';
  const body = received.slice(end + 4);
  const text = Buffer.from(isChunked ? unchunked(body) : body, 'latin1').toString('utf8');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1]);
  const code =
    /error="([a-z_]+)"/.exec(headers['www-authenticate'] ?? '')?.[1] ?? /"code":"([a-z_]+)"/.exec(text)?.[1];
  return { status, headers, text, verdict: status === 200 ? 'ok' : (code ?? `status ${status}`) };
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
