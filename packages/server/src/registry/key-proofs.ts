import type { Database } from '../storage/transaction.ts';
import type { KeyUse } from '@countersign/gate';
import { proveKey } from './store/key-changes.ts';

/**
 * Records in storage which keys have signed their first valid request. Each key is recorded by one write at a time;
 * if that fails, a later request retries it, after a second at the earliest.
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

  /** Starts recording a key, unless that is already in progress. */
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

  /** Resolves once nothing is being recorded. */
  async close(): Promise<void> {
    await Promise.all(this.#noting.values());
  }

  async #prove(clientId: string, keyId: string, { sourceAddress, requestId }: KeyUse): Promise<void> {
    const actor = { kind: 'client', id: clientId, sourceAddress, requestId } as const;
    await proveKey(this.#database, clientId, keyId, { nowMs: this.#wallNowMs(), actor });
    // Until this is done, further requests still see the key as not recorded.
    await this.#followChange();
  }
}

const againAfterMs = 1000;
