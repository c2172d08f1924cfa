import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export interface PostgresListenerOptions {
  readonly url: string;
  readonly channel: string;
}

/**
 * Listens for notifications on a channel (`pg_notify`), on its own connection, which it reopens whenever it is
 * lost. Notifications sent meanwhile are missed, so each new connection also counts as a signal.
 */
export class PostgresListener {
  readonly #options: PostgresListenerOptions;
  #client: pg.Client | undefined;
  #following: Promise<void> | undefined;
  readonly #closing = new AbortController();

  constructor(options: PostgresListenerOptions) {
    this.#options = options;
  }

  /** Calls `onSignal` from now on, at least once after each notification. */
  start(onSignal: () => void): void {
    this.#following ??= this.#follow(onSignal);
  }

  /** Closes the connection. Resolves once no more calls are made. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#client?.end().catch(() => undefined);
    await this.#following;
  }

  async #follow(onSignal: () => void): Promise<void> {
    const { signal } = this.#closing;
    let waitMs = waitMsMin;
    while (!signal.aborted) {
      if (await this.#listen(onSignal)) waitMs = waitMsMin;
      await sleep(waitMs * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined);
      waitMs = Math.min(waitMs * 2, waitMsMax);
    }
  }

  /** Listens on one connection until it is lost. Returns false if it could not connect. */
  async #listen(onSignal: () => void): Promise<boolean> {
    try {
      const client = this.#makeClient();
      const ended = new Promise<void>((resolve) => client.once('end', resolve));
      client.on('notification', onSignal);
      // If the client is closed while connecting, only the `end` event reports it.
      await Promise.race([client.connect(), ended]);
      await client.query(`listen ${client.escapeIdentifier(this.#options.channel)}`);
      onSignal();
      await ended;
      return true;
    } catch {
      return false;
    } finally {
      this.#client?.removeAllListeners('notification');
      await this.#client?.end().catch(() => undefined);
    }
  }

  #makeClient(): pg.Client {
    this.#client = new pg.Client({
      connectionString: this.#options.url,
      application_name: 'countersign registry',
      connectionTimeoutMillis: 2000,
      query_timeout: 2000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    // An unhandled error event would end the process; the connection's end reports the loss.
    this.#client.on('error', () => undefined);
    return this.#client;
  }
}

const waitMsMin = 100;
const waitMsMax = 2000;
