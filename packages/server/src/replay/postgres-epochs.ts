import { SecondRanges } from '@countersign/gate';
import { sql } from 'kysely';
import { type Database, inTransaction } from '../storage/transaction.ts';
import { guardEpoch, logPosition } from './postgres-signatures.ts';

/** A node's report when it meets an unknown epoch. */
export interface Arrival {
  readonly nodeId: string;
  /** The total number of nodes. */
  readonly nodes: number;
  /**
   * The seconds in which this node may have accepted a signature during its lifetime, or any node before that.
   * Undefined for a node that has just started and knows nothing.
   */
  readonly accepted: SecondRanges | undefined;
  /** The node's clock. Unix seconds. */
  readonly nowSeconds: number;
  /** How far an accepted signature's `created` can be ahead of a clock. */
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
  /** Unknown signatures of these seconds are rejected. */
  readonly refused: SecondRanges;
  /** Every `created` of a remembered signature. Unix seconds. */
  readonly rememberedSeconds: readonly number[];
}

/**
 * Joins the database's current epoch, and begins it if no node has yet.
 *
 * Signatures accepted before an epoch may be forgotten, so each epoch has a horizon: unknown signatures up to
 * it are rejected. At first nothing is known about the time before, and the horizon is late enough to reject
 * everything. Each node that was running reports the seconds in which it had accepted signatures; by then it
 * accepts nothing more in the earlier epoch. Once all nodes have reported, the epoch is settled: the horizon
 * falls, and the seconds that any of them reported are rejected. A node that is missing or has just started
 * can't report; then the horizon stays until it has passed.
 *
 * A database's very first epoch has nothing before it.
 *
 * If an old copy of the server's files is started in its place, it has the same epoch. A node that has seen a
 * longer log begins a new epoch by truncating the table.
 */
export async function joinEpoch(database: Database, arrival: Arrival): Promise<EpochState> {
  return inTransaction(database, async (transaction) => {
    await sql`select pg_advisory_xact_lock(${epochLock})`.execute(transaction);
    if (wentBack(await readEpoch(transaction), arrival.seen))
      await sql`truncate used_signatures`.execute(transaction);
    await beginEpoch(transaction, arrival);
    const state = await readEpoch(transaction);
    if (arrival.accepted !== undefined) await testify(transaction, state.epoch, arrival.accepted, arrival);
    return state;
  });
}

/** Reads the database's current epoch. */
export async function readEpoch(database: Database): Promise<EpochState> {
  const { rows } = await sql<{
    epoch: string;
    horizon_seconds: number | null;
    refused_ranges: string | null;
    remembered_seconds: readonly number[];
    position: number;
  }>`
    with recursive remembered as (
      select max(created_seconds) as created from used_signatures
      union all
      select (select max(created_seconds) from used_signatures where created_seconds < created)
      from remembered where created is not null
    )
    select here.epoch, ${logPosition} as position, guard_epochs.horizon_seconds, guard_epochs.refused_ranges,
      (select coalesce(json_agg(created), '[]') from remembered where created is not null) as remembered_seconds
    from (select ${guardEpoch} as epoch) as here left join guard_epochs using (epoch)`.execute(database);
  const { epoch, position, ...row } = rows[0]!;
  return {
    epoch,
    position,
    horizonSeconds: row.horizon_seconds ?? 0,
    refused: rangesOf(row.refused_ranges ?? '[]'),
    rememberedSeconds: row.remembered_seconds,
  };
}

/** Reads a column of ranges. */
export function rangesOf(text: string): SecondRanges {
  const ranges = SecondRanges.parse(JSON.parse(text));
  if (!ranges) throw new Error("the replay guard's ranges in the database are damaged");
  return ranges;
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
 * Raises the horizon before anything older is forgotten. Returns false if nothing may be forgotten yet, because
 * the epoch is over, or is not settled and the horizon may still fall.
 */
export async function raiseHorizon(database: Database, epoch: string, toSeconds: number): Promise<boolean> {
  const { rows } = await sql`
    update guard_epochs set horizon_seconds = greatest(horizon_seconds, ${toSeconds})
    where epoch = ${epoch} and epoch = ${guardEpoch} and is_settled = 1 returning epoch`.execute(database);
  return rows.length === 1;
}

const epochLock = 0x65706f63;

/** Begins the first epoch, which has nothing before it. */
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

/** Stores this node's testimony. Only one node at a time does this. */
async function testify(
  database: Database,
  epoch: string,
  accepted: SecondRanges,
  { nodeId, nodes }: Arrival,
): Promise<void> {
  const testimonies = await database
    .selectFrom('guard_testimonies')
    .select(['node_id', 'accepted_ranges'])
    .where('epoch', '=', epoch)
    .execute();
  const others = testimonies.filter(({ node_id: id }) => id !== nodeId);
  // The testimony may have been stored earlier, with its response lost.
  const earlier = testimonies.find(({ node_id: id }) => id === nodeId);
  const own = earlier ? accepted.union(rangesOf(earlier.accepted_ranges)) : accepted;
  const accepted_ranges = JSON.stringify(own);
  await database
    .insertInto('guard_testimonies')
    .values({ epoch, node_id: nodeId, accepted_ranges })
    .onConflict((conflict) => conflict.columns(['epoch', 'node_id']).doUpdateSet({ accepted_ranges }))
    .execute();
  const refused = others.reduce((all, other) => all.union(rangesOf(other.accepted_ranges)), own);
  // Testimony that arrives after all others comes from a surplus node: better late than never.
  await sql`
    update guard_epochs set refused_ranges = ${JSON.stringify(refused)},
      horizon_seconds = case is_settled when 1 then horizon_seconds else 0 end, is_settled = 1
    where epoch = ${epoch} and (is_settled = 1 or ${others.length + 1}::integer >= ${nodes}::integer)`.execute(
    database,
  );
}
