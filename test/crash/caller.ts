import { Agent, request } from 'node:http';
import type { SignedRequest } from '@countersign/signature/node';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** The code of a rejection. */
  readonly code: string | undefined;
}

/** A signed request with its unsigned header lines. */
export interface Prepared {
  readonly signed: SignedRequest;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends requests to one run of the service. */
export class Caller {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #address: URL;

  constructor(address: string) {
    this.#address = new URL(address);
  }

  /** Rejects if the service disappears before it has responded. */
  send({ signed, headers }: Prepared): Promise<Answer> {
    const { method, url, body } = signed;
    const { host, pathname, search } = new URL(url);
    const { hostname, port } = this.#address;
    return new Promise((resolve, reject) => {
      const length = body && { 'Content-Type': 'application/json', 'Content-Length': body.length };
      const outgoing = request(
        {
          agent: this.#agent,
          hostname,
          port,
          method,
          path: pathname + search,
          headers: { Host: host, ...length, ...headers, ...signed.headers },
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () => {
            // A killed service may leave part of a response.
            if (!incoming.complete) return reject(new Error('The answer is not complete.'));
            const json = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>;
            const code = json['code'] as string | undefined;
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: json, code });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
