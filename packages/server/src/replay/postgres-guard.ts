import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AsyncReplayGuard,
  entryLimits,
  profileTimeWindow,
  type Refusal,
  type RepeatPolicy,
  type TimeWindow,
  type UsedSignature,
} from '@countersign/signature/node';
import { refuse } from '@countersign/signature/profile';
import { nodeConnections } from '../storage/node-connections.ts';
import { connectPostgres } from '../storage/postgres-database.ts';
import type { PostgresPoolOptions } from '../storage/postgres-pool.ts';
import { StorageError } from '../storage/storage-error.ts';
import type { Database } from '../storage/transaction.ts';
import { BackgroundWork } from '../lifecycle/background-work.ts';
import { EpochMembership } from './epoch-membership.ts';
import { Batches, BatchWaitError } from './guard-batches.ts';
import { GuardCapacity } from './guard-capacity.ts';
import { raiseHorizon, rangesOf } from './postgres-epochs.ts';
import {
  countUses,
  type NewUse,
  readAges,
  readClock,
  rememberUses,
  removeSomeUses,
  type UseResult,
} from './postgres-signatures.ts';

export interface PostgresReplayGuardOptions {
  /** The database, with an up-to-date schema. */
  readonly url: string;
  /** The number of nodes that share the guard. */
  readonly nodes: number;
  readonly repeat?: RepeatPolicy;
  /**
   * Maximum number of stored signatures. Beyond it, requests are rejected and nothing is forgotten. Default
   * 1,000,000.
   */
  readonly entriesMax?: number;
  /** The share of entries that one client may fill. Default one quarter. */
  readonly clientShareMax?: number;
  /** The share of entries that all clients of one account may fill together. Default one half. */
  readonly accountShareMax?: number;
  /** The maximum total wait of a use, 5000 at most. Default 900, so that an outage is reported within a second. */
  readonly timeoutMs?: number;
  readonly window?: TimeWindow;
  /** The wall clock in milliseconds. Default `Date.now`; tests pass their own. */
  readonly nowMs?: () => number;
  /** For tests: how often expired entries are removed. Default 5 s. */
  readonly tidyEveryMs?: number;
  /**
   * Called when background work starts failing. The work continues, and this is called again only after it has
   * succeeded.
   */
  readonly onError?: (error: unknown) => void;
}

/** Opens the guard. Rejects with StorageError if the database does not respond. */
export async function openPostgresGuard(options: PostgresReplayGuardOptions): Promise<PostgresReplayGuard> {
  const guard = new PostgresReplayGuard(options);
  try {
    await guard.start();
    return guard;
  } catch (error) {
    await guard.close();
    throw error;
  }
}

/** Clocks may differ by this much without rejecting an old signature too early or forgetting a new one. */
const clockDifferenceSecondsMax = 60;
const equalReadsMs = 2000;
const watchEveryMs = 500;
const startAttemptsMax = 10;
/**
 * Longer than any statement of a use may take, so that every statement from before the horizon was raised has
 * ended.
 */
const tidyEveryMsDefault = 5000;
const timeoutMsDefault = 900;
const background = {
  connectionsMax: nodeConnections.guardUpkeep,
  applicationName: 'countersign guard background',
  connectTimeoutMs: 2000,
  statementTimeoutMs: 20_000,
  lockTimeoutMs: 2000,
};

/** Divides the timeout of a use, so that each part can fail and still be reported in time. */
function foregroundFor(timeoutMs: number): Omit<PostgresPoolOptions, 'url'> {
  const statementTimeoutMs = Math.round(timeoutMs * 0.45);
  return {
    connectionsMax: nodeConnections.guard,
    applicationName: 'countersign guard',
    connectTimeoutMs: Math.round(timeoutMs * 0.33),
    statementTimeoutMs,
    lockTimeoutMs: statementTimeoutMs,
  };
}

interface Use {
  readonly signature: UsedSignature;
  readonly nowSeconds: number;
}

/**
 * The guard of several nodes in their PostgreSQL database. A used signature is a row, committed before the
 * request is accepted. A database crash forgets none. A lagging standby or a restored backup may: see
 * postgres-epochs.ts.
 *
 * A row is removed once its signature has left the window by the clocks of both the server and the removing
 * node. Removed signatures stay rejected: the horizon is raised first, and rows are removed only when every
 * statement that began before that has ended.
 */
export class PostgresReplayGuard implements AsyncReplayGuard {
  readonly #repeat: RepeatPolicy;
  readonly #window: TimeWindow;
  readonly #nowMs: () => number;
  readonly #timeoutMs: number;
  readonly #tidyEveryMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #database: Database;
  /** For statements that take longer than a request may wait. */
  readonly #background: Database;
  readonly #batches: Batches<Use, Refusal | undefined>;
  readonly #capacity: GuardCapacity;
  readonly #membership: EpochMembership;
  readonly #work: BackgroundWork;
  /** The last raised horizon and its epoch: rows up to it may be removed next time. */
  #raised: { readonly epoch: string; readonly toSeconds: number } | undefined;
  #responds = true;
  #closed = false;

  constructor(options: PostgresReplayGuardOptions) {
    const { url, nodes } = options;
    const { timeoutMs = timeoutMsDefault } = options;
    this.#repeat = options.repeat ?? 'equal-reads';
    this.#window = options.window ?? profileTimeWindow;
    this.#nowMs = options.nowMs ?? Date.now;
    this.#timeoutMs = timeoutMs;
    this.#database = connectPostgres({ url, ...foregroundFor(timeoutMs) });
    this.#background = connectPostgres({ url, ...background });
    this.#capacity = new GuardCapacity(entryLimits(options));
    const waitMsMax = timeoutMs * 0.55;
    this.#batches = new Batches((uses) => this.#useAll(uses), { itemsMax: 200, batchesMax: 2, waitMsMax });
    const aheadSecondsMax = this.#window.maxFutureSeconds + clockDifferenceSecondsMax;
    this.#membership = new EpochMembership({
      database: this.#database,
      nodes,
      aheadSecondsMax,
      nowMs: this.#nowMs,
    });
    this.#tidyEveryMs = options.tidyEveryMs ?? tidyEveryMsDefault;
    this.#onError = options.onError ?? (() => undefined);
    this.#work = new BackgroundWork(this.#onError);
  }

  /** The approximate number of remembered signatures. */
  get size(): number {
    return this.#capacity.entries;
  }

  /** True if the database responded to the last check, at most about a second ago. */
  get isReady(): boolean {
    return this.#responds && this.#membership.epoch !== undefined;
  }

  /** Joins the epoch and starts the background work. For `openPostgresGuard`. */
  async start(): Promise<void> {
    await this.#joinPatiently();
    await this.#count();
    this.#work.repeat(() => this.#watch(), watchEveryMs);
    this.#work.repeat(async () => {
      await this.#forget();
      await this.#count();
    }, this.#tidyEveryMs);
  }

  async use(signature: UsedSignature, nowSeconds: number): Promise<Refusal | undefined> {
    if (this.#repeat === 'unsafe-only' && signature.isSafe) return undefined;
    try {
      return await inTime(this.#batches.add({ signature, nowSeconds }), this.#timeoutMs);
    } catch (error) {
      if (error instanceof StorageError) return unavailable(error.message);
      if (error instanceof BatchWaitError) return tooSlow();
      this.#onError(error);
      return unavailable('the replay guard has failed');
    }
  }

  /** Ends all work and closes every connection. From then on, every use is rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#work.stop();
    await Promise.all([this.#database.destroy(), this.#background.destroy()]);
  }

  /** Retries, because request timeouts are too short for several nodes that start at once on a busy server. */
  async #joinPatiently(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#membership.join();
      } catch (error) {
        if (attempt === startAttemptsMax) throw error;
      }
      await sleep(100 + Math.random() * 200);
    }
  }

  async #watch(): Promise<void> {
    try {
      await this.#membership.watch();
      this.#responds = true;
    } catch (error) {
      this.#responds = false;
      throw error;
    }
  }

  async #useAll(uses: readonly Use[]): Promise<readonly (Refusal | undefined)[]> {
    const { seen } = this.#membership;
    if (this.#closed || seen === undefined) {
      if (!this.#closed) this.#membership.join().catch(() => undefined);
      return uses.map(() => unavailable('the replay guard is starting or stopping'));
    }
    const whyFull = uses.map(({ signature }) => this.#capacity.take(signature));
    const taken = new Set(uses.filter((_, index) => whyFull[index] === undefined));
    try {
      const { epoch } = seen;
      const answer = await rememberUses(this.#database, seen, Array.from(taken, newUse));
      // If the epoch is already over, signatures remembered in it may be forgotten with it.
      if (answer.horizonSeconds === undefined || epoch !== this.#membership.epoch) {
        this.#membership.leave(epoch);
        return uses.map(() => unavailable("the replay guard's database was replaced"));
      }
      this.#membership.see({ epoch, position: answer.position });
      const isFresh = uses.map((use) => taken.has(use) && answer.fresh.delete(use.signature.id));
      // Record this before awaiting anything: if the epoch ends meanwhile, this node's testimony must include it.
      for (const use of uses.filter((_, index) => isFresh[index])) {
        taken.delete(use);
        this.#membership.accept(use.signature.created);
      }
      const ages = await this.#readAges(uses.filter((_, index) => !isFresh[index]));
      return uses.map((use, index) =>
        isFresh[index] ? undefined : this.#again(use, ages, answer, whyFull[index]),
      );
    } finally {
      for (const { signature } of taken) this.#capacity.giveBack(signature);
    }
  }

  async #readAges(uses: readonly Use[]): Promise<ReadonlyMap<string, number>> {
    return uses.length === 0
      ? new Map()
      : readAges(
          this.#database,
          uses.map(({ signature }) => signature.id),
        );
  }

  /** Decides on a signature that was not newly remembered. */
  #again(
    { signature, nowSeconds }: Use,
    ages: ReadonlyMap<string, number>,
    { horizonSeconds = Number.POSITIVE_INFINITY, refusedRanges, isSettled }: UseResult,
    whyFull: string | undefined,
  ): Refusal | undefined {
    const { id, created, isSafe } = signature;
    const ageMs = ages.get(id);
    const refused = rangesOf(refusedRanges);
    const isKnown = created > horizonSeconds && !refused.has(created);
    if (ageMs !== undefined) {
      // Another server's clock, or one that was reset, says nothing about the time of the first use.
      const isSoon = isKnown && ageMs >= 0 && ageMs <= equalReadsMs;
      if (isSafe && this.#repeat === 'equal-reads' && isSoon) return undefined;
      return refuse('signature_replayed', 'a request with this signature was accepted before');
    }
    if (!isKnown) {
      const waitSeconds = refused.has(created)
        ? refused.waitSeconds(created, nowSeconds)
        : Math.max(1, horizonSeconds - nowSeconds + 1);
      return refuse('recently_restarted', 'the service cannot know whether this signature was used before', {
        // The horizon falls once all nodes have met the new epoch.
        retryAfterSeconds: isSettled ? waitSeconds : 1,
      });
    }
    if (whyFull !== undefined) return refuse('guard_full', whyFull, { retryAfterSeconds: 10 });
    return unavailable('the replay guard was changed by another program');
  }

  async #forget(): Promise<void> {
    const { epoch } = this.#membership;
    if (epoch === undefined) return;
    if (this.#raised?.epoch === epoch) {
      while (!this.#closed && (await removeSomeUses(this.#background, this.#raised.toSeconds)));
    }
    const keptSeconds = this.#window.maxAgeSeconds + clockDifferenceSecondsMax;
    const nowSeconds = Math.min(this.#nowMs() / 1000, await readClock(this.#background));
    const toSeconds = Math.floor(nowSeconds) - keptSeconds;
    const isRaised = await raiseHorizon(this.#background, epoch, toSeconds);
    this.#raised = isRaised ? { epoch, toSeconds } : undefined;
  }

  async #count(): Promise<void> {
    await this.#capacity.count(() => countUses(this.#background, this.#capacity.entriesWorthCounting));
  }
}

function newUse({ signature: { id, keyid, created } }: Use): NewUse {
  return { id, clientId: keyid, created };
}

async function inTime<Result>(answer: Promise<Result>, timeoutMs: number): Promise<Result | Refusal> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Refusal>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, tooSlow());
  });
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function tooSlow(): Refusal {
  return unavailable("the replay guard's database is too slow");
}

function unavailable(reason: string): Refusal {
  return refuse('guard_unavailable', reason, { retryAfterSeconds: 1 });
}
