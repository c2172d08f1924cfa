import { request } from 'node:http';

/** A request as it is sent. */
export interface Call {
  readonly method: string;
  /** The target, in origin-form. */
  readonly path: string;
  /** Names and values. Framing is added. */
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined;
  readonly body?: Buffer | undefined;
}

/** A response as received. */
export interface Answer {
  readonly status: number;
  readonly reason: string;
  /** Names and values, as received. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** The values of a header, joined by commas; empty if there are none. */
  header(name: string): string;
}

/** Sends a request on its own connection, and resolves with the whole response. */
export function exchange(
  address: string,
  { method, path, headers = [], body = noBytes }: Call,
): Promise<Answer> {
  const { hostname, port } = new URL(address);
  // Without a length node:http sends empty chunks with other methods, and some servers reject even that as a body.
  const isFramed = body.length > 0 || !/^(?:GET|HEAD|DELETE|OPTIONS)$/.test(method);
  const framing = isFramed ? [['Content-Length', String(body.length)] as const] : [];
  return new Promise((resolve, reject) => {
    const outgoing = request({
      hostname,
      port,
      method,
      path,
      agent: false,
      setHost: false,
      headers: [...headers, ...framing].flat(),
    });
    outgoing.on('response', (incoming) => {
      const { rawHeaders } = incoming;
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          reason: incoming.statusMessage ?? '',
          headers: pairsOf(rawHeaders),
          body: Buffer.concat(chunks),
          header: (name) => [incoming.headers[name.toLowerCase()] ?? ''].flat().join(', '),
        }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Returns names and values in turn as pairs. */
export function pairsOf(rawHeaders: readonly string[]): (readonly [string, string])[] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, index) => [
    rawHeaders[2 * index]!,
    rawHeaders[2 * index + 1]!,
  ]);
}

const noBytes = Buffer.alloc(0);
