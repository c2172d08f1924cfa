import { spanMs } from '../request-log/counts/request-counts.ts';
import type { Database } from '../storage/transaction.ts';
import type { NotingContext } from './add-notice.ts';
import { noteFirstFailures } from './first-failures.ts';
import { countRefusals } from './refusal-counts.ts';
import { noteRefusedAddresses } from './refused-addresses.ts';

/** Makes notices of rejected requests from the request log. Skips accounts without rejections since the last run. */
export class RefusalNotices {
  readonly #database: Database;
  /** Each account's counts in its last run. */
  #known: ReadonlyMap<string, string> = new Map();
  #lookedAtMs: number | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  async note(context: NotingContext): Promise<void> {
    const { nowMs } = context;
    // The first run covers a day. Requests are logged a few seconds late, so each run includes the last hour
    // again.
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
