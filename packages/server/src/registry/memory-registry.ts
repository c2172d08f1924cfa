import { countsIn, type DeploymentPermissions } from '@countersign/contract';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, inSnapshot } from '../storage/transaction.ts';
import { ClientMemory } from './client-memory.ts';
import { KeyProofs } from './key-proofs.ts';
import { type ClientParts, MemoryClient, partsOf, type RoleSet } from './memory-client.ts';
import type { KeyUse, RegisteredClient, Registry, RegistryFigures, UsableKey } from '@countersign/gate';
import { type AccountRules, readAccountRules } from './store/account-rules.ts';
import { readChanges, readState, type RegistryChange } from './store/changes.ts';
import { type ClientRecord, listClientIds, readClients } from './store/client-records.ts';
import { readRoles, type RoleRecord } from './store/roles.ts';

export interface MemoryRegistryOptions {
  readonly database: Database;
  /** Dedicated connections to the same database for checks. By default, checks take turns with other queries. */
  readonly lookDatabase?: Database | undefined;
  /** A monotonic clock in milliseconds, used to measure freshness. */
  readonly monotonicNowMs: () => number;
  /** Milliseconds since 1970, compared with the dates of keys. */
  readonly wallNowMs: () => number;
  /** Signals changes immediately. Without it, or if it fails, the next poll finds them. */
  readonly changeSignal?: ChangeSignal | undefined;
  /** Permissions that the deployment adds. Default none. */
  readonly addedPermissions?: DeploymentPermissions;
  /** Interval at which storage is polled for changes. Default 250. */
  readonly pollEveryMs?: number;
  /** A check of storage counts as fresh for this long. Default 1,000. */
  readonly freshForMs?: number;
  /** Clients to load before the registry opens; the rest are loaded while it is in use. Default 10,000. */
  readonly readAtStartMax?: number;
  /** Receives everything that changes. */
  readonly follower?: RegistryFollower | undefined;
  /** Called after each round trip to the database that checks for changes. */
  readonly onLook?: ((durationMs: number, isFailed: boolean) => void) | undefined;
  /** Called when background checks start failing. They continue, and it is called again only after one has succeeded. */
  readonly onError: (error: unknown) => void;
}

/**
 * Follows the registry, and keeps a copy of it. Called in the turn of the event loop in which the registry
 * changes.
 */
export interface RegistryFollower {
  /** Called once, before anything else. `clients` returns all loaded clients. */
  begin(clients: () => Iterable<MemoryClient>): void;
  /** Clients were loaded, changed or removed. With `isAll`, these are all loaded clients. */
  changed(change: {
    readonly clients: Iterable<MemoryClient>;
    readonly removed: readonly string[];
    readonly isAll: boolean;
    readonly isReading: boolean;
  }): void;
  /** A check of storage that began at this time has succeeded. Negative infinity once the registry is stale. */
  looked(freshSinceMs: number): void;
}

/** Signals that something was committed. Signals may be late or missing. */
export interface ChangeSignal {
  start(onChange: () => void): void;
  close(): Promise<void>;
}

/**
 * Loads all clients into memory and follows every change that this or another process commits. If there are
 * very many clients, only their IDs are loaded first; the rest is loaded while requests are served.
 *
 * @throws StorageError if storage does not respond
 */
export async function openMemoryRegistry(options: MemoryRegistryOptions): Promise<Registry> {
  const registry = new MemoryRegistry(options);
  await registry.refresh();
  // Loading very many clients takes longer than a check stays fresh.
  if (!registry.isFresh()) await registry.refresh();
  registry.follow();
  return registry;
}

class MemoryRegistry implements Registry {
  readonly #options: MemoryRegistryOptions;
  readonly #database: Database;
  readonly #pollEveryMs: number;
  readonly #freshForMs: number;
  #clients = new ClientMemory();
  #roles: ReadonlyMap<string, RoleRecord> = new Map();
  #rules: ReadonlyMap<string, AccountRules> = new Map();
  readonly #roleSets = new Map<string, RoleSet>();
  readonly #proofs: KeyProofs;
  #version: number | undefined;
  #incarnation = '';
  #freshSinceMs = Number.NEGATIVE_INFINITY;
  /** The check that is queued but hasn't started; further callers share it. */
  #next: Promise<void> | undefined;
  /** Clients to load ahead of the others, and the queued load for them. */
  readonly #wanted = new Set<string>();
  #reading: Promise<void> | undefined;
  /** The last queued read. One runs at a time, because an older one must never undo what a newer one has seen. */
  #last: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #failing = false;
  #closed = false;

  constructor(options: MemoryRegistryOptions) {
    this.#options = options;
    this.#database = options.lookDatabase ?? options.database;
    this.#pollEveryMs = options.pollEveryMs ?? 250;
    this.#freshForMs = options.freshForMs ?? 1000;
    this.#proofs = new KeyProofs(options.database, options.wallNowMs, () => this.followChange());
    options.follower?.begin(() => this.#clients.read());
  }

  clientById(clientId: string): RegisteredClient | undefined {
    return this.#clients.find(clientId);
  }

  clientByKeyName(keyName: string, directoryUrl?: string): RegisteredClient | undefined {
    return this.#clients.findByKeyName(keyName, directoryUrl);
  }

  standIn(clientId: string): Pick<RegisteredClient, 'keys'> | undefined {
    return this.#clients.standIn(clientId);
  }

  isReading(): boolean {
    return this.#clients.unreadCount > 0;
  }

  isUnread(clientId: string): boolean {
    return this.#clients.isUnread(clientId);
  }

  read(clientId: string): Promise<void> {
    this.#wanted.add(this.isUnread(clientId) ? clientId : (this.#clients.lastUnread() ?? clientId));
    this.#reading ??= this.#inTurn(() => {
      this.#reading = undefined;
      const clientIds = [...this.#wanted];
      this.#wanted.clear();
      return this.#readInto(this.#clients, clientIds);
    });
    return this.#reading;
  }

  isFresh(): boolean {
    return !this.#closed && this.#options.monotonicNowMs() - this.#freshSinceMs <= this.#freshForMs;
  }

  refresh(): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('The registry is closed.'));
    // A running check may have started before the change that the caller wants to see, so queue one more.
    this.#next ??= this.#inTurn(() => {
      this.#next = undefined;
      return this.#look();
    });
    return this.#next;
  }

  rereadPermissions(): Promise<void> {
    return this.#inTurn(async () => {
      this.#useRoles(await this.#readRoles(), this.#rules);
      for (const client of this.#clients.read()) this.#use(this.#clients, client, client.roleSet.roleIds);
      this.#announceAll();
    });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last.catch(() => undefined).then(work);
    return this.#last;
  }

  async followChange(): Promise<void> {
    try {
      await this.refresh();
    } catch {
      this.#setFresh(Number.NEGATIVE_INFINITY);
    }
  }

  keyUsed(client: RegisteredClient, key: UsableKey, use: KeyUse): void {
    if (key.isPending && !this.#closed) this.#proofs.note(client.clientId, key.keyId, use);
  }

  figures(): RegistryFigures {
    return {
      clientCount: this.#clients.size,
      unreadCount: this.#clients.unreadCount,
      ageMs: this.#options.monotonicNowMs() - this.#freshSinceMs,
    };
  }

  /**
   * Loads the remaining clients slowly. Never rejects. A client that can't be loaded now is loaded by its next
   * request.
   */
  async #warmUpSlowly(clients: ClientMemory): Promise<void> {
    for (const page of clients.unreadPages(clientsPerPage)) {
      // Requests come first and get at least half of the time.
      await sleep(warmUpPauseMs, undefined, { ref: false });
      if (this.#closed || this.#clients !== clients) return;
      await this.#inTurn(() => this.#readInto(clients, page)).catch(() => undefined);
    }
  }

  follow(): void {
    this.#options.changeSignal?.start(() => {
      // The poll reports failed checks.
      if (!this.#closed) this.refresh().catch(() => undefined);
    });
    this.#startTimer();
  }

  #startTimer(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#poll(), this.#pollEveryMs);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#proofs.close();
    await Promise.allSettled([this.#options.changeSignal?.close(), this.#last]);
  }

  async #poll(): Promise<void> {
    try {
      await this.refresh();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing && !this.#closed) this.#options.onError(error);
      this.#failing = true;
    }
    this.#startTimer();
  }

  async #look(): Promise<void> {
    const startedMs = this.#options.monotonicNowMs();
    const database = this.#database;
    const { version, incarnation } = await this.#readState();
    // A server that took over may have lost changes and reused their versions for others, so reload everything.
    const known = incarnation === this.#incarnation ? this.#version : undefined;
    if (version !== known) {
      const changes = known === undefined ? undefined : await readChanges(database, known, version);
      if (changes === undefined) await this.#loadAll(version);
      else await this.#apply(changes, version);
      this.#incarnation = incarnation;
    }
    this.#setFresh(startedMs);
  }

  /** Reads the registry's version, and reports how long that took. */
  async #readState(): ReturnType<typeof readState> {
    const { onLook, monotonicNowMs } = this.#options;
    const startedMs = monotonicNowMs();
    let isFailed = true;
    try {
      const state = await readState(this.#database);
      isFailed = false;
      return state;
    } finally {
      onLook?.(monotonicNowMs() - startedMs, isFailed);
    }
  }

  /**
   * Finds out which clients exist and loads the first of them; the others are loaded later, or by their next
   * request. Changes made meanwhile have a later version, so the next check reads them again.
   */
  async #loadAll(version: number): Promise<void> {
    const database = this.#database;
    this.#useRoles(await this.#readRoles(), await readAccountRules(database));
    const clients = new ClientMemory();
    let afterClientId: string | undefined;
    for (;;) {
      const page = await listClientIds(database, { afterClientId, limit: namesPerPage });
      for (const clientId of page) clients.expect(clientId);
      afterClientId = page.at(-1);
      if (page.length < namesPerPage) break;
      // Let requests run between pages.
      await new Promise((resolve) => setImmediate(resolve));
    }
    let left = this.#options.readAtStartMax ?? 10_000;
    for (const names of clients.unreadPages(clientsPerPage)) {
      if (left <= 0) break;
      left -= names.length;
      await this.#readInto(clients, names);
    }
    this.#clients = clients;
    this.#version = version;
    this.#announceAll();
    void this.#warmUpSlowly(clients);
  }

  #setFresh(sinceMs: number): void {
    this.#freshSinceMs = sinceMs;
    this.#options.follower?.looked(sinceMs);
  }

  #announceAll(): void {
    const isReading = this.isReading();
    this.#options.follower?.changed({ clients: this.#clients.read(), removed: [], isAll: true, isReading });
  }

  #announce(clientIds: readonly string[]): void {
    const { follower } = this.#options;
    if (follower === undefined) return;
    const found = clientIds.map((clientId) => this.#clients.find(clientId));
    const clients = found.filter((client) => client !== undefined);
    const removed = clientIds.filter((_, index) => found[index] === undefined);
    follower.changed({ clients, removed, isAll: false, isReading: this.isReading() });
  }

  #readRoles(): Promise<ReadonlyMap<string, RoleRecord>> {
    return readRoles(this.#database, this.#options.addedPermissions ?? {});
  }

  async #readInto(clients: ClientMemory, clientIds: readonly string[]): Promise<void> {
    const unread = clientIds.filter((clientId) => clients.isUnread(clientId));
    if (this.#closed || unread.length === 0) return;
    const records = await this.#readAll(unread);
    for (const clientId of unread) this.#put(clients, clientId, records.get(clientId));
    if (clients === this.#clients) this.#announce(unread);
  }

  async #apply(changes: readonly RegistryChange[], version: number): Promise<void> {
    const changed = Map.groupBy(changes, ({ subject }) => subject);
    const idsOf = (subject: RegistryChange['subject']): Set<string> =>
      new Set(changed.get(subject)?.map(({ subjectId }) => subjectId));
    const clientIds = idsOf('client');
    const roleIds = idsOf('role');
    const accountIds = idsOf('account');
    const roles = roleIds.size > 0 ? await this.#readRoles() : this.#roles;
    const rules = accountIds.size > 0 ? await readAccountRules(this.#database) : this.#rules;
    const records = await this.#readAll([...clientIds]);
    const concerned: string[] = [];
    // Nothing is awaited from here on, so a request sees all of the changes or none.
    if (roleIds.size > 0 || accountIds.size > 0) {
      this.#useRoles(roles, rules);
      for (const client of this.#clients.read()) {
        const isConcerned =
          accountIds.has(client.accountId) || client.roleSet.roleIds.some((roleId) => roleIds.has(roleId));
        if (!isConcerned) continue;
        this.#use(this.#clients, client, client.roleSet.roleIds);
        concerned.push(client.clientId);
      }
    }
    for (const clientId of clientIds) this.#put(this.#clients, clientId, records.get(clientId));
    this.#announce([...clientIds, ...concerned]);
    this.#version = version;
  }

  async #readAll(clientIds: readonly string[]): Promise<Map<string, ClientRecord>> {
    return inSnapshot(this.#database, async (transaction) => {
      const records = new Map<string, ClientRecord>();
      for (let start = 0; start < clientIds.length; start += clientsPerQuery) {
        const some = clientIds.slice(start, start + clientsPerQuery);
        for (const record of await readClients(transaction, some)) records.set(record.clientId, record);
      }
      return records;
    });
  }

  #put(clients: ClientMemory, clientId: string, record: ClientRecord | undefined): void {
    if (record?.status === 'active' || record?.status === 'disabled')
      this.#use(clients, partsOf(record), record.roleIds);
    else clients.remove(clientId);
  }

  #use(clients: ClientMemory, parts: ClientParts, roleIds: readonly string[]): void {
    const rules = this.#rules.get(parts.accountId) ?? noRules;
    const roleSet = this.#roleSetOf(roleIds, rules.isOperator);
    clients.put(new MemoryClient(parts, roleSet, rules, this.#options.wallNowMs));
  }

  #useRoles(roles: ReadonlyMap<string, RoleRecord>, rules: ReadonlyMap<string, AccountRules>): void {
    this.#roles = roles;
    this.#rules = rules;
    this.#roleSets.clear();
  }

  #roleSetOf(roleIds: readonly string[], isOperator: boolean): RoleSet {
    const name = `${isOperator ? '*' : ''} ${roleIds.join(' ')}`;
    let roleSet = this.#roleSets.get(name);
    if (roleSet === undefined) {
      const roles = roleIds.flatMap((roleId) => this.#roles.get(roleId) ?? []);
      const permissions = roles
        .flatMap((role) => role.permissions)
        .filter((permission) => countsIn({ isOperator }, permission));
      roleSet = {
        roleIds,
        names: roles.map((role) => role.name).toSorted(),
        permissions: new Set(permissions),
      };
      this.#roleSets.set(name, roleSet);
    }
    return roleSet;
  }
}

const noRules: AccountRules = {
  isOperator: false,
  isSuspended: false,
  keyAgeDaysMax: undefined,
  requestLimit: undefined,
};
const namesPerPage = 20_000;
const clientsPerPage = 100;
const clientsPerQuery = 200;
const warmUpPauseMs = 8;
