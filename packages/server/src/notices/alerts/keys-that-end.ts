import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { sql } from 'kysely';
import { keyEndMs } from '../../registry/store/key-state.ts';
import type { Database } from '../../storage/transaction.ts';
import { type FoundKey, isReplaced, keyColumns, keyOf, readSiblings } from '../due-keys.ts';

const dayMs = 86_400_000;

/** A key that stops verifying, or stopped lately. */
export interface EndingKey {
  readonly keyId: string;
  readonly clientId: string;
  readonly endMs: number;
}

interface EndingPlace {
  readonly accountId: string;
  /** Undefined for the whole account. */
  readonly clientId: string | undefined;
  readonly days: number;
  readonly nowMs: number;
}

/**
 * Finds keys of active clients that expire or reach the account's maximum age within days, or did so in the last day, and
 * that no other key replaces: the first to end first.
 */
export async function findKeysThatEnd(database: Database, place: EndingPlace): Promise<readonly EndingKey[]> {
  const account = await database
    .selectFrom('accounts')
    .select('key_age_days_max')
    .where('account_id', '=', place.accountId)
    .executeTakeFirst();
  const keyAgeDaysMax = account?.key_age_days_max ?? undefined;
  const found: EndingKey[] = [];
  for (let afterKeyId = ''; ;) {
    const keys = await readKeys(database, place, { keyAgeDaysMax, afterKeyId });
    if (keys.length > 0) found.push(...(await endingKeys(database, keys, keyAgeDaysMax, place.nowMs)));
    if (keys.length < keysPerPage) return found.toSorted((one, other) => one.endMs - other.endMs);
    afterKeyId = keys.at(-1)!.keyId;
    await nextLoopTurn('reports');
  }
}

const keysPerPage = 500;
/** How long a key that ended unreplaced is still found: its client's requests fail now, so nobody should read that all is well. */
const endedMs = dayMs;

/** Reads a page of the keys that end in the days around now, replaced or not. */
async function readKeys(
  database: Database,
  { accountId, clientId, days, nowMs }: EndingPlace,
  { keyAgeDaysMax, afterKeyId }: { readonly keyAgeDaysMax: number | undefined; readonly afterKeyId: string },
): Promise<readonly FoundKey[]> {
  const [fromMs, untilMs] = [nowMs - endedMs, nowMs + days * dayMs];
  const ageMs = keyAgeDaysMax === undefined ? undefined : keyAgeDaysMax * dayMs;
  let query = database
    .selectFrom('client_keys')
    .innerJoin('clients', 'clients.client_id', 'client_keys.client_id')
    .select(keyColumns)
    .where('client_keys.account_id', '=', accountId)
    .where('client_keys.key_id', '>', afterKeyId)
    .where('clients.status', '=', 'active')
    .where(sql<boolean>`client_keys.status in ('pending', 'active', 'retiring', 'expired')`)
    .where((row) =>
      row.or([row('client_keys.ends_at_ms', 'is', null), row('client_keys.ends_at_ms', '>', fromMs)]),
    );
  if (ageMs === undefined) query = query.where('client_keys.ends_at_ms', '<=', untilMs);
  else
    query = query
      .where('client_keys.created_at_ms', '>', fromMs - ageMs)
      .where((row) =>
        row.or([
          row('client_keys.ends_at_ms', '<=', untilMs),
          row('client_keys.created_at_ms', '<=', untilMs - ageMs),
        ]),
      );
  if (clientId !== undefined) query = query.where('client_keys.client_id', '=', clientId);
  const rows = await query.orderBy('client_keys.key_id').limit(keysPerPage).execute();
  return rows.map(keyOf);
}

/** Leaves out the keys that others replace. */
async function endingKeys(
  database: Database,
  keys: readonly FoundKey[],
  keyAgeDaysMax: number | undefined,
  nowMs: number,
): Promise<readonly EndingKey[]> {
  const siblings = await readSiblings(database, keys);
  return keys.flatMap((key) => {
    const endMs = keyEndMs(key, keyAgeDaysMax);
    const others = siblings.get(key.clientId) ?? [];
    if (endMs === undefined || isReplaced(key, others, { dueMs: endMs, keyAgeDaysMax, nowMs })) return [];
    return [{ keyId: key.keyId, clientId: key.clientId, endMs }];
  });
}
