import { performance } from 'node:perf_hooks';
import type { RegisteredClient } from '@countersign/gate';
import { type AccountCopy, openAccountCopy } from './account-copy.ts';
import type { RegistryCopy } from './client-source.ts';
import { type ManagementSigner, managementReader } from './management-reader.ts';

/** A service, and the credentials of a client with the role `auditor` in the account to follow. */
export interface FollowRegistryOptions {
  /** The service's URL without `/v1`, like `https://console.example.com`. */
  readonly baseUrl: string;
  /** Signs the requests to the service: `createSigner` of the signature library. */
  readonly signer: ManagementSigner;
  /** Accounts to follow, for a client of the operator. Defaults to the signer's own. Each is polled separately. */
  readonly accountIds?: readonly string[];
  /** The time between two polls. Defaults to 250. */
  readonly pollEveryMs?: number;
  /** Called when the service can no longer be read, once for each outage. Writes to standard error by default. */
  readonly onError?: (error: unknown) => void;
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * Copies a service's clients, keys, networks and roles through its management API, and follows every change
 * within a second. While the service cannot be read, every request is rejected with 503 `registry_stale`.
 * Close it when done.
 *
 * The service does not learn which keys are used here: rotate a key by its first use at the service.
 */
export async function followRegistry(options: FollowRegistryOptions): Promise<RegistryCopy> {
  const { accountIds, onError = console.error, pollEveryMs = 250 } = options;
  const reader = managementReader(options);
  const accounts = await Promise.all(
    (accountIds ?? [undefined]).map((accountId) => openAccountCopy(reader, accountId, onError)),
  );
  const registry = new FollowedRegistry(accounts, onError);
  await registry.refresh();
  registry.follow(pollEveryMs);
  return registry;
}

class FollowedRegistry implements RegistryCopy {
  readonly #accounts: readonly AccountCopy[];
  readonly #onError: (error: unknown) => void;
  #freshSinceMs = Number.NEGATIVE_INFINITY;
  /** The poll that waits for the current one; further callers share it. */
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;
  #isClosed = false;

  constructor(accounts: readonly AccountCopy[], onError: (error: unknown) => void) {
    this.#accounts = accounts;
    this.#onError = onError;
  }

  clientById(clientId: string): RegisteredClient | undefined {
    for (const account of this.#accounts) {
      const client = account.clientById(clientId);
      if (client) return client;
    }
    return undefined;
  }

  isReading(): boolean {
    return false;
  }

  isUnread(): boolean {
    return false;
  }

  async read(): Promise<void> {}

  keyUsed(): void {}

  isFresh(): boolean {
    return !this.#isClosed && performance.now() - this.#freshSinceMs <= freshForMs;
  }

  refresh(): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('The registry is closed.'));
    // A poll in progress may miss what the caller wants to see, so queue one more.
    this.#next ??= this.#last = this.#last
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#look();
      });
    return this.#next;
  }

  follow(pollEveryMs: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#poll(pollEveryMs), pollEveryMs).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#last.catch(() => undefined);
  }

  async #poll(pollEveryMs: number): Promise<void> {
    try {
      await this.refresh();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing && !this.#isClosed) this.#onError(error);
      this.#isFailing = true;
    }
    this.follow(pollEveryMs);
  }

  async #look(): Promise<void> {
    const startedMs = performance.now();
    await Promise.all(this.#accounts.map((account) => account.look()));
    this.#freshSinceMs = startedMs;
  }
}

/** The age above which every request is rejected (profile section 2.5). */
const freshForMs = 1000;
