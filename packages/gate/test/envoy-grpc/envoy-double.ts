import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';

/**
 * Asks as Envoy does: one call of `Check` over HTTP/2 without TLS. Written from Envoy's public definitions without our
 * own table of messages, so that a wrong number in either shows.
 */
export interface Check {
  readonly method?: string;
  readonly path?: string;
  readonly host?: string;
  readonly protocol?: string;
  /** Lines of `header_map`; undefined for a check without one. */
  readonly lines?: readonly (readonly [string, string])[] | undefined;
  /** Entries of `headers`, which Envoy sends without `encode_raw_headers`. */
  readonly joined?: readonly (readonly [string, string])[];
  readonly rawBody?: Uint8Array;
  readonly textBody?: string;
  readonly sourceAddress?: string;
}

/** The response to Envoy. */
export interface CheckAnswer {
  readonly httpStatus: number;
  /** Undefined if the response is not a gRPC one. */
  readonly grpcStatus: number | undefined;
  readonly grpcMessage: string;
  readonly status?: number;
  readonly ok?: {
    readonly headers: readonly SetHeader[];
    readonly remove: readonly string[];
    readonly answerHeaders: readonly SetHeader[];
  };
  readonly denied?: {
    readonly status: number;
    readonly headers: readonly SetHeader[];
    readonly body: string;
  };
}

export type SetHeader = readonly [name: string, value: string, appendAction: number];

/** Envoy's side of a connection. */
export class EnvoyDouble {
  readonly #session: ClientHttp2Session;

  constructor(port: number) {
    this.#session = connect(`http://127.0.0.1:${port}`);
    this.#session.on('error', () => undefined);
  }

  /** Resolves once the connection has ended. */
  async ended(): Promise<void> {
    if (!this.#session.destroyed) await once(this.#session, 'close');
  }

  close(): void {
    this.#session.destroy();
  }

  /** Asks about a request. Declares whole bodies unless metadata says otherwise. */
  check(check: Check, metadata: Readonly<Record<string, string>> = wholeBodies): Promise<CheckAnswer> {
    return this.send(envelope(encodeCheck(check)), metadata);
  }

  /** Sends any bytes as a call; headers may replace gRPC's. */
  async send(bytes: Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<CheckAnswer> {
    const stream = this.#session.request({
      ':method': 'POST',
      ':path': '/envoy.service.auth.v3.Authorization/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    });
    let trailers: Readonly<Record<string, unknown>> = {};
    stream.on('trailers', (fields) => (trailers = fields));
    const [chunks, response] = await new Promise<[Buffer[], Readonly<Record<string, unknown>>]>(
      (resolve, reject) => {
        const received: Buffer[] = [];
        let head: Readonly<Record<string, unknown>> = {};
        stream.on('response', (fields) => (head = fields));
        stream.on('data', (chunk: Buffer) => received.push(chunk));
        stream.once('error', reject);
        stream.once('close', () => resolve([received, head]));
        stream.end(bytes);
      },
    );
    const all = { ...response, ...trailers } as Record<string, string | undefined>;
    const grpcStatus = all['grpc-status'];
    const message = Buffer.concat(chunks).subarray(5);
    return {
      httpStatus: Number(response[':status']),
      grpcStatus: grpcStatus === undefined ? undefined : Number(grpcStatus),
      grpcMessage: decodeURIComponent(all['grpc-message'] ?? ''),
      ...(grpcStatus === '0' && decodeAnswer(message)),
    };
  }
}

export const wholeBodies = { 'countersign-request-body': 'whole' };

/** Frames a message (gRPC over HTTP/2, "Length-Prefixed-Message"). */
export function envelope(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** Encodes a check with Envoy's field numbers. */
export function encodeCheck(check: Check): Buffer {
  const { method = 'GET', path = '/', host = '', protocol = 'HTTP/1.1', lines, joined = [] } = check;
  const pseudo = [
    [':method', method],
    [':path', path],
    [':authority', host],
    [':scheme', 'http'],
  ] as const;
  const http = Buffer.concat([
    field(1, '17'),
    field(2, method),
    ...joined.map(([name, value]) => field(3, Buffer.concat([field(1, name), field(2, value)]))),
    field(4, path),
    field(5, host),
    field(6, 'http'),
    field(10, protocol),
    field(11, check.textBody ?? ''),
    field(12, check.rawBody ?? ''),
    ...(lines
      ? [
          field(
            13,
            Buffer.concat(
              [...pseudo, ...lines].map(([name, value]) =>
                field(1, Buffer.concat([field(1, name), field(3, value)])),
              ),
            ),
          ),
        ]
      : []),
  ]);
  const source = field(1, field(1, field(2, check.sourceAddress ?? '192.0.2.7')));
  return field(1, Buffer.concat([field(1, source), field(4, field(2, http))]));
}

/** Encodes a field with a length: text (one character is one byte), bytes or a message. */
export function field(number: number, value: string | Uint8Array): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'latin1') : value;
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

type Fields = ReadonlyMap<number, readonly (number | Buffer)[]>;

function decode(message: Buffer): Fields {
  const fields = new Map<number, (number | Buffer)[]>();
  let position = 0;
  const next = (): number => {
    for (let value = 0, factor = 1; ; factor *= 128) {
      const byte = message[position++]!;
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  };
  while (position < message.length) {
    const tag = next();
    const number = Math.floor(tag / 8);
    const size = next();
    const value = tag % 8 === 0 ? size : message.subarray(position, (position += size));
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

function decodeAnswer(message: Buffer): Pick<CheckAnswer, 'status' | 'ok' | 'denied'> {
  const answer = decode(message);
  const status = numberIn(decode(bytesIn(answer, 1)), 1);
  if (answer.has(3)) {
    const ok = decode(bytesIn(answer, 3));
    const remove = (ok.get(5) ?? []).map(String);
    return { status, ok: { headers: setHeaders(ok, 2), remove, answerHeaders: setHeaders(ok, 6) } };
  }
  const denied = decode(bytesIn(answer, 2));
  return {
    status,
    denied: {
      status: numberIn(decode(bytesIn(denied, 1)), 1),
      headers: setHeaders(denied, 2),
      body: bytesIn(denied, 3).toString('utf8'),
    },
  };
}

function setHeaders(fields: Fields, number: number): SetHeader[] {
  return (fields.get(number) ?? []).map((option) => {
    const header = decode(bytesIn(decode(option as Buffer), 1));
    const action = numberIn(decode(option as Buffer), 3);
    return [bytesIn(header, 1).toString(), bytesIn(header, 2).toString(), action];
  });
}

function bytesIn(fields: Fields, number: number): Buffer {
  return (fields.get(number)?.at(-1) as Buffer | undefined) ?? Buffer.alloc(0);
}

/** A field that is 0 is not sent. */
function numberIn(fields: Fields, number: number): number {
  return (fields.get(number)?.at(-1) as number | undefined) ?? 0;
}
