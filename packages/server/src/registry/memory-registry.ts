import { operatorPermissions } from '@countersign/contract';
import { type Database, inSnapshot } from '../storage/transaction.ts';
import { KeyProofs } from './key-proofs.ts';
import { type ClientParts, MemoryClient, partsOf, type RoleSet } from './memory-client.ts';
import type { KeyUse, RegisteredClient, Registry, RegistryFigures, UsableKey } from './registry.ts';
import {
  type AccountRules,
  type ClientRecord,
  listClients,
  readAccountRules,
  readChanges,
  readClients,
  readRoles,
  readState,
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
  /** Tells of changes at once; without it, and should it fail, they are seen by the next look. */
  readonly changeSignal?: ChangeSignal | undefined;
  /** How often storage is asked for changes; 250 unless set. */
  readonly pollEveryMs?: number;
  /** How long a look at storage counts as fresh; 1,000 unless set. */
  readonly freshForMs?: number;
  /** Told when looks in the background begin to fail; they go on, and it is told again only after one succeeded. */
  readonly onError: (error: unknown) => void;
}

/** Tells that something was committed, sooner or later, or not at all. */
export interface ChangeSignal {
  start(onChange: () => void): void;
  close(): Promise<void>;
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
  registry.follow();
  return registry;
}

class MemoryRegistry implements Registry {
  readonly #options: MemoryRegistryOptions;
  readonly #pollEveryMs: number;
  readonly #freshForMs: number;
  /** A Map, because every name is a legal clientId, `__proto__` too. */
  #clients = new Map<string, MemoryClient>();
  #roles: ReadonlyMap<string, RoleRecord> = new Map();
  #rules: ReadonlyMap<string, AccountRules> = new Map();
  readonly #roleSets = new Map<string, RoleSet>();
  readonly #proofs: KeyProofs;
  #version: number | undefined;
  #incarnation = '';
  #freshSinceMs = Number.NEGATIVE_INFINITY;
  /** The look that is asked for and has not begun; whoever asks meanwhile gets it too. */
  #next: Promise<void> | undefined;
  /** The last look that was asked for. One runs at a time: an older one must never undo what a newer one has seen. */
  #last: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #failing = false;
  #closed = false;

  constructor(options: MemoryRegistryOptions) {
    this.#options = options;
    this.#pollEveryMs = options.pollEveryMs ?? 250;
    this.#freshForMs = options.freshForMs ?? 1000;
    this.#proofs = new KeyProofs(options.database, options.wallNowMs, () => this.followChange());
  }

  clientById(clientId: string): RegisteredClient | undefined {
    return this.#clients.get(clientId);
  }

  isFresh(): boolean {
    return !this.#closed && this.#options.monotonicNowMs() - this.#freshSinceMs <= this.#freshForMs;
  }

  refresh(): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('The registry is closed.'));
    // A look that runs already may have begun before the change that the caller wants to see: one more follows it.
    this.#next ??= this.#last = this.#last
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#look();
      });
    return this.#next;
  }

  async followChange(): Promise<void> {
    try {
      await this.refresh();
    } catch {
      this.#freshSinceMs = Number.NEGATIVE_INFINITY;
    }
  }

  keyUsed(client: RegisteredClient, key: UsableKey, use: KeyUse): void {
    if (key.isPending && !this.#closed) this.#proofs.note(client.clientId, key.keyId, use);
  }

  figures(): RegistryFigures {
    return {
      clientCount: this.#clients.size,
      ageMs: this.#options.monotonicNowMs() - this.#freshSinceMs,
    };
  }

  follow(): void {
    this.#options.changeSignal?.start(() => {
      // A look that fails is reported by the poll.
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
    const { database } = this.#options;
    const { version, incarnation } = await readState(database);
    // A server that took over may have lost changes, and made others with the same versions: all is read anew.
    const known = incarnation === this.#incarnation ? this.#version : undefined;
    if (version !== known) {
      const changes = known === undefined ? undefined : await readChanges(database, known, version);
      if (changes === undefined) await this.#loadAll(version);
      else await this.#apply(changes, version);
      this.#incarnation = incarnation;
    }
    this.#freshSinceMs = startedMs;
  }

  /** Reads everything, page by page. What changes meanwhile has a later version and is read again by the next look. */
  async #loadAll(version: number): Promise<void> {
    const { database } = this.#options;
    this.#useRoles(await readRoles(database), await readAccountRules(database));
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
    const changed = Map.groupBy(changes, ({ subject }) => subject);
    const idsOf = (subject: RegistryChange['subject']): Set<string> =>
      new Set(changed.get(subject)?.map(({ subjectId }) => subjectId));
    const clientIds = idsOf('client');
    const roleIds = idsOf('role');
    const accountIds = idsOf('account');
    const roles = roleIds.size > 0 ? await readRoles(this.#options.database) : this.#roles;
    const rules = accountIds.size > 0 ? await readAccountRules(this.#options.database) : this.#rules;
    const records = await this.#readAll([...clientIds]);
    // Nothing is awaited from here on, so a request sees all of the changes or none.
    if (roleIds.size > 0 || accountIds.size > 0) {
      this.#useRoles(roles, rules);
      for (const client of this.#clients.values()) {
        const isConcerned =
          accountIds.has(client.accountId) || client.roleSet.roleIds.some((roleId) => roleIds.has(roleId));
        if (isConcerned) this.#use(this.#clients, client, client.roleSet.roleIds);
      }
    }
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
    if (record.status === 'active' || record.status === 'disabled')
      this.#use(clients, partsOf(record), record.roleIds);
    else clients.delete(record.clientId);
  }

  #use(clients: Map<string, MemoryClient>, parts: ClientParts, roleIds: readonly string[]): void {
    const rules = this.#rules.get(parts.accountId) ?? noRules;
    const roleSet = this.#roleSetOf(roleIds, rules.isOperator);
    clients.set(parts.clientId, new MemoryClient(parts, roleSet, rules, this.#options.wallNowMs));
  }

  #useRoles(roles: ReadonlyMap<string, RoleRecord>, rules: ReadonlyMap<string, AccountRules>): void {
    this.#roles = roles;
    this.#rules = rules;
    this.#roleSets.clear();
  }

  /** The permissions of the operator count in the operator's account only, whatever a role says. */
  #roleSetOf(roleIds: readonly string[], isOperator: boolean): RoleSet {
    const name = `${isOperator ? '*' : ''} ${roleIds.join(' ')}`;
    let roleSet = this.#roleSets.get(name);
    if (roleSet === undefined) {
      const roles = roleIds.flatMap((roleId) => this.#roles.get(roleId) ?? []);
      const permissions = roles
        .flatMap((role) => role.permissions)
        .filter((permission) => isOperator || !operatorPermissions.has(permission));
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

const noRules: AccountRules = { isOperator: false, keyAgeDaysMax: undefined };
const clientsPerPage = 2000;
const clientsPerQuery = 200;
