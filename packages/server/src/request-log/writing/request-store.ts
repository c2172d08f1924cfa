import { performance } from 'node:perf_hooks';
import type { Address } from '@countersign/contract';
import type { RequestRecord } from '@countersign/gate';
import type { ExplanationRow } from '../records/explanations.ts';
import { claimedClient, type ClaimedClients } from '../../registry/claimed-client.ts';
import { type LastUse, networkUseId } from '../../registry/store/last-uses.ts';
import type { RequestRow } from '../records/request-inserts.ts';
import { StorageError } from '../../storage/storage-error.ts';
import { RequestCounts } from './unwritten-counts.ts';
import { UnwrittenFigures } from './unwritten-figures.ts';
import { UnwrittenAddresses } from './unwritten-addresses.ts';
import { UnwrittenMinutes } from './unwritten-minutes.ts';
import type { RequestWrites } from './request-writes.ts';
import { StrangersRequests } from '../strangers-requests.ts';
import { UnattributedCounts } from './unwritten-unattributed-counts.ts';

/** The details of a request that the client's owner sees but the log does not contain. */
export interface RequestDetail {
  readonly receivedAtMs: number;
  /** The client that the request named, proven or not: by its ID, or unproven by the name of one of its keys. */
  readonly namedClientId: string | undefined;
  /** True if its signature was valid. */
  readonly isProved: boolean;
  /** True if it passed every check, and so counts as a use of the key. */
  readonly isAccepted: boolean;
  readonly keyId: string | undefined;
  /** The configured path of its operation; undefined if no route matched. */
  readonly operationPath?: string | undefined;
  /** How long it took, without the wait for an upstream; undefined if unknown. */
  readonly ownMs?: number | undefined;
  /** The part of the query that may be stored, `?limit=7&cursor`. */
  readonly shownQuery: string;
  readonly source: Address | undefined;
}

/** Options for the request store. */
export interface RequestStoreOptions {
  readonly writes: RequestWrites;
  readonly registry: ClaimedClients;
  readonly nowMs: () => number;
  /** Called when writing starts to fail; called again only after a success in between. */
  readonly onError: (error: unknown) => void;
  /** The interval between writes; defaults to 1,000. */
  readonly writeEveryMs?: number;
  /** Maximum number of requests waiting; defaults to 10,000. The rest are dropped and counted. */
  readonly waitingMax?: number;
  /** Days that requests are kept; 0 for no limit. */
  readonly keptDays: number;
  /** Maximum number of requests kept; 0 for no limit. */
  readonly keptMax: number;
}

/**
 * Stores requests, their counts, and the last use of clients, keys and whitelist entries. Writes in batches
 * after the responses, so no request waits. Under load, and while storage is down, it drops what it cannot
 * hold; the log file still has it.
 *
 * Stores only requests that name a client, because they have an owner who can see them. Requests that name none
 * but were let through are counted by source, for the operator.
 */
export class RequestStore {
  readonly strangers: StrangersRequests = new StrangersRequests();
  readonly #options: RequestStoreOptions;
  readonly #waitingMax: number;
  #waiting: RequestRow[] = [];
  #explanations: ExplanationRow[] = [];
  readonly #uses = new Map<string, LastUse>();
  readonly #sources = new Map<string, Source>();
  readonly #counts = new RequestCounts();
  readonly #figures = new UnwrittenFigures();
  readonly #minutes = new UnwrittenMinutes();
  readonly #addresses = new UnwrittenAddresses();
  readonly #unattributed = new UnattributedCounts();
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #nextTrimMs = 0;
  #nextAccountTrimMs = 0;
  /** As `performance.now()`. */
  #nextFiguresMs = 0;
  #dropped = 0;
  #failing = false;

  constructor(options: RequestStoreOptions) {
    this.#options = options;
    this.#waitingMax = options.waitingMax ?? 10_000;
    this.#timer = setInterval(
      () => void this.#flush({ isPaced: true }),
      options.writeEveryMs ?? 1000,
    ).unref();
  }

  /** The number of requests dropped since the start. */
  get droppedCount(): number {
    return this.#dropped;
  }

  /** The number of requests waiting to be written. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** True while the request log cannot be written. */
  get isFailing(): boolean {
    return this.#failing;
  }

  /** Queues a request that has its response. Cheap; never throws. */
  add(record: RequestRecord, detail: RequestDetail): void {
    const { namedClientId } = detail;
    const client =
      namedClientId === undefined ? undefined : claimedClient(this.#options.registry, namedClientId);
    const { keyId, receivedAtMs, source, isProved, operationPath, ownMs } = detail;
    const { requestId, outcome, isObserved = false, method, status, sourceAddress } = record;
    if (client === undefined) {
      this.strangers.add(requestId, { outcome, receivedAtMs });
      if (isObserved) this.#unattributed.add({ requestId, outcome, source, receivedAtMs });
      return;
    }
    const { accountId, clientId } = client;
    const counted = { accountId, clientId, keyId, outcome, isObserved, receivedAtMs };
    this.#counts.add(counted);
    this.#minutes.add(counted);
    this.#figures.add({ ...counted, isProved, method, operationPath, status, sourceAddress, ownMs });
    if (detail.isAccepted) {
      this.#noteUses(client, detail, sourceAddress);
      this.#addresses.add({ accountId, clientId, source, receivedAtMs });
    }
    // Strangers get half of the queue, so that they cannot push out proven requests.
    const room = isProved ? this.#waitingMax : this.#waitingMax / 2;
    if (this.#waiting.length >= room) this.#dropped += 1;
    else this.#waiting.push(rowOf(record, detail, client));
  }

  /**
   * Queues the explanation of a request that was added before; stored only if the request is. Cheap; never
   * throws.
   */
  addExplanation(row: ExplanationRow): void {
    if (this.#explanations.length < explanationsWaitingMax) this.#explanations.push(row);
  }

  /** Writes everything queued. Never rejects. */
  flush(): Promise<void> {
    return this.#flush({ isPaced: false });
  }

  /** Writes everything queued, then stops. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
    await this.flush();
  }

  #flush(pace: Pace): Promise<void> {
    this.#writing ??= this.#write(pace).finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  #noteUses(
    { clientId, accountId }: { readonly clientId: string; readonly accountId: string },
    { keyId, receivedAtMs, source }: RequestDetail,
    sourceAddress: string,
  ): void {
    if (this.#uses.size + this.#sources.size > this.#waitingMax) return;
    const from = sourceAddress === '' ? undefined : sourceAddress;
    this.#note({ subject: 'client', subjectId: clientId, usedAtMs: receivedAtMs, sourceAddress: from });
    this.#note({ subject: 'account', subjectId: accountId, usedAtMs: receivedAtMs });
    if (keyId !== undefined) this.#note({ subject: 'key', subjectId: keyId, usedAtMs: receivedAtMs });
    if (source !== undefined) {
      const name = `${clientId} ${source.family} ${source.words.join('.')}`;
      this.#sources.set(name, { clientId, address: source, usedAtMs: receivedAtMs });
    }
  }

  #note(use: LastUse): void {
    this.#uses.set(`${use.subject} ${use.subjectId}`, use);
  }

  async #write(pace: Pace): Promise<void> {
    try {
      // Taken first: the event of a first request finds the request in the log, so no use may be written before it.
      const uses = this.#usesSoFar();
      // So are explanations: one of a request that comes meanwhile would be written before it, and be lost.
      const explained = this.#explanations.length;
      while (this.#waiting.length > 0) await this.#writeSome();
      const { writes } = this.#options;
      await this.#counts.write(writes);
      await this.#minutes.write(writes);
      await this.#addresses.write(writes);
      await this.#writeFigures(pace);
      await this.#unattributed.write(writes);
      await this.#writeExplanations(explained);
      for (let start = 0; start < uses.length; start += usesPerWrite) {
        const some = uses.slice(start, start + usesPerWrite);
        await writes.writeLastUses(some);
        for (const use of some) this.#forget(use);
      }
      await this.#trimAccounts();
      await this.#trim();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#options.onError(error);
      this.#failing = true;
    }
  }

  /** Writes the first requests in the queue. */
  async #writeSome(): Promise<void> {
    const rows = this.#waiting.slice(0, requestsPerWrite);
    try {
      await this.#options.writes.insertRequests(rows);
    } catch (error) {
      if (error instanceof StorageError) throw error;
      // Rows that can never be written must not block those behind them.
      this.#waiting = this.#waiting.slice(rows.length);
      this.#dropped += rows.length;
      throw error;
    }
    this.#waiting = this.#waiting.slice(rows.length);
  }

  /** Writes the figures. The longer that takes, the more requests the next write adds up. */
  async #writeFigures({ isPaced }: Pace): Promise<void> {
    const startedMs = performance.now();
    if (isPaced && startedMs < this.#nextFiguresMs) return;
    await this.#figures.write(this.#options.writes);
    const endedMs = performance.now();
    this.#nextFiguresMs = endedMs + (endedMs - startedMs) * figuresPauseFactor;
  }

  /** Writes the first explanations in the queue, after the requests they explain. */
  async #writeExplanations(count: number): Promise<void> {
    const rows = this.#explanations.splice(0, count);
    if (rows.length > 0) await this.#options.writes.insertExplanations(rows);
  }

  #usesSoFar(): readonly LastUse[] {
    this.#noteNetworks();
    return [...this.#uses.values()];
  }

  /** Finds the whitelist entries that admitted the requests: here, once per address, instead of once per request. */
  #noteNetworks(): void {
    for (const { clientId, address, usedAtMs } of this.#sources.values()) {
      const entries = this.#options.registry.clientById(clientId)?.network.entriesFor(address) ?? [];
      for (const entry of entries)
        this.#note({ subject: 'network', subjectId: networkUseId(clientId, entry), usedAtMs });
    }
    this.#sources.clear();
  }

  #forget(use: LastUse): void {
    const name = `${use.subject} ${use.subjectId}`;
    if (this.#uses.get(name) === use) this.#uses.delete(name);
  }

  /** More often than `#trim`: who shortens how long requests are kept expects them to be removed soon. */
  async #trimAccounts(): Promise<void> {
    const now = this.#options.nowMs();
    if (now < this.#nextAccountTrimMs) return;
    const isMore = await this.#options.writes.trimAccounts(now);
    this.#nextAccountTrimMs = isMore ? now : now + accountTrimEveryMs;
  }

  async #trim(): Promise<void> {
    const { writes, nowMs, keptDays, keptMax } = this.#options;
    const now = nowMs();
    if (now < this.#nextTrimMs) return;
    const isMore = await writes.trim({
      requests: {
        ...(keptDays > 0 && { fromMs: now - keptDays * dayMs }),
        ...(keptMax > 0 && { rowsMax: keptMax, unprovedRowsMax: Math.floor(keptMax / 4) }),
      },
      hoursFromMs: now - hourDaysKept * dayMs,
      daysFromMs: now - dayDaysKept * dayMs,
      nowMs: now,
    });
    this.#nextTrimMs = isMore ? now : now + trimEveryMs;
  }
}

interface Pace {
  /** Leaves work that can wait for later, if it took long before. */
  readonly isPaced: boolean;
}

interface Source {
  readonly clientId: string;
  readonly address: Address;
  readonly usedAtMs: number;
}

const requestsPerWrite = 500;
const usesPerWrite = 100;
/** Figures change many rows, so the writer has other work for most of the time. */
const figuresPauseFactor = 5;
const dayMs = 86_400_000;
const trimEveryMs = 600_000;
const accountTrimEveryMs = 60_000;
/** How long hourly and daily counts are kept. The statistics go back no further. */
const hourDaysKept = 35;
const dayDaysKept = 402;
const explanationsWaitingMax = 200;
const textLengthMax = 512;

function rowOf(
  record: RequestRecord,
  detail: RequestDetail,
  client: { readonly clientId: string; readonly accountId: string },
): RequestRow {
  const { durationMs, reason } = record;
  return {
    request_id: record.requestId,
    received_at_ms: detail.receivedAtMs,
    account_id: client.accountId,
    client_id: client.clientId,
    is_proved: detail.isProved ? 1 : 0,
    outcome: record.outcome,
    is_observed: record.isObserved ? 1 : 0,
    reason: reason === undefined ? null : bounded(reason),
    method: bounded(record.method),
    url: bounded(record.path + detail.shownQuery),
    status: record.status,
    source_address: record.sourceAddress,
    key_fingerprint: record.keyFingerprint ?? null,
    clock_difference_seconds: record.clockDifferenceSeconds ?? null,
    duration_us: durationMs === undefined ? null : Math.round(durationMs * 1000),
  };
}

function bounded(text: string): string {
  return text.length <= textLengthMax ? text : `${text.slice(0, textLengthMax)}…`;
}
