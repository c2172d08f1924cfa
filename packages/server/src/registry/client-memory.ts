import type { MemoryClient } from './memory-client.ts';

/**
 * All clients that may send requests, by clientId: either fully loaded, or only known to exist while the
 * registry is still being loaded.
 */
export class ClientMemory {
  /** A Map, because any name is a legal clientId, even `__proto__`. Undefined marks a client that isn't loaded yet. */
  readonly #clients = new Map<string, MemoryClient | undefined>();
  /** The clients that were not loaded when they were added; some of them may be by now. */
  readonly #expected: string[] = [];
  #unreadCount = 0;
  /** Clients that stand in for unknown ones; they may have changed or been removed since. */
  readonly #standIns: MemoryClient[] = [];
  #nextStandIn = 0;
  /** Clients of other profiles by the names of their keys. Several accounts can register one key. */
  readonly #byKeyName = new Map<string, Set<MemoryClient>>();

  get size(): number {
    return this.#clients.size;
  }

  get unreadCount(): number {
    return this.#unreadCount;
  }

  /** Returns the client, or undefined if it doesn't exist or isn't loaded yet. */
  find(clientId: string): MemoryClient | undefined {
    return this.#clients.get(clientId);
  }

  /**
   * Returns the client with another profile that has the key with this thumbprint or URL. If several have it, the only one whose
   * directory is named, or none: whoever registers someone else's key must not be taken for them, nor the other way round. So
   * none while a client that isn't loaded yet could have it too.
   */
  findByKeyName(keyName: string, directoryUrl?: string): MemoryClient | undefined {
    if (this.#unreadCount > 0) return undefined;
    const all = [...(this.#byKeyName.get(keyName) ?? [])];
    if (all.length === 1) return all[0];
    // Who cannot call anyway must not keep others from being found.
    const clients = all.filter(
      ({ status, isAccountSuspended }) => status === 'active' && !isAccountSuspended,
    );
    if (clients.length === 1) return clients[0];
    if (directoryUrl === undefined) return undefined;
    const named = clients.filter((client) => client.directoryUrl === directoryUrl);
    return named.length === 1 ? named[0] : undefined;
  }

  /** Returns some client, always the same one for a name, if any is loaded. */
  standIn(clientId: string): MemoryClient | undefined {
    let sum = 0;
    for (let index = Math.max(0, clientId.length - 4); index < clientId.length; index++)
      sum = sum * 31 + clientId.charCodeAt(index);
    return this.#standIns[sum % this.#standIns.length];
  }

  isUnread(clientId: string): boolean {
    return this.#unreadCount > 0 && this.#clients.has(clientId) && this.#clients.get(clientId) === undefined;
  }

  /** Returns the ID of a client that isn't loaded, the one that would be loaded last; undefined if there is none. */
  lastUnread(): string | undefined {
    for (;;) {
      const clientId = this.#expected.at(-1);
      if (clientId === undefined || this.isUnread(clientId)) return clientId;
      this.#expected.pop();
    }
  }

  /** Records that a client exists. */
  expect(clientId: string): void {
    if (this.#clients.has(clientId)) return;
    this.#clients.set(clientId, undefined);
    this.#expected.push(clientId);
    this.#unreadCount++;
  }

  /** Replaces everything known about the client. Safe during an iteration over `read`. */
  put(client: MemoryClient): void {
    if (this.isUnread(client.clientId)) this.#unreadCount--;
    this.#forgetKeys(client.clientId);
    this.#clients.set(client.clientId, client);
    for (const keyName of client.keyNames) {
      const clients = this.#byKeyName.get(keyName);
      if (clients === undefined) this.#byKeyName.set(keyName, new Set([client]));
      else clients.add(client);
    }
    this.#standIns[this.#nextStandIn++ % standInsMax] = client;
  }

  remove(clientId: string): void {
    if (this.isUnread(clientId)) this.#unreadCount--;
    this.#forgetKeys(clientId);
    this.#clients.delete(clientId);
  }

  #forgetKeys(clientId: string): void {
    const earlier = this.#clients.get(clientId);
    if (earlier === undefined) return;
    for (const keyName of earlier.keyNames) {
      const clients = this.#byKeyName.get(keyName);
      clients?.delete(earlier);
      if (clients?.size === 0) this.#byKeyName.delete(keyName);
    }
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

const standInsMax = 4096;
