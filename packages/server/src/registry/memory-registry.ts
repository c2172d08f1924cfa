import { type Database, inSnapshot } from '../storage/transaction.ts';
import { MemoryClient, type RoleSet } from './memory-client.ts';
import type { RegisteredClient, Registry } from './registry.ts';
import {
  type ClientRecord,
  listClients,
  readChanges,
  readClients,
  readRoles,
  readVersion,
  type RegistryChange,
  type RoleRecord,
} from './store.ts';

/** What the registry in memory needs. */
export interface MemoryRegistryOptions {
  readonly database: Database;
  /** A clock that never jumps, in milliseconds: freshness is measured with it. */
  readonly monotonicNowMs: () => number;
  /** Milliseconds since 1970: the dates of keys are compared with it. */
  readonly wallNowMs: () => number;
  /** How often storage is asked for changes; 250 unless set. */
  readonly pollEveryMs?: number;
  /** How long a look at storage counts as fresh; 1,000 unless set. */
  readonly freshForMs?: number;
  /** Told when looks in the background begin to fail; they go on, and it is told again only after one succeeded. */
  readonly onError: (error: unknown) => void;
}

/**
 * Reads all clients into memory and follows every change that this or another process commits.
 *
 * @throws StorageError when storage does not answer
 */
export async function openMemoryRegistry(options: MemoryRegistryOptions): Promise<Registry> {
  const registry = new MemoryRegistry(options);
  await registry.refresh();
  // Reading very many clients takes longer than a look stays fresh.
  if (!registry.isFresh()) await registry.refresh();
  registry.startPolling();
  return registry;
}

class MemoryRegistry implements Registry {
  readonly #options: MemoryRegistryOptions;
  readonly #pollEveryMs: number;
  readonly #freshForMs: number;
  /** A Map, because every name is a legal clientId, `__proto__` too. */
  #clients = new Map<string, MemoryClient>();
  #roles: ReadonlyMap<string, RoleRecord> = new Map();
  readonly #roleSets = new Map<string, RoleSet>();
  #version: number | undefined;
  #freshSinceMs = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failing = false;
  #closed = false;

  constructor(options: MemoryRegistryOptions) {
    this.#options = options;
    this.#pollEveryMs = options.pollEveryMs ?? 250;
    this.#freshForMs = options.freshForMs ?? 1000;
  }

  clientById(clientId: string): RegisteredClient | undefined {
    return this.#clients.get(clientId);
  }

  isFresh(): boolean {
    return !this.#closed && this.#options.monotonicNowMs() - this.#freshSinceMs <= this.#freshForMs;
  }

  refresh(): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('The registry is closed.'));
    if (this.#running === undefined) return this.#start();
    // A look that runs already may have begun before the change that the caller wants to see: one more follows it.
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#start();
      });
    return this.#next;
  }

  startPolling(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#poll(), this.#pollEveryMs);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.allSettled([this.#running, this.#next]);
  }

  async #poll(): Promise<void> {
    try {
      await this.refresh();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing && !this.#closed) this.#options.onError(error);
      this.#failing = true;
    }
    this.startPolling();
  }

  #start(): Promise<void> {
    this.#running = this.#look().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #look(): Promise<void> {
    const startedMs = this.#options.monotonicNowMs();
    const { database } = this.#options;
    const version = await readVersion(database);
    if (version !== this.#version) {
      const changes =
        this.#version === undefined ? undefined : await readChanges(database, this.#version, version);
      if (changes === undefined) await this.#loadAll(version);
      else await this.#apply(changes, version);
    }
    this.#freshSinceMs = startedMs;
  }

  /** Reads everything, page by page. What changes meanwhile has a later version and is read again by the next look. */
  async #loadAll(version: number): Promise<void> {
    const { database } = this.#options;
    this.#useRoles(await readRoles(database));
    const clients = new Map<string, MemoryClient>();
    let afterClientId: string | undefined;
    for (;;) {
      const page = await listClients(database, { afterClientId, limit: clientsPerPage });
      for (const record of page) this.#put(clients, record);
      afterClientId = page.at(-1)?.clientId;
      if (page.length < clientsPerPage) break;
      // Let requests be answered between the pages.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#clients = clients;
    this.#version = version;
  }

  async #apply(changes: readonly RegistryChange[], version: number): Promise<void> {
    const clientIds = new Set<string>();
    const roleIds = new Set<string>();
    for (const { subject, subjectId } of changes) (subject === 'client' ? clientIds : roleIds).add(subjectId);
    if (roleIds.size > 0) {
      this.#useRoles(await readRoles(this.#options.database));
      for (const client of this.#clients.values()) {
        if (client.roleSet.roleIds.some((roleId) => roleIds.has(roleId))) clientIds.add(client.clientId);
      }
    }
    const records = await this.#readAll([...clientIds]);
    // Nothing is awaited from here on, so a request sees all of the changes or none.
    for (const clientId of clientIds) {
      const record = records.get(clientId);
      if (record === undefined) this.#clients.delete(clientId);
      else this.#put(this.#clients, record);
    }
    this.#version = version;
  }

  async #readAll(clientIds: readonly string[]): Promise<Map<string, ClientRecord>> {
    return inSnapshot(this.#options.database, async (transaction) => {
      const records = new Map<string, ClientRecord>();
      for (let start = 0; start < clientIds.length; start += clientsPerQuery) {
        const some = clientIds.slice(start, start + clientsPerQuery);
        for (const record of await readClients(transaction, some)) records.set(record.clientId, record);
      }
      return records;
    });
  }

  #put(clients: Map<string, MemoryClient>, record: ClientRecord): void {
    if (record.status === 'active' || record.status === 'disabled') {
      clients.set(
        record.clientId,
        new MemoryClient(record, this.#roleSetOf(record), this.#options.wallNowMs),
      );
    } else {
      clients.delete(record.clientId);
    }
  }

  #useRoles(roles: ReadonlyMap<string, RoleRecord>): void {
    this.#roles = roles;
    this.#roleSets.clear();
  }

  #roleSetOf({ roleIds, roles }: ClientRecord): RoleSet {
    const name = roleIds.join(' ');
    let roleSet = this.#roleSets.get(name);
    if (roleSet === undefined) {
      const permissions = new Set(roleIds.flatMap((roleId) => this.#roles.get(roleId)?.permissions ?? []));
      roleSet = { roleIds, names: roles, permissions };
      this.#roleSets.set(name, roleSet);
    }
    return roleSet;
  }
}

const clientsPerPage = 2000;
const clientsPerQuery = 200;
