import { sql } from 'kysely';
import { type Database, inTransaction } from '../storage/transaction.ts';
import { guardEpoch, logPosition } from './postgres-signatures.ts';

/** A node's report when it meets an unknown epoch. */
export interface Arrival {
  readonly nodeId: string;
  /** The total number of nodes. */
  readonly nodes: number;
  /**
   * Neither this node during its lifetime, nor any node before that, has accepted a signature with a later `created`.
   * Undefined for a node that has just started and knows nothing.
   */
  readonly acceptedSeconds: number | undefined;
  /** The node's clock. Unix seconds. */
  readonly nowSeconds: number;
  /** An accepted signature's `created` can be this far ahead of a clock. */
  readonly aheadSecondsMax: number;
  /** The log position that this node last saw; undefined for a node that has just started. */
  readonly seen: Sighting | undefined;
}

/** A position in a database's log, which only grows, whatever happens to the data. */
export interface Sighting {
  readonly epoch: string;
  /** Bytes of the log that were on disk. */
  readonly position: number;
}

/** The epoch's state in the database. */
export interface EpochState extends Sighting {
  /** Unknown signatures up to this second are rejected. Unix seconds. */
  readonly horizonSeconds: number;
  /** The latest remembered `created`. Unix seconds. */
  readonly latestSeconds: number;
}

/**
 * Joins the database's current epoch, and begins it if nobody has yet.
 *
 * Signatures accepted before an epoch may be forgotten, so each epoch has a horizon: unknown signatures up to it are
 * rejected. At first nothing is known about the time before, and the horizon is late enough to reject everything.
 * Each node that was running testifies up to which `created` it had accepted; by then it accepts nothing more in the
 * earlier epoch. Once all nodes have testified, the epoch is settled, and its horizon is the latest of their times. A
 * node that is missing or has just started can't testify; then the horizon stays until it has passed.
 *
 * A database's very first epoch has nothing before it.
 *
 * If an old copy of the server's files is started in its place, it reports the same epoch. A node that has seen a
 * longer log begins a new epoch by truncating the table.
 */
export async function joinEpoch(database: Database, arrival: Arrival): Promise<EpochState> {
  return inTransaction(database, async (transaction) => {
    await sql`select pg_advisory_xact_lock(${epochLock})`.execute(transaction);
    if (wentBack(await readEpoch(transaction), arrival.seen))
      await sql`truncate used_signatures`.execute(transaction);
    await beginEpoch(transaction, arrival);
    const state = await readEpoch(transaction);
    if (arrival.acceptedSeconds !== undefined) await testify(transaction, state.epoch, arrival);
    return state;
  });
}

/** Reads the database's current epoch. */
export async function readEpoch(database: Database): Promise<EpochState> {
  const { rows } = await sql<{
    epoch: string;
    horizon_seconds: number | null;
    latest_seconds: number | null;
    position: number;
  }>`
    select here.epoch, ${logPosition} as position,
      (select horizon_seconds from guard_epochs where guard_epochs.epoch = here.epoch) as horizon_seconds,
      (select max(created_seconds) from used_signatures) as latest_seconds
    from (select ${guardEpoch} as epoch) as here`.execute(database);
  const { epoch, position, horizon_seconds: horizonSeconds, latest_seconds: latestSeconds } = rows[0]!;
  return { epoch, position, horizonSeconds: horizonSeconds ?? 0, latestSeconds: latestSeconds ?? 0 };
}

/** Returns true if the database is in an older state than was seen before. */
export function wentBack(now: Sighting, seen: Sighting | undefined): boolean {
  return seen !== undefined && logOf(now.epoch) === logOf(seen.epoch) && now.position < seen.position;
}

/** Returns an epoch without its last part, the table's file: log positions stay comparable when only that changes. */
function logOf(epoch: string): string {
  return epoch.slice(0, epoch.lastIndexOf('/'));
}

/**
 * Raises the horizon before anything older is forgotten. False if nothing may be forgotten yet, because the epoch is
 * over, or not settled and the horizon may still fall.
 */
export async function raiseHorizon(database: Database, epoch: string, toSeconds: number): Promise<boolean> {
  const { rows } = await sql`
    update guard_epochs set horizon_seconds = greatest(horizon_seconds, ${toSeconds})
    where epoch = ${epoch} and epoch = ${guardEpoch} and is_settled = 1 returning epoch`.execute(database);
  return rows.length === 1;
}

const epochLock = 0x65706f63;

/** The very first epoch has nothing before it. */
async function beginEpoch(database: Database, { nowSeconds, aheadSecondsMax }: Arrival): Promise<void> {
  await sql`
    insert into guard_epochs (epoch, is_settled, horizon_seconds)
    select ${guardEpoch}, is_first::integer, case when is_first then 0 else greatest(${nowSeconds}::bigint,
      extract(epoch from clock_timestamp())::bigint) + ${aheadSecondsMax}::bigint end
    from (
      select not exists (select from guard_epochs) and not exists (select from used_signatures) as is_first
    ) as past
    on conflict (epoch) do nothing`.execute(database);
}

async function testify(
  database: Database,
  epoch: string,
  { nodeId, nodes, acceptedSeconds = 0 }: Arrival,
): Promise<void> {
  // The testimony may have been stored earlier with its answer lost.
  await sql`
    insert into guard_testimonies (epoch, node_id, accepted_seconds)
    values (${epoch}, ${nodeId}, ${acceptedSeconds})
    on conflict (epoch, node_id) do update
      set accepted_seconds = greatest(guard_testimonies.accepted_seconds, excluded.accepted_seconds)`.execute(
    database,
  );
  // Testimony after all others are in comes from a surplus node: better late than never.
  await sql`
    with heard as (
      select count(*) as nodes, max(accepted_seconds) as latest from guard_testimonies where epoch = ${epoch}
    )
    update guard_epochs set is_settled = 1,
      horizon_seconds = greatest(heard.latest, case is_settled when 1 then horizon_seconds end)
    from heard where epoch = ${epoch} and (is_settled = 1 or heard.nodes >= ${nodes})`.execute(database);
}
