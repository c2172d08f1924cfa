import { sql, type Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import type { ClientRecord } from './client-records.ts';
import type { ChangeContext } from './context.ts';

/** How many expired keys of its directories a client keeps, and for how long, so that the request log can show them. */
const deadKeysMax = 100;
const deadKeptMs = 30 * 86_400_000;

/** Deletes the expired keys of a client's directories but for the latest. Revoked ones stay: that is final. */
export async function deleteOldestDeadKeys(
  transaction: Transaction<Schema>,
  { clientId }: Pick<ClientRecord, 'clientId'>,
): Promise<void> {
  const rows = await transaction
    .selectFrom('client_keys')
    .select('key_id')
    .where('client_id', '=', clientId)
    .where('is_published', '=', 1)
    .where('status', '=', 'expired')
    .orderBy('ends_at_ms', 'desc')
    .orderBy('key_id', 'desc')
    .execute();
  await deleteKeys(
    transaction,
    rows.slice(deadKeysMax).map((row) => row.key_id),
  );
}

/**
 * Deletes keys of directories that have expired long ago.
 *
 * @returns how many, at most `limit`
 */
export async function deleteLongDeadKeys(
  database: Database,
  limit: number,
  { nowMs }: ChangeContext,
): Promise<number> {
  const rows = await database
    .selectFrom('client_keys')
    .select('key_id')
    // A literal, not a parameter, so that the index of these keys is used.
    .where(sql<boolean>`is_published = 1 and status = 'expired'`)
    .where('ends_at_ms', '<=', nowMs - deadKeptMs)
    .orderBy('ends_at_ms')
    .limit(limit)
    .execute();
  await deleteKeys(
    database,
    rows.map((row) => row.key_id),
  );
  return rows.length;
}

async function deleteKeys(database: Database, keyIds: readonly string[]): Promise<void> {
  if (keyIds.length === 0) return;
  await database
    .deleteFrom('last_uses')
    .where('subject', '=', 'key')
    .where('subject_id', 'in', keyIds)
    .execute();
  // One that the directory has brought back meanwhile is no longer expired.
  await database
    .deleteFrom('client_keys')
    .where('key_id', 'in', keyIds)
    .where('status', '=', 'expired')
    .execute();
}
