import type { Database } from '../storage/transaction.ts';
import type { KeyUse } from '@countersign/gate';
import { proveKey } from './store/key-changes.ts';

/**
 * Notes in storage which keys have signed their first valid request. Each is noted once at a time; one that cannot be
 * noted is tried again with a later request, a second later at the earliest.
 */
export class KeyProofs {
  readonly #database: Database;
  readonly #wallNowMs: () => number;
  readonly #followChange: () => Promise<void>;
  readonly #noting = new Map<string, Promise<void>>();

  constructor(database: Database, wallNowMs: () => number, followChange: () => Promise<void>) {
    this.#database = database;
    this.#wallNowMs = wallNowMs;
    this.#followChange = followChange;
  }

  /** Begins to note a key, unless that is being done. */
  note(clientId: string, keyId: string, use: KeyUse): void {
    if (this.#noting.has(keyId)) return;
    this.#noting.set(
      keyId,
      this.#prove(clientId, keyId, use).then(
        () => void this.#noting.delete(keyId),
        () => void setTimeout(() => this.#noting.delete(keyId), againAfterMs).unref(),
      ),
    );
  }

  /** Resolves when nothing is being noted any more. */
  async close(): Promise<void> {
    await Promise.all(this.#noting.values());
  }

  async #prove(clientId: string, keyId: string, { sourceAddress, requestId }: KeyUse): Promise<void> {
    const actor = { kind: 'client', id: clientId, sourceAddress, requestId } as const;
    await proveKey(this.#database, clientId, keyId, { nowMs: this.#wallNowMs(), actor });
    // Until this is done, further requests still see the key as one to be noted.
    await this.#followChange();
  }
}

const againAfterMs = 1000;
