import type { RegisteredClient } from '@countersign/gate';
import type { Awaitable } from '@countersign/signature/profile';
import type { ClientReader, ClientRecord } from './client-record.ts';
import type { ClientSource } from './client-source.ts';

/** Looks a client up. Undefined if there is none. If it rejects, the request gets 503 `registry_stale`. */
export type FindClient = (clientId: string) => Awaitable<ClientRecord | undefined>;

/** A result of the function, kept for a second. */
interface Answer {
  readonly client: RegisteredClient | undefined;
  readonly sinceMs: number;
}

/** The clients that a function knows. Each is looked up at most once a second, however many requests name it. */
export class LookedUpClients {
  readonly #findClient: FindClient;
  readonly #reader: ClientReader;
  readonly #onError: (error: unknown) => void;
  readonly #monotonicMs: () => number;
  readonly #answers = new Map<string, Answer>();
  readonly #running = new Map<string, Promise<void>>();

  constructor(
    findClient: FindClient,
    reader: ClientReader,
    onError: (error: unknown) => void,
    monotonicMs: () => number,
  ) {
    this.#findClient = findClient;
    this.#reader = reader;
    this.#onError = onError;
    this.#monotonicMs = monotonicMs;
  }

  /** Returns a registry for one request. It is fresh as long as its result for that request's client is. */
  source(): ClientSource {
    let found: string | undefined;
    return {
      clientById: (clientId) => {
        const client = this.#fresh(clientId)?.client;
        if (client) found = clientId;
        return client;
      },
      isReading: (clientId) => this.#fresh(clientId) === undefined,
      isUnread: (clientId) => this.#fresh(clientId) === undefined,
      read: (clientId) => this.#read(clientId),
      isFresh: () => found === undefined || this.#fresh(found) !== undefined,
      refresh: () => (found === undefined ? Promise.resolve() : this.#read(found)),
      keyUsed: () => undefined,
    };
  }

  #fresh(clientId: string): Answer | undefined {
    const answer = this.#answers.get(clientId);
    return answer && this.#monotonicMs() - answer.sinceMs <= freshForMs ? answer : undefined;
  }

  /** Concurrent requests share one call, which began after the last result had expired. */
  #read(clientId: string): Promise<void> {
    let running = this.#running.get(clientId);
    if (!running) {
      running = this.#lookUp(clientId).finally(() => this.#running.delete(clientId));
      this.#running.set(clientId, running);
    }
    return running;
  }

  async #lookUp(clientId: string): Promise<void> {
    const sinceMs = this.#monotonicMs();
    try {
      const record = await this.#findClient(clientId);
      this.#keep(clientId, { client: record && this.#reader.read(clientId, record), sinceMs });
    } catch (error) {
      this.#onError(error);
      throw error;
    }
  }

  #keep(clientId: string, answer: Answer): void {
    this.#answers.delete(clientId);
    this.#answers.set(clientId, answer);
    // Strangers can name any number of clients. A Map is in order of insertion, so the first results are the oldest.
    for (const [oldest, { sinceMs }] of this.#answers) {
      const isNeeded = this.#monotonicMs() - sinceMs <= freshForMs && this.#answers.size <= answersMax;
      if (isNeeded) break;
      this.#answers.delete(oldest);
    }
  }
}

const freshForMs = 1000;
const answersMax = 10_000;
