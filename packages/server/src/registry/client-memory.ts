import type { MemoryClient } from './memory-client.ts';

/**
 * Every client that may call, by its clientId: with all that requests need, or only known to exist while the registry
 * warms up.
 *
 * Those that call are kept together, in a small map of their own. Among a million that are spread over gigabytes the
 * processor's caches miss at every step.
 */
export class ClientMemory {
  /** A Map, because every name is a legal clientId, `__proto__` too. Undefined is a client that was not read yet. */
  readonly #clients = new Map<string, MemoryClient | undefined>();
  readonly #callers = new Map<string, MemoryClient>();
  #unreadCount = 0;

  get size(): number {
    return this.#clients.size;
  }

  get unreadCount(): number {
    return this.#unreadCount;
  }

  /** The client; undefined when there is none, and while it was not read. */
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

  /** Notes that there is such a client. */
  expect(clientId: string): void {
    if (this.#clients.has(clientId)) return;
    this.#clients.set(clientId, undefined);
    this.#unreadCount++;
  }

  /** Takes the place of what was known of it, so that `read` may be going on. */
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

  /** Those that were read. */
  *read(): Iterable<MemoryClient> {
    for (const client of this.#clients.values()) if (client !== undefined) yield client;
  }

  /** Those that are not read, page by page; each is looked at once, when its page is made. */
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
