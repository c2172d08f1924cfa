import type { KeyDueStage } from '@countersign/contract';
import { sql } from 'kysely';
import { readAccountRules } from '../registry/store/account-rules.ts';
import { rotationTimes } from '../registry/store/key-rotation.ts';
import { isCurrentKey, keyEndMs, type KeyLife } from '../registry/store/key-state.ts';
import { type Database, inTransaction } from '../storage/transaction.ts';
import { addNotice, type NewNotice, type NotingContext } from './add-notice.ts';

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;

export interface FoundKey extends KeyLife {
  readonly keyId: string;
  readonly clientId: string;
  readonly accountId: string;
  readonly fingerprint: string;
}

/** Makes a notice for each key that should be rotated or expires soon, once for each stage. */
export async function noteDueKeys(database: Database, context: NotingContext): Promise<void> {
  const { nowMs } = context;
  const keyAges = await readKeyAges(database);
  const createdBeforeMs = nowMs - youngestDueMs([...keyAges.values()]);
  for (let afterKeyId = ''; ;) {
    const keys = await readKeys(database, { afterKeyId, createdBeforeMs, nowMs });
    const last = keys.at(-1);
    if (last === undefined) return;
    afterKeyId = last.keyId;
    const siblings = await readSiblings(database, keys);
    const due = keys.flatMap((key) => {
      const keyAgeDaysMax = keyAges.get(key.accountId);
      const others = siblings.get(key.clientId) ?? [];
      return dueNotice(key, others, keyAgeDaysMax, nowMs) ?? [];
    });
    for (const notice of await withoutNoticed(database, due))
      await inTransaction(database, (transaction) => addNotice(transaction, notice, context));
  }
}

const keysPerPage = 500;

/** Reads the key age limits of the accounts that have one. */
async function readKeyAges(database: Database): Promise<ReadonlyMap<string, number>> {
  const rules = await readAccountRules(database);
  return new Map(
    [...rules].flatMap(([id, { keyAgeDaysMax }]) => (keyAgeDaysMax ? [[id, keyAgeDaysMax]] : [])),
  );
}

/** Returns the minimum age at which a key of any account can be due. */
function youngestDueMs(keyAges: readonly number[]): number {
  const born = { status: 'active', createdAtMs: 0, startsAtMs: undefined, endsAtMs: undefined } as const;
  const ages = [undefined, ...keyAges].flatMap((days) => [
    rotationTimes(born, days).windowStartMs,
    (keyEndMs(born, days) ?? Infinity) - weekMs,
  ]);
  return Math.min(...ages);
}

/** Reads a page of the keys that may be due: old ones, and those that end soon. */
async function readKeys(
  database: Database,
  at: { readonly afterKeyId: string; readonly createdBeforeMs: number; readonly nowMs: number },
): Promise<readonly FoundKey[]> {
  const rows = await database
    .selectFrom('client_keys')
    .innerJoin('clients', 'clients.client_id', 'client_keys.client_id')
    .select(keyColumns)
    .where('key_id', '>', at.afterKeyId)
    .where(isKept)
    .where('clients.status', '=', 'active')
    .where((row) =>
      row.or([
        row('client_keys.created_at_ms', '<=', at.createdBeforeMs),
        row('ends_at_ms', '<=', at.nowMs + endsSoonMs),
      ]),
    )
    .orderBy('key_id')
    .limit(keysPerPage)
    .execute();
  return rows.map(keyOf);
}

/** The longest window in which a key is due before it ends. */
const endsSoonMs = 10 * dayMs;

const isKept = sql<boolean>`client_keys.status in ('pending', 'active', 'retiring')`;
export const keyColumns = [
  'client_keys.key_id',
  'client_keys.client_id',
  'client_keys.account_id',
  'client_keys.fingerprint',
  'client_keys.status',
  'client_keys.created_at_ms',
  'client_keys.starts_at_ms',
  'client_keys.ends_at_ms',
] as const;

/** Reads all keys of the clients that some keys belong to, grouped by client. */
export async function readSiblings(
  database: Database,
  keys: readonly FoundKey[],
): Promise<ReadonlyMap<string, readonly FoundKey[]>> {
  const clientIds = [...new Set(keys.map(({ clientId }) => clientId))];
  const rows = await database
    .selectFrom('client_keys')
    .select(keyColumns)
    .where('client_id', 'in', clientIds)
    .where(isKept)
    .execute();
  return Map.groupBy(rows.map(keyOf), ({ clientId }) => clientId);
}

function dueNotice(
  key: FoundKey,
  siblings: readonly FoundKey[],
  keyAgeDaysMax: number | undefined,
  nowMs: number,
): NewNotice | undefined {
  if (!isCurrentKey(key, keyAgeDaysMax, nowMs)) return undefined;
  const due = dueStage(key, keyAgeDaysMax, nowMs);
  if (due === undefined) return undefined;
  const { stage, dueMs } = due;
  if (isReplaced(key, siblings, { dueMs, keyAgeDaysMax, nowMs })) return undefined;
  const { accountId, clientId, keyId, fingerprint } = key;
  return {
    accountId,
    kind: 'key_due',
    // A key whose end was moved is due again.
    mark: `${keyId} ${stage} ${Math.floor(dueMs / dayMs)}`,
    happenedAtMs: nowMs,
    clientId,
    content: { key: { keyId, fingerprint, stage, dueAt: new Date(dueMs).toISOString() } },
  };
}

/** Returns true if another key takes over when a key is due: there is nothing left to do. */
export function isReplaced(
  key: FoundKey,
  siblings: readonly FoundKey[],
  at: { readonly dueMs: number; readonly keyAgeDaysMax: number | undefined; readonly nowMs: number },
): boolean {
  return siblings.some(
    (other) =>
      other.keyId !== key.keyId &&
      other.createdAtMs > key.createdAtMs &&
      isCurrentKey(other, at.keyAgeDaysMax, at.nowMs) &&
      (keyEndMs(other, at.keyAgeDaysMax) ?? Infinity) > at.dueMs,
  );
}

interface DueStage {
  readonly stage: KeyDueStage;
  /** When this stage began. */
  readonly fromMs: number;
  readonly dueMs: number;
}

/** Returns the latest stage that a key has reached since it was created; undefined for none. */
function dueStage(key: KeyLife, keyAgeDaysMax: number | undefined, nowMs: number): DueStage | undefined {
  const { windowStartMs, dueMs } = rotationTimes(key, keyAgeDaysMax);
  const endMs = keyEndMs(key, keyAgeDaysMax);
  const rotation: readonly DueStage[] =
    key.status === 'retiring'
      ? []
      : [
          { stage: 'rotation_due', fromMs: windowStartMs, dueMs },
          { stage: 'rotation_overdue', fromMs: dueMs, dueMs },
        ];
  const expiry: readonly DueStage[] =
    endMs === undefined
      ? []
      : [
          { stage: 'expires_in_week', fromMs: endMs - weekMs, dueMs: endMs },
          { stage: 'expires_in_day', fromMs: endMs - dayMs, dueMs: endMs },
        ];
  return [...rotation, ...expiry]
    .filter(({ fromMs }) => fromMs <= nowMs && fromMs > key.createdAtMs)
    .toSorted((one, other) => one.fromMs - other.fromMs)
    .at(-1);
}

/** Leaves out keys that already have a notice, to avoid a write for each. */
async function withoutNoticed(
  database: Database,
  notices: readonly NewNotice[],
): Promise<readonly NewNotice[]> {
  if (notices.length === 0) return [];
  const rows = await database
    .selectFrom('notice_marks')
    .select('mark')
    .where('kind', '=', 'key_due')
    .where('account_id', 'in', [...new Set(notices.map(({ accountId }) => accountId))])
    .where(
      'mark',
      'in',
      notices.map(({ mark }) => mark),
    )
    .execute();
  const noticed = new Set(rows.map(({ mark }) => mark));
  return notices.filter(({ mark }) => !noticed.has(mark));
}

export function keyOf(row: {
  readonly key_id: string;
  readonly client_id: string;
  readonly account_id: string;
  readonly fingerprint: string;
  readonly status: KeyLife['status'];
  readonly created_at_ms: number;
  readonly starts_at_ms: number | null;
  readonly ends_at_ms: number | null;
}): FoundKey {
  return {
    keyId: row.key_id,
    clientId: row.client_id,
    accountId: row.account_id,
    fingerprint: row.fingerprint,
    status: row.status,
    createdAtMs: row.created_at_ms,
    startsAtMs: row.starts_at_ms ?? undefined,
    endsAtMs: row.ends_at_ms ?? undefined,
  };
}
