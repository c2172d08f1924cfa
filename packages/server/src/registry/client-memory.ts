import type { MemoryClient } from './memory-client.ts';

/**
 * Every client that may call, by clientId: either fully loaded, or only known to exist while the registry warms up.
 *
 * Clients that call are kept together in a small map of their own. Spread over gigabytes among a million others, they
 * would miss the CPU's caches at every step.
 */
export class ClientMemory {
  /** A Map, because any name is a legal clientId, even `__proto__`. Undefined marks a client that isn't loaded yet. */
  readonly #clients = new Map<string, MemoryClient | undefined>();
  readonly #callers = new Map<string, MemoryClient>();
  #unreadCount = 0;

  get size(): number {
    return this.#clients.size;
  }

  get unreadCount(): number {
    return this.#unreadCount;
  }

  /** Returns the client, or undefined if it doesn't exist or isn't loaded yet. */
  find(clientId: string): MemoryClient | undefined {
    const caller = this.#callers.get(clientId);
    if (caller !== undefined) return caller;
    const client = this.#clients.get(clientId)?.compact();
    if (client !== undefined) {
      if (this.#callers.size >= callersMax) this.#callers.clear();
      this.#callers.set(clientId, client);
      this.#clients.set(clientId, client);
    }
    return client;
  }

  isUnread(clientId: string): boolean {
    return this.#unreadCount > 0 && this.#clients.has(clientId) && this.#clients.get(clientId) === undefined;
  }

  /** Records that a client exists. */
  expect(clientId: string): void {
    if (this.#clients.has(clientId)) return;
    this.#clients.set(clientId, undefined);
    this.#unreadCount++;
  }

  /** Replaces whatever is known about the client. Safe during an iteration over `read`. */
  put(client: MemoryClient): void {
    if (this.isUnread(client.clientId)) this.#unreadCount--;
    this.#clients.set(client.clientId, client);
    this.#callers.delete(client.clientId);
  }

  remove(clientId: string): void {
    if (this.isUnread(clientId)) this.#unreadCount--;
    this.#clients.delete(clientId);
    this.#callers.delete(clientId);
  }

  /** Iterates over the loaded clients. */
  *read(): Iterable<MemoryClient> {
    for (const client of this.#clients.values()) if (client !== undefined) yield client;
  }

  /** Iterates over the clients that aren't loaded, page by page. Each is checked once, when its page is built. */
  *unreadPages(pageSize: number): Iterable<string[]> {
    let page: string[] = [];
    for (const [clientId, client] of this.#clients) {
      if (client !== undefined) continue;
      page.push(clientId);
      if (page.length < pageSize) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  }
}

const callersMax = 10_000;
