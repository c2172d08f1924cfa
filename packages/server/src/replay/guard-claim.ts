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
import { BackgroundWork } from './background-work.ts';
import type { OpenGuard } from './open-guard.ts';

/** What a guard claims a database with. */
export interface ClaimParts {
  readonly database: Database;
  readonly window: TimeWindow;
  readonly repeat: RepeatPolicy;
  /** The wall clock in milliseconds. */
  readonly nowMs: () => number;
  readonly logger: Logger;
}

/**
 * Makes a guard the one that decides for a database, and gives it back with what follows from that.
 *
 * One guard knows nothing of what another one has accepted: that of another kind, or in the memory of another node. So
 * the database names the one that decides. A guard with another name that starts takes its place, and all that the one
 * before may have accepted until it notices is refused for good. That one accepts nothing any more, within a second.
 *
 * @param name equal for guards that know of the same signatures, and for no others
 */
export async function claimGuard(name: string, guard: OpenGuard, parts: ClaimParts): Promise<OpenGuard> {
  const { database, window, nowMs } = parts;
  // What has its database in a file is one process, with one clock.
  const isShared = isPostgres(database);
  const marginSeconds = isShared ? clockDifferenceSecondsMax + noticeSecondsMax : 0;
  const horizonSeconds = Math.floor(nowMs() / 1000) + window.maxFutureSeconds + marginSeconds;
  const claimed = new ClaimedGuard(name, guard, parts);
  claimed.see(await claim(database, name, horizonSeconds));
  if (isShared) claimed.watch();
  return claimed;
}

/** By so much may the clocks of nodes differ. */
const clockDifferenceSecondsMax = 60;
/** A node that has not been able to look for so long refuses, so no other goes on for longer after a claim. */
const noticeSecondsMax = 2;
const watchEveryMs = 300;

interface Claim {
  readonly name: string;
  /** Signatures that were created up to this second may have been accepted by another guard. Unix seconds. */
  readonly horizonSeconds: number;
}

/** The first claim of a database has nothing before it. */
async function claim(database: Database, name: string, horizonSeconds: number): Promise<Claim> {
  // One statement compares and writes: of several nodes that start at once, one sets the horizon for all.
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
  /** When the last look began that was answered; it never gets old where nobody else can make a claim. */
  #seenAtMs = Number.POSITIVE_INFINITY;

  constructor(name: string, guard: OpenGuard, parts: ClaimParts) {
    this.#name = name;
    this.#guard = guard;
    this.#parts = parts;
    const { logger } = parts;
    this.#work = new BackgroundWork((error) =>
      logger.error({ error }, 'whose replay guard decides cannot be read'),
    );
  }

  get size(): number {
    return this.#guard.size;
  }

  get isReady(): boolean | undefined {
    return this.#isOurs ? this.#guard.isReady : false;
  }

  get buckets(): OpenGuard['buckets'] {
    return this.#guard.buckets;
  }

  use(signature: UsedSignature, nowSeconds: number): Promise<Refusal | undefined> | Refusal | undefined {
    if (!this.#isOurs) return unavailable('another replay guard decides for the database');
    if (performance.now() - this.#seenAtMs > noticeSecondsMax * 1000)
      return unavailable('nobody knows whose replay guard decides');
    if (signature.created <= this.#horizonSeconds && !this.#isUnguarded(signature)) {
      return refuse('recently_restarted', 'another replay guard may have accepted this signature', {
        retryAfterSeconds: Math.max(1, this.#horizonSeconds - nowSeconds + 1),
      });
    }
    return this.#guard.use(signature, nowSeconds);
  }

  see({ name, horizonSeconds }: Claim): void {
    this.#horizonSeconds = Math.max(this.#horizonSeconds, horizonSeconds);
    const isOurs = name === this.#name;
    if (isOurs !== this.#isOurs) {
      const { logger } = this.#parts;
      // The name of a memory is nobody's business; its kind is.
      const [kind] = name.split(' ');
      if (isOurs) logger.info('this replay guard decides for the database again');
      else {
        logger.error(
          { decides: kind },
          'a node with another replay guard has started on this database: every request is refused here. ' +
            'Give all nodes the same guard, and start this one again',
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
