import type { ServiceRequestLimit } from '@countersign/gate';
import { spanMs } from '../request-log/counts/request-counts.ts';
import type { Database } from '../storage/transaction.ts';
import type { NotingContext } from './add-notice.ts';
import { noteFailureCauses } from './failure-causes.ts';
import { noteFirstFailures } from './first-failures.ts';
import { noteRateLimits } from './rate-limits.ts';
import { type AccountRefusals, countRefusals } from './refusal-counts.ts';
import { noteRefusedAddresses } from './refused-addresses.ts';

/** Makes notices of rejected requests from the request log. Skips accounts without rejections since the last run. */
export class RefusalNotices {
  readonly #database: Database;
  readonly #requestLimit: ServiceRequestLimit;
  /** Each account's counts in its last run. */
  #known: ReadonlyMap<string, string> = new Map();
  #lookedAtMs: number | undefined;

  /** @param requestLimit the limit of clients that have none of their own */
  constructor(database: Database, requestLimit: ServiceRequestLimit) {
    this.#database = database;
    this.#requestLimit = requestLimit;
  }

  async note(context: NotingContext): Promise<void> {
    const { nowMs } = context;
    // The first run covers a day. Requests are logged a few seconds late, so each run includes the last hour
    // again.
    const sinceMs = Math.max(this.#lookedAtMs ?? 0, nowMs - spanMs.day) - spanMs.hour;
    const fromMs = sinceMs - (sinceMs % spanMs.hour);
    const known = new Map<string, string>();
    for (const refusals of await countRefusals(this.#database, fromMs)) {
      const { accountId, failures, addresses, rateLimited } = refusals;
      const day = Math.floor(nowMs / spanMs.day);
      const state = [fromMs, day, failures, addresses, rateLimited].join(' ');
      if (this.#known.get(accountId) !== state) await this.#noteAccount(refusals, fromMs, context);
      known.set(accountId, state);
    }
    this.#known = known;
    this.#lookedAtMs = nowMs;
  }

  async #noteAccount(
    { accountId, failures, addresses, rateLimited }: AccountRefusals,
    fromMs: number,
    context: NotingContext,
  ): Promise<void> {
    const database = this.#database;
    if (failures > 0) {
      await noteFirstFailures(database, accountId, fromMs, context);
      await noteFailureCauses(database, accountId, fromMs, context);
    }
    if (addresses > 0) await noteRefusedAddresses(database, accountId, context);
    if (rateLimited > 0) await noteRateLimits(database, accountId, fromMs, this.#requestLimit, context);
  }
}
