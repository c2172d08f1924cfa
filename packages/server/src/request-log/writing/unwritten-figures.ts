import { passedOutcomes } from '@countersign/contract/problems';
import { noVerdicts, RequestFigures, type Verdicts } from '../../registry/request-figures.ts';
import { timeClassOf } from '../../registry/time-classes.ts';
import { StorageError } from '../../storage/storage-error.ts';
import { type AddedFigures, valuesMax } from '../counts/request-figures.ts';
import { spanMs } from '../counts/request-counts.ts';
import type { RequestWrites } from './request-writes.ts';

/** A request to count by its facts. */
export interface FiguredRequest {
  readonly accountId: string;
  readonly clientId: string;
  /** True if its signature was valid. */
  readonly isProved: boolean;
  readonly keyId: string | undefined;
  readonly outcome: string;
  /** True if the rejection was not enforced. */
  readonly isObserved: boolean;
  readonly method: string;
  /** The configured path of its operation; undefined if no route matched. */
  readonly operationPath: string | undefined;
  readonly status: number;
  readonly sourceAddress: string;
  /** The service's own time; undefined if unknown. */
  readonly ownMs: number | undefined;
  readonly receivedAtMs: number;
}

/**
 * Counts requests by their facts until the figures are written, as `RequestCounts` does by their outcomes. Anyone can
 * name a client, so requests without proof get half of the room for values, and cannot push out those with one.
 */
export class UnwrittenFigures {
  readonly #hours = new Map<string, Hour>();
  /** The figures to add to the database's rows. */
  readonly #rows = new Map<string, Added>();
  #skipped = 0;

  /** The number of requests since the start that are missing because too many clients called at once. */
  get skippedCount(): number {
    return this.#skipped;
  }

  /** Counts a request. Cheap; never throws. */
  add(request: FiguredRequest): void {
    const { accountId, clientId, receivedAtMs, isProved } = request;
    const startsAtMs = receivedAtMs - (receivedAtMs % spanMs.hour);
    const name = `${clientId} ${startsAtMs}`;
    let hour = this.#hours.get(name);
    if (hour === undefined) {
      if (this.#hours.size + this.#rows.size >= placesMax) {
        this.#skipped += 1;
        return;
      }
      hour = { accountId, clientId, startsAtMs, ...noFigures() };
      this.#hours.set(name, hour);
    }
    count(request, isProved ? hour.proved : hour.unproved, isProved ? valuesMax.proved : valuesMax.unproved);
  }

  /** Adds the figures to those in storage. Rejects if storage fails, and keeps what was not stored. */
  async write(writes: Pick<RequestWrites, 'addFigures'>): Promise<void> {
    for (const hour of this.#hours.values()) this.#addRows(hour);
    this.#hours.clear();
    const rows = [...this.#rows];
    for (let start = 0; start < rows.length; start += rowsPerWrite) {
      const some = rows.slice(start, start + rowsPerWrite);
      try {
        await writes.addFigures(some.map(([, added]) => addedOf(added)));
      } catch (error) {
        // These may have been written: adding them again could count them twice.
        if (error instanceof StorageError && error.code !== 'in_doubt') throw error;
        this.#forget(some);
        throw error;
      }
      this.#forget(some);
    }
  }

  #addRows({ accountId, clientId, startsAtMs, proved, unproved }: Hour): void {
    for (const span of ['hour', 'day'] as const) {
      // The second is the account's total, so that reading it doesn't require all its clients' rows.
      for (const client_id of [clientId, '']) {
        const starts_at_ms = startsAtMs - (startsAtMs % spanMs[span]);
        const name = `${accountId} ${span} ${starts_at_ms} ${client_id}`;
        const place = { account_id: accountId, span, starts_at_ms, client_id };
        const known = this.#rows.get(name) ?? { ...place, ...noFigures() };
        this.#rows.set(name, known);
        known.proved.add(proved, valuesMax.proved);
        known.unproved.add(unproved, valuesMax.unproved);
      }
    }
  }

  #forget(rows: readonly (readonly [name: string, added: Added])[]): void {
    for (const [name] of rows) this.#rows.delete(name);
  }
}

interface Both {
  readonly proved: RequestFigures;
  readonly unproved: RequestFigures;
}

interface Hour extends Both {
  readonly accountId: string;
  readonly clientId: string;
  readonly startsAtMs: number;
}

type Added = Omit<AddedFigures, 'proved' | 'unproved'> & Both;

function noFigures(): Both {
  return { proved: new RequestFigures(), unproved: new RequestFigures() };
}

function addedOf({ proved, unproved, ...place }: Added): AddedFigures {
  return { ...place, proved: proved.toText(), unproved: unproved.toText() };
}

function count(request: FiguredRequest, figures: RequestFigures, most: number): void {
  const { outcome, keyId, method, operationPath, status, sourceAddress, ownMs } = request;
  const verdicts = verdictsOf(request);
  const operation = operationPath === undefined ? '' : `${shownMethod(method)} ${operationPath}`;
  figures.addValue('operation', operation, verdicts, most);
  figures.addValue('status', String(status), verdicts, most);
  if (verdicts.accepted === 0) figures.addValue('cause', outcome, verdicts, most);
  if (keyId !== undefined) figures.addValue('key', keyId, verdicts, most);
  figures.addValue('address', sourceAddress, verdicts, most);
  // Without a response, the time says when the caller hung up.
  if (ownMs !== undefined && status !== 0) figures.addTime(timeClassOf(ownMs), 1);
}

function verdictsOf({ isObserved, outcome }: FiguredRequest): Verdicts {
  if (isObserved) return { ...noVerdicts, observed: 1 };
  return passedOutcomes.has(outcome) ? { ...noVerdicts, accepted: 1 } : { ...noVerdicts, refused: 1 };
}

/** Callers can send any word as a method. */
function shownMethod(method: string): string {
  return /^[A-Z]{1,20}$/.test(method) ? method : '*';
}

/** About 30 MB with a few values each. */
const placesMax = 10_000;
const rowsPerWrite = 100;
