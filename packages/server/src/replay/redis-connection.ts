import { createClient, ErrorReply } from '@redis/client';
import { mistakesOfRedisServer, readRedisServer, type RedisServer } from './redis-server.ts';

/** Sends one command, its name and its arguments, and resolves with the reply (RESP2). */
export type SendCommand = (...command: readonly string[]) => Promise<unknown>;

/** One connection, from its checks to its loss. */
export interface RedisSession {
  /** Rejects with RedisUnavailableError at once when the connection is lost; with ErrorReply when the server refuses. */
  readonly send: SendCommand;
  readonly server: RedisServer;
}

/** How to reach a Redis or Valkey server. */
export interface RedisConnectionOptions {
  /** `redis://` or `rediss://`, with user and password where the server asks for them. In no message and no log. */
  readonly url: string;
  readonly allowWithoutAppendOnlyFile?: boolean;
  /** Told once what is wrong when the server cannot be used, and undefined when it can be used again. */
  readonly onChange?: (problem: string | undefined) => void;
  /** How long a reply may take. Default 300. */
  readonly commandTimeoutMs?: number;
}

/** The server cannot be asked now. The message says why, without address and password. */
export class RedisUnavailableError extends Error {
  override readonly name = 'RedisUnavailableError';
}

/** A server that answers and must not be used: waiting does not help, the operator does. */
export class RedisUnusableError extends Error {
  override readonly name = 'RedisUnusableError';
}

const defaultCommandTimeoutMs = 300;
/** For a whole attempt: connecting, signing on, the checks, and what prepares the session. */
const attemptTimeoutMs = 1500;
const pauseMsMax = 500;
/** A connection that is lost sooner counts as a failed attempt: something is wrong that the checks do not see. */
const soundAfterMs = 1000;

type Client = ReturnType<typeof createClient>;

/**
 * The connection of one node to Redis or Valkey. Commands of concurrent requests go out together and wait for nothing:
 * while there is no connection, a command fails at once. A reply that does not come in time ends the connection, since
 * nobody knows what became of the command; another one is made in the background, after pauses of up to half a second.
 */
export class RedisConnection {
  readonly #options: RedisConnectionOptions;
  readonly #preparations: ((session: RedisSession) => Promise<void>)[] = [];
  #client: Client | undefined;
  #problem: string | undefined;
  #readySinceMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: RedisConnectionOptions) {
    this.#options = options;
  }

  /** Whether commands can be sent. */
  get isReady(): boolean {
    return this.#client !== undefined;
  }

  /** What is done with each new connection before anything else. When it rejects, the connection is not used. */
  prepareWith(preparation: (session: RedisSession) => Promise<void>): void {
    this.#preparations.push(preparation);
  }

  /** Connects for the first time. Rejects when the server does not answer, or fails the checks: RedisUnusableError. */
  async open(): Promise<void> {
    this.#use(await this.#attempt());
  }

  /** Sends a command on the connection that is there; rejects like that of a session. */
  readonly send: SendCommand = (...command) => this.#ask(this.#client, command);

  /** Gives the connection up and makes a new one, which is checked and prepared anew. */
  renew(reason: string): void {
    if (this.#client) this.#lose(this.#client, reason);
  }

  /** Ends the connection for good. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#client?.destroy();
    this.#client = undefined;
  }

  async #attempt(): Promise<Client> {
    const client: Client = createClient({
      url: this.#options.url,
      RESP: 2,
      disableOfflineQueue: true,
      disableClientInfo: true,
      maintNotifications: 'disabled',
      // Time-outs are ours: the client's own leave a command alone once it is sent.
      commandOptions: { timeout: 0 },
      socket: { connectTimeout: attemptTimeoutMs, reconnectStrategy: false },
    });
    client.on('error', (error: Error) => this.#lose(client, describe(error)));
    client.on('end', () => this.#lose(client, 'the connection to Redis has ended'));
    try {
      await within(attemptTimeoutMs, this.#connect(client));
    } catch (error) {
      client.destroy();
      throw error instanceof RedisUnusableError ? error : new RedisUnavailableError(describe(error));
    }
    if (!client.isReady) throw new RedisUnavailableError('the connection to Redis has ended');
    return client;
  }

  async #connect(client: Client): Promise<void> {
    await client.connect();
    const send: SendCommand = (...command) => this.#ask(client, command);
    const server = readRedisServer(String(await send('INFO')));
    const mistakes = mistakesOfRedisServer(server, this.#options.allowWithoutAppendOnlyFile === true);
    if (mistakes.length > 0) throw new RedisUnusableError(`Redis cannot be used: ${mistakes.join('; ')}`);
    for (const prepare of this.#preparations) await prepare({ send, server });
  }

  #ask(client: Client | undefined, command: readonly string[]): Promise<unknown> {
    if (!client?.isReady)
      return Promise.reject(new RedisUnavailableError(this.#problem ?? 'there is no connection to Redis'));
    const { commandTimeoutMs = defaultCommandTimeoutMs } = this.#options;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const reason = `Redis does not answer within ${commandTimeoutMs} ms`;
        reject(new RedisUnavailableError(reason));
        if (this.#client === client) this.#lose(client, reason);
        else client.destroy();
      }, commandTimeoutMs);
      client.sendCommand(command).then(
        (reply) => {
          clearTimeout(timer);
          resolve(reply);
        },
        (error: unknown) => {
          clearTimeout(timer);
          reject(error instanceof ErrorReply ? error : new RedisUnavailableError(describe(error)));
        },
      );
    });
  }

  #use(client: Client): void {
    this.#client = client;
    this.#readySinceMs = performance.now();
    this.#tell(undefined);
  }

  #lose(client: Client, reason: string): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.destroy();
    this.#tell(reason);
    this.#retry(performance.now() - this.#readySinceMs < soundAfterMs ? 4 : 0);
  }

  #retry(failures: number): void {
    if (this.#closed) return;
    // The nodes of a cluster lose their connections together, and need not come back in step.
    const pauseMs = Math.min(pauseMsMax, 25 * 2 ** failures) * (0.5 + Math.random() / 2);
    this.#timer = setTimeout(() => {
      this.#attempt().then(
        (client) => {
          if (this.#closed) client.destroy();
          else this.#use(client);
        },
        (error: unknown) => {
          this.#tell(describe(error));
          this.#retry(failures + 1);
        },
      );
    }, pauseMs);
  }

  #tell(problem: string | undefined): void {
    if (this.#closed || problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onChange?.(problem);
  }
}

/** Addresses and URLs stay out of messages: a URL may hold the password. */
function describe(error: unknown): string {
  if (error instanceof RedisUnavailableError || error instanceof RedisUnusableError) return error.message;
  if (error instanceof ErrorReply) return `Redis refuses: ${error.message}`;
  const { code, name } = error as NodeJS.ErrnoException;
  return `Redis cannot be reached (${code ?? name})`;
}

function within(limitMs: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new RedisUnavailableError(`Redis was not ready within ${limitMs} ms`)),
      limitMs,
    );
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
