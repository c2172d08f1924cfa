import { alertLimits } from '@countersign/contract';
import { sql } from 'kysely';
import { keyEndMs } from '../../registry/store/key-state.ts';
import type { Database } from '../../storage/transaction.ts';
import { isReplaced, keyColumns, keyOf, readSiblings } from '../due-keys.ts';

const dayMs = 86_400_000;

/** A key that stops verifying. */
export interface EndingKey {
  readonly keyId: string;
  readonly clientId: string;
  readonly endMs: number;
}

/**
 * Finds keys of active clients that expire or reach the account's maximum age within days, and that no other key replaces:
 * the first of them.
 */
export async function findKeysThatEnd(
  database: Database,
  {
    accountId,
    clientId,
    days,
    nowMs,
  }: {
    readonly accountId: string;
    readonly clientId: string | undefined;
    readonly days: number;
    readonly nowMs: number;
  },
): Promise<readonly EndingKey[]> {
  const account = await database
    .selectFrom('accounts')
    .select('key_age_days_max')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  const keyAgeDaysMax = account?.key_age_days_max ?? undefined;
  const untilMs = nowMs + days * dayMs;
  const createdBeforeMs = keyAgeDaysMax === undefined ? -1 : untilMs - keyAgeDaysMax * dayMs;
  let query = database
    .selectFrom('client_keys')
    .innerJoin('clients', 'clients.client_id', 'client_keys.client_id')
    .select(keyColumns)
    .where('client_keys.account_id', '=', accountId)
    .where('clients.status', '=', 'active')
    .where(sql<boolean>`client_keys.status in ('pending', 'active', 'retiring')`)
    .where((row) =>
      row.or([
        row('client_keys.ends_at_ms', '<=', untilMs),
        row('client_keys.created_at_ms', '<=', createdBeforeMs),
      ]),
    );
  if (clientId !== undefined) query = query.where('client_keys.client_id', '=', clientId);
  const keys = (await query.orderBy('client_keys.key_id').limit(keysMax).execute()).map(keyOf);
  if (keys.length === 0) return [];
  const siblings = await readSiblings(database, keys);
  return keys
    .flatMap((key) => {
      const endMs = keyEndMs(key, keyAgeDaysMax);
      if (endMs === undefined || endMs <= nowMs || endMs > untilMs) return [];
      const others = siblings.get(key.clientId) ?? [];
      if (isReplaced(key, others, { dueMs: endMs, keyAgeDaysMax, nowMs })) return [];
      return [{ keyId: key.keyId, clientId: key.clientId, endMs }];
    })
    .toSorted((one, other) => one.endMs - other.endMs)
    .slice(0, alertLimits.firingMax);
}

/** If more keys of an account end, some of them are told of later. */
const keysMax = 500;
