import { sql } from 'kysely';
import { postgresIncarnation } from '../storage/incarnation.ts';
import type { Database } from '../storage/transaction.ts';
import type { GuardCount } from './guard-capacity.ts';
import type { Sighting } from './postgres-epochs.ts';

/** A use to remember. */
export interface NewUse {
  /** 16 bytes, one code point per byte. */
  readonly id: string;
  readonly clientId: string;
  /** Unix seconds. */
  readonly created: number;
}

/** The database's response to a batch of uses. */
export interface UseResult {
  /** The ids that were new and are now stored. */
  readonly fresh: Set<string>;
  /**
   * Signatures created up to this second are not remembered. Undefined if the epoch is over; then nothing is
   * remembered.
   */
  readonly horizonSeconds: number | undefined;
  /** Signatures of these seconds are not remembered, as JSON. */
  readonly refusedRanges: string;
  readonly isSettled: boolean;
  /** The position in the database's log. */
  readonly position: number;
}

/**
 * The database's current epoch. It changes as soon as used signatures may have been forgotten: with each new
 * incarnation of the database, and when the table is truncated, which gives it another file.
 */
export const guardEpoch: ReturnType<typeof sql<string>> = sql<string>`concat_ws('/', ${postgresIncarnation},
  pg_relation_filenode('used_signatures'))`;

/** The part of the database's log that is on disk, in bytes since its beginning. A crash loses none of it. */
export const logPosition: ReturnType<typeof sql<number>> =
  sql<number>`(pg_current_wal_flush_lsn() - '0/0')::bigint`;

/**
 * Remembers the uses that are new, after the horizon and not in a rejected second, with one statement. It takes
 * effect only in the epoch that it names, on a database that is no older than previously seen, and everything
 * it reports is on disk. Rows are inserted in id order, so that two statements with common rows can't deadlock.
 */
export async function rememberUses(
  database: Database,
  { epoch, position }: Sighting,
  uses: readonly NewUse[],
): Promise<UseResult> {
  const ids = uses.map(({ id }) => bytesOf(id));
  const clientIds = uses.map(({ clientId }) => clientId);
  const created = uses.map((use) => use.created);
  const { rows } = await sql<{
    horizon_seconds: number;
    refused_ranges: string;
    is_settled: number;
    position: number;
    fresh: Buffer[];
  }>`
    with here as (
      select horizon_seconds, refused_ranges, is_settled, ${logPosition} as position from guard_epochs
      where epoch = ${epoch} and epoch = ${guardEpoch} and ${logPosition} >= ${position}::bigint
    ), fresh as (
      insert into used_signatures (id, client_id, created_seconds, first_used_at)
      select item.id, item.client_id, item.created_seconds, clock_timestamp()
      from here, unnest(${ids}::bytea[], ${clientIds}::text[], ${created}::bigint[])
        as item (id, client_id, created_seconds)
      where item.created_seconds > here.horizon_seconds and not exists (
        select from jsonb_array_elements(here.refused_ranges::jsonb) as range
        where item.created_seconds between (range->>0)::bigint and (range->>1)::bigint
      )
      order by item.id
      on conflict (id) do nothing
      returning id
    )
    select here.horizon_seconds, here.refused_ranges, here.is_settled, here.position,
      array(select id from fresh) as fresh from here`.execute(database);
  const [row] = rows;
  return {
    fresh: new Set(row?.fresh.map((bytes) => bytes.toString('latin1'))),
    horizonSeconds: row?.horizon_seconds,
    refusedRanges: row?.refused_ranges ?? '[]',
    isSettled: row?.is_settled === 1,
    position: row?.position ?? 0,
  };
}

/** Reads how long ago remembered signatures were first used, in milliseconds by the server's clock. */
export async function readAges(database: Database, ids: Iterable<string>): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: Buffer; age_ms: number }>`
    select id, (extract(epoch from clock_timestamp() - first_used_at) * 1000)::float8 as age_ms
    from used_signatures where id = any(${Array.from(ids, bytesOf)}::bytea[])`.execute(database);
  return new Map(rows.map((row) => [row.id.toString('latin1'), row.age_ms]));
}

/** Reads the server's clock. Unix seconds. */
export async function readClock(database: Database): Promise<number> {
  const { rows } = await sql<{
    now: number;
  }>`select extract(epoch from clock_timestamp())::float8 as now`.execute(database);
  return rows[0]!.now;
}

/**
 * Counts the remembered signatures. Clients and accounts are counted by name only if they have more than
 * `worthCounting`.
 */
export async function countUses(database: Database, worthCounting: number): Promise<GuardCount> {
  const { rows } = await sql<{ kind: 'all' | 'client' | 'account'; name: string; entries: number }>`
    with counted as materialized (
      select client_id, count(*) as entries from used_signatures group by client_id
    )
    select 'all' as kind, '' as name, coalesce(sum(entries), 0)::bigint as entries from counted
    union all
    select 'client', client_id, entries from counted where entries > ${worthCounting}
    union all
    select 'account', account_id, sum(entries)::bigint from counted join clients using (client_id)
      group by account_id having sum(entries) > ${worthCounting}`.execute(database);
  const countsOf = (kind: 'client' | 'account'): Map<string, number> =>
    new Map(rows.filter((row) => row.kind === kind).map(({ name, entries }) => [name, entries]));
  return {
    entries: rows.find(({ kind }) => kind === 'all')?.entries ?? 0,
    entriesByClient: countsOf('client'),
    entriesByAccount: countsOf('account'),
  };
}

/**
 * Removes some signatures created up to a second. Returns false if none are left, or if another node is
 * removing them.
 */
export async function removeSomeUses(database: Database, createdUpTo: number): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    const lock = sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${removalLock}) as mine`;
    if (!(await lock.execute(transaction)).rows[0]?.mine) return false;
    const { numAffectedRows } = await sql`
      delete from used_signatures where ctid = any(array(
        select ctid from used_signatures where created_seconds <= ${createdUpTo}
        order by created_seconds limit ${removedAtOnce}))`.execute(transaction);
    return numAffectedRows === BigInt(removedAtOnce);
  });
}

const removedAtOnce = 5000;
const removalLock = 0x72656d6f;

function bytesOf(id: string): Buffer {
  return Buffer.from(id, 'latin1');
}
