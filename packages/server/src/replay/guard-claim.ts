import type {
  AsyncReplayGuard,
  Refusal,
  RepeatPolicy,
  TimeWindow,
  UsedSignature,
} from '@countersign/signature/node';
import { refuse } from '@countersign/signature/profile';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { isPostgres } from '../storage/dialect.ts';
import type { Database } from '../storage/transaction.ts';
import { BackgroundWork } from '../lifecycle/background-work.ts';
import type { OpenGuard } from './open-guard.ts';

export interface ClaimParts {
  readonly database: Database;
  readonly window: TimeWindow;
  readonly repeat: RepeatPolicy;
  /** The wall clock in milliseconds. */
  readonly nowMs: () => number;
  readonly logger: Logger;
}

/**
 * Makes a guard the one that decides for a database, and returns it wrapped to enforce that claim.
 *
 * A guard does not know what another one has accepted, whether that is a guard of another kind or one in
 * another node's memory. So the database names the guard that decides. A guard with another name takes over
 * when it starts, and whatever the previous one may have accepted before noticing is rejected permanently. The
 * previous guard stops accepting within a second.
 *
 * @param name equal for guards that know the same signatures, and different for all others
 */
export async function claimGuard(name: string, guard: OpenGuard, parts: ClaimParts): Promise<OpenGuard> {
  const { database, window, nowMs } = parts;
  // A file database is used by one process, with one clock, unless it was moved from nodes that shared another.
  const isShared = isPostgres(database);
  const hasOtherClocks = isShared || (await readClaim(database)).name === movedName;
  const marginSeconds = hasOtherClocks ? clockDifferenceSecondsMax + noticeSecondsMax : 0;
  const horizonSeconds = Math.floor(nowMs() / 1000) + window.maxFutureSeconds + marginSeconds;
  const claimed = new ClaimedGuard(name, guard, parts);
  claimed.see(await claim(database, name, horizonSeconds));
  if (isShared) claimed.watch();
  return claimed;
}

/**
 * Marks both databases of a move: whichever guard starts there does not know the signatures that were accepted
 * before.
 */
export async function markAsMoved(database: Database): Promise<void> {
  await database.updateTable('guard_mark').set({ claimed_by: movedName }).execute();
}

/** A name that no guard has. */
const movedName = 'moved';

/** The nodes' clocks may differ by this much. */
const clockDifferenceSecondsMax = 60;
/**
 * A node that hasn't been able to check for this long rejects everything, so no guard continues longer after
 * another one's claim.
 */
const noticeSecondsMax = 2;
const watchEveryMs = 300;

interface Claim {
  readonly name: string;
  /** Another guard may have accepted signatures created up to this second. Unix seconds. */
  readonly horizonSeconds: number;
}

/** Claims the database. Its first claim has no earlier guard to protect against. */
async function claim(database: Database, name: string, horizonSeconds: number): Promise<Claim> {
  // One statement compares and writes, so of several nodes that start at once, only one sets the horizon for
  // all.
  await database
    .updateTable('guard_mark')
    .set({
      claimed_by: name,
      horizon_seconds: sql<number>`case when claimed_by <> '' and horizon_seconds < ${horizonSeconds}
        then ${horizonSeconds} else horizon_seconds end`,
    })
    .where('claimed_by', '!=', name)
    .execute();
  return readClaim(database);
}

async function readClaim(database: Database): Promise<Claim> {
  const row = await database
    .selectFrom('guard_mark')
    .select(['claimed_by', 'horizon_seconds'])
    .executeTakeFirstOrThrow();
  return { name: row.claimed_by, horizonSeconds: row.horizon_seconds };
}

class ClaimedGuard implements AsyncReplayGuard, OpenGuard {
  readonly #name: string;
  readonly #guard: OpenGuard;
  readonly #parts: ClaimParts;
  readonly #work: BackgroundWork;
  #horizonSeconds = 0;
  #isOurs = true;
  /** When the last successful check started. It never becomes stale if no other node can make a claim. */
  #seenAtMs = Number.POSITIVE_INFINITY;

  constructor(name: string, guard: OpenGuard, parts: ClaimParts) {
    this.#name = name;
    this.#guard = guard;
    this.#parts = parts;
    const { logger } = parts;
    this.#work = new BackgroundWork((error) =>
      logger.error({ error }, "the database's record of the replay guard in use cannot be read"),
    );
  }

  get size(): number {
    return this.#guard.size;
  }

  get isReady(): boolean | undefined {
    return this.#isOurs ? this.#guard.isReady : false;
  }

  get problem(): string | undefined {
    return this.#isOurs ? this.#guard.problem : 'the database uses another replay guard';
  }

  get refusesUntilMs(): number | undefined {
    const untilMs = (this.#horizonSeconds + 1) * 1000;
    return untilMs > this.#parts.nowMs() ? untilMs : undefined;
  }

  get buckets(): OpenGuard['buckets'] {
    return this.#guard.buckets;
  }

  get shared(): OpenGuard['shared'] {
    return this.#guard.shared;
  }

  use(signature: UsedSignature, nowSeconds: number): Promise<Refusal | undefined> | Refusal | undefined {
    if (!this.#isOurs) return unavailable('the database uses another replay guard');
    if (performance.now() - this.#seenAtMs > noticeSecondsMax * 1000)
      return unavailable('the service cannot know which replay guard the database uses');
    if (signature.created <= this.#horizonSeconds && !this.#isUnguarded(signature)) {
      return refuse('recently_restarted', 'another replay guard may have accepted this signature', {
        retryAfterSeconds: Math.max(1, this.#horizonSeconds - nowSeconds + 1),
      });
    }
    return this.#guard.use(signature, nowSeconds);
  }

  see({ name, horizonSeconds }: Claim): void {
    this.#horizonSeconds = Math.max(this.#horizonSeconds, horizonSeconds);
    // Other threads use the guard directly.
    this.#guard.shared?.raiseHorizon(this.#horizonSeconds);
    const isOurs = name === this.#name;
    if (isOurs !== this.#isOurs) {
      const { logger } = this.#parts;
      // Log only the guard's kind, not the name of its memory.
      const [kind] = name.split(' ');
      if (isOurs) logger.info('the database uses this replay guard again');
      else {
        logger.error(
          { decides: kind },
          'a node with another replay guard has started on this database: this node rejects every request. ' +
            'Configure the same guard on all nodes, then restart this one',
        );
      }
    }
    this.#isOurs = isOurs;
  }

  watch(): void {
    this.#seenAtMs = performance.now();
    this.#work.repeat(async () => {
      const startedMs = performance.now();
      this.see(await readClaim(this.#parts.database));
      this.#seenAtMs = startedMs;
    }, watchEveryMs);
  }

  async close(): Promise<void> {
    await this.#work.stop();
    await this.#guard.close();
  }

  #isUnguarded({ isSafe }: UsedSignature): boolean {
    return this.#parts.repeat === 'unsafe-only' && isSafe;
  }
}

function unavailable(reason: string): Refusal {
  return refuse('guard_unavailable', reason, { retryAfterSeconds: 5 });
}
