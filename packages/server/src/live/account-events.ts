import { firstIdAt, type LiveEvent } from '@countersign/contract';
import { listAuditEvents } from '../registry/store/audit.ts';
import { listNewRequestIds, readRequestRecords } from '../request-log/records/request-records.ts';
import type { Database } from '../storage/transaction.ts';

/** Options for following an account. */
export interface AccountEventsOptions {
  readonly database: Database;
  readonly accountId: string;
  readonly nowMs: () => number;
}

/**
 * Polls an account for new requests and changes. A poll is cheap, however much has happened: if there are too
 * many events, it returns only the newest, preceded by a notice that there were more.
 */
export class AccountEvents {
  readonly #options: AccountEventsOptions;
  /** The IDs of recent requests that earlier polls found. */
  #knownRequestIds: ReadonlySet<string> | undefined;
  #lastEventId: string | undefined;
  #isBehind = false;

  constructor(options: AccountEventsOptions) {
    this.#options = options;
  }

  /** Returns everything new since the last call, oldest first; nothing on the first call. Rejects if storage fails. */
  async look(): Promise<readonly LiveEvent[]> {
    const isFirst = this.#knownRequestIds === undefined;
    const wasBehind = this.#isBehind;
    // Stays set if this poll fails, so that the next one reports the gap.
    this.#isBehind = true;
    const requests = await this.#newRequests();
    const changes = await this.#newChanges();
    // Not before both are read: what a failing poll found is found again by the next one.
    this.#knownRequestIds = requests.ids;
    this.#lastEventId = changes.lastEventId;
    this.#isBehind = false;
    if (isFirst) return [];
    const isGap = wasBehind || requests.isMore || changes.isMore;
    return [...(isGap ? [gap] : []), ...changes.events, ...requests.events];
  }

  /**
   * Finds new requests. Their IDs sort by start, but several nodes write them after they end, so a new one may sort a
   * few seconds before known ones.
   */
  async #newRequests(): Promise<Found & { readonly ids: ReadonlySet<string> }> {
    const { database, accountId, nowMs } = this.#options;
    const known = this.#knownRequestIds ?? noIds;
    const fromId = firstIdAt('request', nowMs() - windowMs);
    const found = await listNewRequestIds(database, { accountId, fromId, limit: idsPerPoll });
    const ids = new Set(found);
    const fresh = found.filter((requestId) => !known.has(requestId));
    const isMore = fresh.length > eventsPerPoll;
    if (known === noIds) return { ...nothing, ids };
    const rows = await readRequestRecords(database, fresh.slice(0, eventsPerPoll));
    return { events: rows.map((data): LiveEvent => ({ event: 'request', data })), isMore, ids };
  }

  async #newChanges(): Promise<Found & { readonly lastEventId: string }> {
    const { database, accountId } = this.#options;
    const last = this.#lastEventId;
    const newest = await listAuditEvents(database, { accountId, limit: 1 });
    const lastEventId = newest.events[0]?.eventId ?? '';
    if (last === undefined || last === lastEventId) return { ...nothing, lastEventId };
    const { events } = await listAuditEvents(database, { accountId, limit: eventsPerPoll });
    const known = events.findIndex(({ eventId }) => eventId === last);
    const fresh = known < 0 ? events : events.slice(0, known);
    return {
      events: fresh.toReversed().map((data): LiveEvent => ({ event: 'change', data })),
      isMore: known < 0 && last !== '',
      lastEventId,
    };
  }
}

interface Found {
  readonly events: readonly LiveEvent[];
  /** True if there were more than are returned. */
  readonly isMore: boolean;
}

const nothing: Found = { events: [], isMore: false };
const noIds: ReadonlySet<string> = new Set();
const gap: LiveEvent = { event: 'gap', data: {} };

/** The longest time from a request's start until it is written. */
const windowMs = 30_000;
const idsPerPoll = 2000;
const eventsPerPoll = 100;
