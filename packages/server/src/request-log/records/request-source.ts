import { firstIdAt } from '@countersign/contract/ids';
import { type Selectable, sql } from 'kysely';
import { closeEpoch, readEpoch } from './request-epoch.ts';
import { entryOf } from './request-records.ts';
import type { RequestRecordsTable } from '../../registry/request-tables.ts';
import type { Database } from '../../storage/transaction.ts';
import {
  batchLimits,
  type StreamLag,
  type StreamPage,
  type StreamPlace,
  type StreamReader,
  type StreamRecord,
  type StreamStart,
  withinBatch,
} from '../../registry/stream-records.ts';

type Row = Selectable<RequestRecordsTable>;

/** Reads the request log for streams, by epoch. */
export const requestReader: StreamReader = { start: requestStart, read: readRequestPage, lag: requestLag };

/**
 * Returns the place at which a stream of the request log begins; undefined while that can't be told. From here on, rows have
 * an epoch. Those from before have none and are complete, so they are sent first, by their ids.
 */
async function requestStart(database: Database, from: StreamStart): Promise<StreamPlace | undefined> {
  const epoch = await closeEpoch(database);
  if (epoch === undefined) return undefined;
  if (from.kind === 'now') return { position: epoch, recordId: '', backfillToId: null, fromMs: 0 };
  const fromMs = from.kind === 'time' ? from.atMs : 0;
  const last = await database
    .selectFrom('request_records')
    .select('request_id')
    .orderBy('request_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const recordId = firstIdAt('request', fromMs);
  return { position: 0, recordId, backfillToId: last?.request_id ?? null, fromMs };
}

/** Reads the next requests; undefined if there are none. */
async function readRequestPage(database: Database, place: StreamPlace): Promise<StreamPage | undefined> {
  if (place.backfillToId !== null) {
    const page = await readBackfill(database, place, place.backfillToId);
    return page ?? { records: [], next: { ...place, recordId: '', backfillToId: null } };
  }
  const current = await readEpoch(database);
  const page = await readEpochs(database, place, current);
  if (page !== undefined) return page;
  if (!(await hasRowsFrom(database, current))) return undefined;
  const next = await closeEpoch(database);
  return next === undefined ? undefined : readEpochs(database, place, next);
}

async function readBackfill(
  database: Database,
  place: StreamPlace,
  toId: string,
): Promise<StreamPage | undefined> {
  const rows = await database
    .selectFrom('request_records')
    .selectAll()
    .where('request_id', '>', place.recordId)
    .where('request_id', '<=', toId)
    .orderBy('request_id')
    .limit(batchLimits.records)
    .execute();
  return pageOf(rows, place, ({ epoch }) => epoch === null);
}

/** Reads rows of epochs before the given one. */
async function readEpochs(
  database: Database,
  place: StreamPlace,
  beforeEpoch: number,
): Promise<StreamPage | undefined> {
  const rows = await database
    .selectFrom('request_records')
    .selectAll()
    .where(sql<boolean>`epoch is not null`)
    .where('epoch', '<', beforeEpoch)
    .where(sql<boolean>`(epoch, request_id) > (${place.position}, ${place.recordId})`)
    .orderBy('epoch')
    .orderBy('request_id')
    .limit(batchLimits.records)
    .execute();
  return pageOf(rows, place, () => true);
}

function pageOf(
  rows: readonly Row[],
  place: StreamPlace,
  isWanted: (row: Row) => boolean,
): StreamPage | undefined {
  const wanted = rows.filter((row) => isWanted(row) && row.received_at_ms >= place.fromMs);
  const records = withinBatch(wanted.map(recordOf));
  // What did not fit, and everything after it, is read again.
  const last = records.length < wanted.length ? wanted[records.length - 1] : rows.at(-1);
  if (last === undefined) return undefined;
  const next = { ...place, recordId: last.request_id };
  return { records, next: place.backfillToId === null ? { ...next, position: last.epoch ?? 0 } : next };
}

function recordOf(row: Row): StreamRecord {
  const { request_id: id, outcome } = row;
  return {
    source: 'requests',
    id,
    atMs: row.received_at_ms,
    name: outcome,
    isWarning: outcome !== 'accepted',
    line: JSON.stringify({ source: 'requests', id, record: entryOf(row) }),
  };
}

async function hasRowsFrom(database: Database, epoch: number): Promise<boolean> {
  const row = await database
    .selectFrom('request_records')
    .select('request_id')
    .where(sql<boolean>`epoch is not null`)
    .where('epoch', '>=', epoch)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

const countedMax = 10_000;

/** Returns how many requests follow a place, 10,000 at most, and the time of the first. Those to backfill aren't counted. */
async function requestLag(
  database: Database,
  { position, recordId, backfillToId }: StreamPlace,
): Promise<StreamLag> {
  const after = backfillToId === null ? recordId : '';
  const rest = database
    .selectFrom('request_records')
    .where(sql<boolean>`epoch is not null`)
    .where(sql<boolean>`(epoch, request_id) > (${position}, ${after})`);
  const { records } = await database
    .selectFrom(rest.select('request_id').limit(countedMax).as('rest'))
    .select(({ fn }) => fn.countAll<number>().as('records'))
    .executeTakeFirstOrThrow();
  const first = await rest
    .select('received_at_ms')
    .orderBy('epoch')
    .orderBy('request_id')
    .limit(1)
    .executeTakeFirst();
  return { records, firstAtMs: first?.received_at_ms };
}
