import { firstIdAt, type LiveEvent } from '@countersign/contract';
import { listAuditEvents } from '../registry/store/audit.ts';
import { listNewRequestIds, readRequestRecords } from '../registry/store/request-records.ts';
import type { Database } from '../storage/transaction.ts';

/** What the following of an account needs. */
export interface AccountEventsOptions {
  readonly database: Database;
  readonly accountId: string;
  readonly nowMs: () => number;
}

/**
 * Finds what is new in an account, look by look: requests that were kept, and changes. A look costs little, however much
 * has happened: of too much only the newest is told, and that there was more.
 */
export class AccountEvents {
  readonly #options: AccountEventsOptions;
  /** The requests of the last seconds that were found already. */
  #knownRequestIds: ReadonlySet<string> | undefined;
  #lastEventId: string | undefined;
  #isBehind = false;

  constructor(options: AccountEventsOptions) {
    this.#options = options;
  }

  /** What is new since the last look, oldest first; nothing the first time. Rejects when storage does not work. */
  async look(): Promise<readonly LiveEvent[]> {
    const isFirst = this.#knownRequestIds === undefined;
    const wasBehind = this.#isBehind;
    // Until this look has ended well: what it misses must be told of.
    this.#isBehind = true;
    const requests = await this.#newRequests();
    const changes = await this.#newChanges();
    this.#isBehind = false;
    if (isFirst) return [];
    const isGap = wasBehind || requests.isMore || changes.isMore;
    return [...(isGap ? [gap] : []), ...changes.events, ...requests.events];
  }

  /**
   * Ids of requests are in the order in which they began, and are written after they ended, by several nodes: what is
   * new may stand before what is known, by some seconds.
   */
  async #newRequests(): Promise<Found> {
    const { database, accountId, nowMs } = this.#options;
    const known = this.#knownRequestIds ?? noIds;
    const fromId = firstIdAt('request', nowMs() - windowMs);
    const found = await listNewRequestIds(database, { accountId, fromId, limit: idsPerLook });
    this.#knownRequestIds = new Set(found);
    const fresh = found.filter((requestId) => !known.has(requestId));
    const isMore = fresh.length > toldPerLook;
    if (known === noIds) return { events: [], isMore: false };
    const rows = await readRequestRecords(database, fresh.slice(0, toldPerLook));
    return { events: rows.map((data): LiveEvent => ({ event: 'request', data })), isMore };
  }

  async #newChanges(): Promise<Found> {
    const { database, accountId } = this.#options;
    const last = this.#lastEventId;
    const newest = await listAuditEvents(database, { accountId, limit: 1 });
    const newestId = newest.events[0]?.eventId ?? '';
    this.#lastEventId = newestId;
    if (last === undefined || last === newestId) return nothing;
    const { events } = await listAuditEvents(database, { accountId, limit: toldPerLook });
    const known = events.findIndex(({ eventId }) => eventId === last);
    const fresh = known < 0 ? events : events.slice(0, known);
    return {
      events: fresh.toReversed().map((data): LiveEvent => ({ event: 'change', data })),
      isMore: known < 0 && last !== '',
    };
  }
}

interface Found {
  readonly events: readonly LiveEvent[];
  /** Whether there was more than is told. */
  readonly isMore: boolean;
}

const nothing: Found = { events: [], isMore: false };
const noIds: ReadonlySet<string> = new Set();
const gap: LiveEvent = { event: 'gap', data: {} };

/** How long after its beginning a request may be written. */
const windowMs = 30_000;
const idsPerLook = 2000;
const toldPerLook = 100;
