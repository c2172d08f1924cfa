import { spanMs } from '../request-log/counts/request-counts.ts';
import type { Database } from '../storage/transaction.ts';
import type { NotingContext } from './add-notice.ts';
import { noteFirstFailures } from './first-failures.ts';
import { countRefusals } from './refusal-counts.ts';
import { noteRefusedAddresses } from './refused-addresses.ts';

/**
 * Makes notices of rejected requests from what the request log has. Accounts in which nothing was rejected since the
 * last look are passed over.
 */
export class RefusalNotices {
  readonly #database: Database;
  /** What each account's counts were when it was looked at last. */
  #known: ReadonlyMap<string, string> = new Map();
  #lookedAtMs: number | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  async note(context: NotingContext): Promise<void> {
    const { nowMs } = context;
    // The first look covers a day. Requests are logged some seconds late, so the last hour is always looked at again.
    const sinceMs = Math.max(this.#lookedAtMs ?? 0, nowMs - spanMs.day) - spanMs.hour;
    const fromMs = sinceMs - (sinceMs % spanMs.hour);
    const known = new Map<string, string>();
    for (const { accountId, failures, addresses } of await countRefusals(this.#database, fromMs)) {
      const day = Math.floor(nowMs / spanMs.day);
      const state = [fromMs, day, failures, addresses].join(' ');
      if (this.#known.get(accountId) !== state) {
        if (failures > 0) await noteFirstFailures(this.#database, accountId, fromMs, context);
        if (addresses > 0) await noteRefusedAddresses(this.#database, accountId, context);
      }
      known.set(accountId, state);
    }
    this.#known = known;
    this.#lookedAtMs = nowMs;
  }
}
