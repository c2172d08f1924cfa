import { sql } from 'kysely';
import { type Database, inTransaction } from '../storage/transaction.ts';
import { guardEpoch, logPosition } from './postgres-signatures.ts';

/** What a node says when it meets an epoch that it does not know. */
export interface Arrival {
  readonly nodeId: string;
  /** How many nodes there are. */
  readonly nodes: number;
  /**
   * No signature with a later `created` was accepted by this node in its life, nor by any before that. Undefined for a
   * node that has just started, and knows of nothing.
   */
  readonly acceptedSeconds: number | undefined;
  /** The clock of the node. Unix seconds. */
  readonly nowSeconds: number;
  /** How far ahead of a clock the `created` of an accepted signature can be. */
  readonly aheadSecondsMax: number;
  /** Where the database stood when this node last saw it; undefined for a node that has just started. */
  readonly seen: Sighting | undefined;
}

/** Where a database stood: its log only grows, whatever is in the database. */
export interface Sighting {
  readonly epoch: string;
  /** Bytes of the log that were on the disk. */
  readonly position: number;
}

/** What the database says of itself. */
export interface EpochState extends Sighting {
  /** Up to here, signatures that are not known are refused. Unix seconds. */
  readonly horizonSeconds: number;
  /** The latest `created` that is remembered. Unix seconds. */
  readonly latestSeconds: number;
}

/**
 * Takes part in the epoch that the database is in, and begins it if nobody has yet.
 *
 * What was accepted before an epoch may be forgotten, so it has a horizon, up to which signatures that are not known are
 * refused. At first nothing is known of the time before, and the horizon is so late that everything is refused. Each node
 * that was there testifies up to which `created` it had accepted; by then it accepts nothing in the earlier epoch any
 * more. When all have, the epoch is settled, and its horizon is the latest of these. A node that is missing, or has just
 * started, cannot testify: then the horizon stays, until it has passed.
 *
 * The very first epoch of a database has nothing before it.
 *
 * A copy of the files of before, started in the place of the server, calls itself by the same epoch. A node that has seen
 * its log longer begins another one, by emptying the table.
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

/** Looks at the epoch that the database is in. */
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

/** Whether a database is an older state of what was seen. */
export function wentBack(now: Sighting, seen: Sighting | undefined): boolean {
  return seen !== undefined && logOf(now.epoch) === logOf(seen.epoch) && now.position < seen.position;
}

/** An epoch without its last part, the file of the table: positions in one log can be compared. */
function logOf(epoch: string): string {
  return epoch.slice(0, epoch.lastIndexOf('/'));
}

/**
 * Raises the horizon, before what is older is forgotten. False when it may not be forgotten yet: the epoch is over, or
 * not settled, and then the horizon may still fall.
 */
export async function raiseHorizon(database: Database, epoch: string, toSeconds: number): Promise<boolean> {
  const { rows } = await sql`
    update guard_epochs set horizon_seconds = greatest(horizon_seconds, ${toSeconds})
    where epoch = ${epoch} and epoch = ${guardEpoch} and is_settled = 1 returning epoch`.execute(database);
  return rows.length === 1;
}

const epochLock = 0x65706f63;

/** The first epoch of all has nothing before it. */
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
  // It may have come before, and its answer not.
  await sql`
    insert into guard_testimonies (epoch, node_id, accepted_seconds)
    values (${epoch}, ${nodeId}, ${acceptedSeconds})
    on conflict (epoch, node_id) do update
      set accepted_seconds = greatest(guard_testimonies.accepted_seconds, excluded.accepted_seconds)`.execute(
    database,
  );
  // One that comes when all others were in is of a node too many: better late than never.
  await sql`
    with heard as (
      select count(*) as nodes, max(accepted_seconds) as latest from guard_testimonies where epoch = ${epoch}
    )
    update guard_epochs set is_settled = 1,
      horizon_seconds = greatest(heard.latest, case is_settled when 1 then horizon_seconds end)
    from heard where epoch = ${epoch} and (is_settled = 1 or heard.nodes >= ${nodes})`.execute(database);
}
