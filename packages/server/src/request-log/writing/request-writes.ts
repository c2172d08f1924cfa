import { type ExplanationRow, insertExplanations, trimExplanations } from '../records/explanations.ts';
import type { LastUse } from '../../registry/store/last-uses.ts';
import { addRequestCounts, type RequestCountRow, trimRequestCounts } from '../counts/request-counts.ts';
import { type AddedFigures, addRequestFigures, trimRequestFigures } from '../counts/request-figures.ts';
import { addRequestMinutes, type RequestMinuteRow, trimRequestMinutes } from '../counts/request-minutes.ts';
import {
  addClientAddresses,
  type ClientAddressRow,
  trimClientAddresses,
} from '../records/client-addresses.ts';
import { writeUses } from './first-requests.ts';
import { trimAccountRequests } from '../records/account-trimming.ts';
import { joinEpoch } from '../records/request-epoch.ts';
import { insertRequestRecords, type RequestRow } from '../records/request-inserts.ts';
import { type RequestLogBounds, trimRequestRecords } from '../records/request-trimming.ts';
import {
  addUnattributedCounts,
  trimUnattributedCounts,
  type UnattributedCountRow,
} from '../counts/unattributed-counts.ts';
import { type Database, inTransaction } from '../../storage/transaction.ts';

/**
 * The writes of the request log, a few hundred rows each at most. Each is one transaction, because SQLite syncs
 * the disk at the end of each. Arguments are plain JSON, so that another thread can run them.
 */
export interface RequestWrites {
  /** Existing rows stay unchanged. */
  insertRequests(rows: readonly RequestRow[]): Promise<void>;
  addCounts(rows: readonly RequestCountRow[]): Promise<void>;
  /** A hundred rows at most. */
  addFigures(rows: readonly AddedFigures[]): Promise<void>;
  addMinutes(rows: readonly RequestMinuteRow[]): Promise<void>;
  /** A hundred rows at most. */
  addAddresses(rows: readonly ClientAddressRow[]): Promise<void>;
  /** All rows are of one day. */
  addUnattributedCounts(rows: readonly UnattributedCountRow[]): Promise<void>;
  insertExplanations(rows: readonly ExplanationRow[]): Promise<void>;
  /** A client's first use queues the event of its first request. */
  writeLastUses(uses: readonly LastUse[]): Promise<void>;
  /**
   * Removes old and excess rows, in small steps.
   *
   * @returns true if there may be more to remove
   */
  trim(bounds: TrimBounds): Promise<boolean>;
  /**
   * Removes requests that are older than their accounts keep them, in small steps.
   *
   * @returns true if there may be more to remove
   */
  trimAccounts(nowMs: number): Promise<boolean>;
}

/** Selects the rows to remove from the request log and its counts. */
export interface TrimBounds {
  readonly requests: RequestLogBounds;
  /** Counts of hours that start before this time are removed. */
  readonly hoursFromMs: number;
  readonly daysFromMs: number;
  /** Now, for what is kept as long as alert rules look back. */
  readonly nowMs: number;
}

/** Runs the writes on a database, in this thread. */
export function requestWritesTo(database: Database): RequestWrites {
  return {
    insertRequests: (rows) =>
      inTransaction(database, async (transaction) => {
        const epoch = await joinEpoch(transaction);
        await inSteps(rows, (some) => insertRequestRecords(transaction, some, epoch));
      }),
    addCounts: (rows) =>
      inTransaction(database, (transaction) => inSteps(rows, (some) => addRequestCounts(transaction, some))),
    addFigures: (rows) => inTransaction(database, (transaction) => addRequestFigures(transaction, rows)),
    addMinutes: (rows) =>
      inTransaction(database, (transaction) => inSteps(rows, (some) => addRequestMinutes(transaction, some))),
    addAddresses: (rows) => inTransaction(database, (transaction) => addClientAddresses(transaction, rows)),
    addUnattributedCounts: (rows) =>
      inTransaction(database, (transaction) => addUnattributedCounts(transaction, rows, { rowsPerDayMax })),
    insertExplanations: (rows) =>
      inTransaction(database, (transaction) =>
        insertExplanations(transaction, rows, { perAccountMax: explanationsPerAccountMax }),
      ),
    writeLastUses: (uses) => writeUses(database, uses),
    async trim({ requests, hoursFromMs, daysFromMs, nowMs }) {
      const areMoreRequests = await trimRequestRecords(database, requests);
      await trimExplanations(database, { rowsMax: explanationsMax });
      const areMoreCounts = await trimRequestCounts(database, { hoursFromMs, daysFromMs });
      const areMoreFigures = await trimRequestFigures(database, { hoursFromMs, daysFromMs });
      const areMoreMinutes = await trimRequestMinutes(database, nowMs);
      await trimClientAddresses(database, nowMs);
      await trimUnattributedCounts(database, hoursFromMs);
      return areMoreRequests || areMoreCounts || areMoreFigures || areMoreMinutes;
    },
    trimAccounts: (nowMs) => trimAccountRequests(database, nowMs),
  };
}

const rowsPerStatement = 100;
const rowsPerDayMax = 2000;
const explanationsPerAccountMax = 1000;
const explanationsMax = 50_000;

async function inSteps<Row>(
  rows: readonly Row[],
  write: (some: readonly Row[]) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsPerStatement)
    await write(rows.slice(start, start + rowsPerStatement));
}
