// oxlint-disable-next-line unicorn/require-module-specifiers -- it declares the table
import type {} from './tables.ts';
import type { Database } from '../storage/transaction.ts';

/** A published key, with which upstreams verify. */
export interface PublishedKey {
  readonly keyid: string;
  /** `x` of its JWK. */
  readonly publicKey: string;
  /** Milliseconds since 1970. */
  readonly endsAtMs: number;
}

/** Publishes a key to all nodes, or changes its end. */
export async function publishKey(database: Database, key: PublishedKey): Promise<void> {
  await database
    .insertInto('forwarding_keys')
    .values({ key_id: key.keyid, public_key: key.publicKey, ends_at_ms: key.endsAtMs })
    .onConflict((conflict) => conflict.column('key_id').doUpdateSet({ ends_at_ms: key.endsAtMs }))
    .execute();
}

/** Returns the keys of all nodes that have not ended. */
export async function readPublishedKeys(database: Database, nowMs: number): Promise<readonly PublishedKey[]> {
  const rows = await database
    .selectFrom('forwarding_keys')
    .selectAll()
    .where('ends_at_ms', '>', nowMs)
    .orderBy('key_id')
    .execute();
  return rows.map((row) => ({
    keyid: row.key_id,
    publicKey: row.public_key,
    endsAtMs: row.ends_at_ms,
  }));
}

/** Removes ended keys of all nodes. */
export async function removeEndedKeys(database: Database, nowMs: number): Promise<void> {
  await database.deleteFrom('forwarding_keys').where('ends_at_ms', '<=', nowMs).execute();
}
