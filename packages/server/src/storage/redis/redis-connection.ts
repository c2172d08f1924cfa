import { createClient, ErrorReply } from '@redis/client';
import { mistakesOfRedisServer, readRedisServer, type RedisServer } from './redis-server.ts';

/** Sends one command, its name and arguments, and resolves with the reply (RESP2). */
export type SendCommand = (...command: readonly string[]) => Promise<unknown>;

/** One connection, from its checks to its loss. */
export interface RedisSession {
  /**
   * Rejects with RedisUnavailableError as soon as the connection is lost, and with ErrorReply if the server rejects
   * the command.
   */
  readonly send: SendCommand;
  readonly server: RedisServer;
}

export interface RedisConnectionOptions {
  /** `redis://` or `rediss://`, with user and password if the server requires them. Never part of a message or log. */
  readonly url: string;
  readonly allowWithoutAppendOnlyFile?: boolean;
  /** Called once with the problem when the server becomes unusable, and with undefined when it is usable again. */
  readonly onChange?: (problem: string | undefined) => void;
  /** Maximum time for a reply. Default 300. */
  readonly commandTimeoutMs?: number;
}

/** The server can't be reached right now. The message says why, without address or password. */
export class RedisUnavailableError extends Error {
  override readonly name = 'RedisUnavailableError';
  readonly isAway = true;
}

/** A server that responds but must not be used. Waiting doesn't help; the operator must act. */
export class RedisUnusableError extends Error {
  override readonly name = 'RedisUnusableError';
}

const defaultCommandTimeoutMs = 300;
/** The timeout of a whole attempt: connecting, authenticating, the checks, and preparing the session. */
const attemptTimeoutMs = 1500;
const pauseMsMax = 500;
/** A connection lost sooner than this counts as a failed attempt: something is wrong that the checks don't catch. */
const soundAfterMs = 1000;

type Client = ReturnType<typeof createClient>;

/**
 * One node's connection to Redis or Valkey. Commands of concurrent requests are pipelined and never queue: without a
 * connection, a command fails immediately. A late reply ends the connection, because the command's outcome is
 * unknown; a new one is made in the background, after pauses of up to half a second.
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

  /** True if commands can be sent. */
  get isReady(): boolean {
    return this.#client !== undefined;
  }

  /** Sets what runs first on each new connection. If it rejects, the connection is not used. */
  prepareWith(preparation: (session: RedisSession) => Promise<void>): void {
    this.#preparations.push(preparation);
  }

  /**
   * Connects for the first time. Rejects if the server does not respond, and with RedisUnusableError if it
   * fails the checks.
   */
  async open(): Promise<void> {
    this.#use(await this.#attempt());
  }

  /** Sends a command on the current connection; rejects like a session's `send`. */
  readonly send: SendCommand = (...command) => this.#sendOn(this.#client, command);

  /** Drops the connection and opens a new one, which is checked and prepared again. */
  renew(reason: string): void {
    if (this.#client) this.#lose(this.#client, reason);
  }

  /** Closes the connection permanently. */
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
      // We handle timeouts: the client's own doesn't apply once a command is sent.
      commandOptions: { timeout: 0 },
      socket: { connectTimeout: attemptTimeoutMs, reconnectStrategy: false },
    });
    client.on('error', (error: Error) => this.#lose(client, describe(error)));
    client.on('end', () => this.#lose(client, 'the connection to Redis has ended'));
    try {
      await within(attemptTimeoutMs, this.#connect(client));
    } catch (error) {
      client.destroy();
      throw error instanceof RedisUnusableError || isMistake(error)
        ? new RedisUnusableError(describe(error))
        : new RedisUnavailableError(describe(error));
    }
    if (!client.isReady) throw new RedisUnavailableError('the connection to Redis has ended');
    return client;
  }

  async #connect(client: Client): Promise<void> {
    await client.connect();
    const send: SendCommand = (...command) => this.#sendOn(client, command);
    const server = readRedisServer(String(await send('INFO')));
    const mistakes = mistakesOfRedisServer(server, this.#options.allowWithoutAppendOnlyFile === true);
    if (mistakes.length > 0) throw new RedisUnusableError(`Redis cannot be used: ${mistakes.join('; ')}`);
    for (const prepare of this.#preparations) await prepare({ send, server });
  }

  #sendOn(client: Client | undefined, command: readonly string[]): Promise<unknown> {
    if (!client?.isReady)
      return Promise.reject(new RedisUnavailableError(this.#problem ?? 'there is no connection to Redis'));
    const { commandTimeoutMs = defaultCommandTimeoutMs } = this.#options;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const reason = `Redis did not respond within ${commandTimeoutMs} ms`;
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
    this.#noteProblem(undefined);
  }

  #lose(client: Client, reason: string): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.destroy();
    this.#noteProblem(reason);
    this.#retry(performance.now() - this.#readySinceMs < soundAfterMs ? 4 : 0);
  }

  #retry(failures: number): void {
    if (this.#closed) return;
    // A cluster's nodes lose their connections together, so jitter keeps them from reconnecting in step.
    const pauseMs = Math.min(pauseMsMax, 25 * 2 ** failures) * (0.5 + Math.random() / 2);
    this.#timer = setTimeout(() => {
      this.#attempt().then(
        (client) => {
          if (this.#closed) client.destroy();
          else this.#use(client);
        },
        (error: unknown) => {
          this.#noteProblem(describe(error));
          this.#retry(failures + 1);
        },
      );
    }, pauseMs);
  }

  #noteProblem(problem: string | undefined): void {
    if (this.#closed || problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onChange?.(problem);
  }
}

/** Keeps addresses and URLs out of messages, because a URL may contain the password. */
function describe(error: unknown): string {
  if (error instanceof RedisUnavailableError || error instanceof RedisUnusableError) return error.message;
  if (error instanceof ErrorReply) return `Redis rejected the command: ${error.message}`;
  const { code, name } = error as NodeJS.ErrnoException;
  return `Redis cannot be reached (${code ?? name})`;
}

/** Returns true if the URL or the user's permissions are wrong, so that waiting does not help. */
function isMistake(error: unknown): boolean {
  if (error instanceof ErrorReply) return !passingReplies.test(error.message);
  const { code = '' } = error as NodeJS.ErrnoException;
  // The system's codes contain no underscore; TLS codes, which are about certificates, do.
  return code === 'ENOTFOUND' || (code.includes('_') && !code.startsWith('EAI_'));
}

const passingReplies = /^(?:LOADING|BUSY|MASTERDOWN|TRYAGAIN|OOM|READONLY|ERR max number of clients)/;

function within(limitMs: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new RedisUnavailableError(`Redis was not ready within ${limitMs} ms`)),
      limitMs,
    );
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
