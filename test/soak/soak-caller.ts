import { Agent, request } from 'node:http';

/** One request to the service. */
export interface SoakCall {
  /** The listener that it goes to. */
  readonly to: 'api' | 'console';
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** Sends requests over kept connections. */
export class SoakCaller {
  readonly apiPort: number;
  readonly #consolePort: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(apiPort: number, consolePort: number) {
    this.apiPort = apiPort;
    this.#consolePort = consolePort;
  }

  /** Resolves with the status once the response is complete. Rejects if there is none. */
  async send(call: SoakCall): Promise<number> {
    return (await this.ask(call)).status;
  }

  /** Does the same, with the response's ETag. */
  ask({
    to,
    method,
    target,
    headers,
    body,
  }: SoakCall): Promise<{ readonly status: number; readonly etag: string | undefined }> {
    return new Promise((resolve, reject) => {
      const port = to === 'api' ? this.apiPort : this.#consolePort;
      const length = body && { 'Content-Length': String(body.length) };
      const outgoing = request(
        {
          agent: this.#agent,
          host: '127.0.0.1',
          port,
          method,
          path: target,
          headers: { ...headers, ...length },
        },
        (incoming) => {
          incoming.resume();
          incoming.once('error', reject);
          incoming.once('end', () =>
            resolve({ status: incoming.statusCode ?? 0, etag: incoming.headers.etag }),
          );
        },
      );
      outgoing.once('error', reject);
      outgoing.end(body);
    });
  }

  /** Closes its connections. The next request opens a new one. */
  close(): void {
    this.#agent.destroy();
  }
}
