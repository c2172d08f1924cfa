import {
  type AsyncReplayGuard,
  type EntryLimits,
  entryLimits,
  profileTimeWindow,
  type Refusal,
  type RepeatPolicy,
  type TimeWindow,
  type UsedSignature,
} from '@countersign/signature/node';
import { SecondRanges } from '@countersign/gate';
import { refuse } from '@countersign/signature/profile';
import { ErrorReply } from '@redis/client';
import { type EpochMark, joinEpoch } from './guard-epoch.ts';
import { guardKey, tidyScript, useResults, useScript } from './guard-scripts.ts';
import { MarkReservation } from './mark-reservation.ts';
import {
  type RedisConnection,
  type RedisSession,
  RedisUnavailableError,
} from '../storage/redis/redis-connection.ts';
import { runScript } from '../storage/redis/redis-scripts.ts';

export interface RedisReplayGuardOptions {
  /** The part of the state that survives if the store loses everything. */
  readonly mark: EpochMark;
  readonly repeat?: RepeatPolicy;
  /**
   * Maximum number of signatures stored for all nodes. Beyond it, requests are rejected and nothing is forgotten.
   * Default 1,000,000.
   */
  readonly entriesMax?: number;
  /** The share of entries that one client may fill. Default one quarter. */
  readonly clientShareMax?: number;
  /** The share of entries that all clients of one account may fill together. Default one half. */
  readonly accountShareMax?: number;
  /** Maximum wait for the database, which a use needs when it is the first in a while. Default 500. */
  readonly markTimeoutMs?: number;
  readonly window?: TimeWindow;
}

/** An epoch and the connection that it was found on. */
interface JoinedEpoch {
  readonly session: RedisSession;
  readonly epoch: string;
  /** Signatures of these seconds may have been used before the epoch. */
  readonly refused: SecondRanges;
  readonly reservation: MarkReservation;
}

const equalReadsMs = 2000;
/**
 * Entries live this much longer than the window, because the nodes' clocks may differ by this much without
 * being noticed.
 */
const clockDifferenceSecondsMax = 60;
const tidyEveryMs = 1000;

/**
 * The guard of several nodes in Redis or Valkey. Each use is one script call, atomic across all nodes.
 *
 * The store may lose its data: it can be emptied, restarted without its last writes, or replaced by a lagging
 * replica. So it is trusted only within an epoch (guard-epoch.ts), each use names the epoch, and each signature is
 * in the database's mark before it is used. If the store can't be reached, every use is rejected immediately.
 */
export class RedisReplayGuard implements AsyncReplayGuard {
  readonly #connection: RedisConnection;
  readonly #mark: EpochMark;
  readonly #repeat: RepeatPolicy;
  readonly #limits: EntryLimits;
  readonly #lifeMs: number;
  readonly #markTimeoutMs: number;
  readonly #tidying: NodeJS.Timeout;
  #joined: JoinedEpoch | undefined;
  #joins = 0;
  #reserved = SecondRanges.none;
  #entries = 0;

  /** Takes a connection that is not open yet. Throws RangeError for limits that would have no effect. */
  constructor(connection: RedisConnection, options: RedisReplayGuardOptions) {
    const { window = profileTimeWindow } = options;
    this.#limits = entryLimits(options);
    this.#connection = connection;
    this.#mark = options.mark;
    this.#markTimeoutMs = options.markTimeoutMs ?? 500;
    this.#repeat = options.repeat ?? 'equal-reads';
    this.#lifeMs = (window.maxAgeSeconds + window.maxFutureSeconds + clockDifferenceSecondsMax) * 1000;
    connection.prepareWith((session) => this.#join(session));
    this.#tidying = setInterval(() => void this.#tidy(), tidyEveryMs);
    this.#tidying.unref();
  }

  /** The number of signatures that all nodes remember, as of about a second ago. */
  get size(): number {
    return this.#entries;
  }

  /** True if uses can be decided now. */
  get isReady(): boolean {
    return this.#connection.isReady;
  }

  use(signature: UsedSignature, nowSeconds: number): Promise<Refusal | undefined> | Refusal | undefined {
    if (this.#repeat === 'unsafe-only' && signature.isSafe) return undefined;
    const joined = this.#joined;
    if (!joined || !this.#connection.isReady) return unavailable();
    return this.#use(joined, signature, nowSeconds);
  }

  /** Stops the background work. The connection's owner closes the connection. */
  close(): void {
    clearInterval(this.#tidying);
    this.#joined = undefined;
  }

  async #use(
    joined: JoinedEpoch,
    signature: UsedSignature,
    nowSeconds: number,
  ): Promise<Refusal | undefined> {
    const { created } = signature;
    if (joined.refused.has(created)) return lost(joined.refused.waitSeconds(created, nowSeconds));
    try {
      const covered = joined.reservation.cover(created, nowSeconds);
      if (!(covered === true || (await inTime(covered, this.#markTimeoutMs)))) {
        return this.#renew(joined, 'another node began a new epoch of the replay guard');
      }
    } catch {
      return refuse('guard_unavailable', "the replay guard's mark cannot be written", {
        retryAfterSeconds: 1,
      });
    }
    this.#reserved = joined.reservation.reserved;
    try {
      return this.#decide(joined, signature, nowSeconds, await this.#runScript(joined, signature));
    } catch (error) {
      return this.#failed(joined, error);
    }
  }

  async #runScript(
    { session, epoch }: JoinedEpoch,
    { id, keyid, accountId = '', created }: UsedSignature,
  ): Promise<readonly number[]> {
    const reply = await runScript(
      session.send,
      useScript,
      guardKey,
      epoch,
      session.server.replicationId,
      String(created),
      Buffer.from(id, 'latin1').toString('base64'),
      keyid,
      String(this.#limits.entriesMax),
      String(this.#limits.clientEntriesMax),
      String(this.#lifeMs),
      accountId,
      String(this.#limits.accountEntriesMax),
    );
    return reply as readonly number[];
  }

  #decide(
    joined: JoinedEpoch,
    { isSafe }: UsedSignature,
    nowSeconds: number,
    [answer, detail = Number.NaN]: readonly number[],
  ): Refusal | undefined {
    switch (answer) {
      case useResults.fresh:
        return undefined;
      case useResults.used:
        // The store's clock can be set back, in which case the first use's age is unknown.
        if (isSafe && this.#repeat === 'equal-reads' && detail >= 0 && detail <= equalReadsMs)
          return undefined;
        return refuse('signature_replayed', 'a request with this signature was accepted before');
      case useResults.forgotten:
        return lost(Math.max(1, detail - nowSeconds + 1));
      case useResults.full:
        return full('the replay guard is full');
      case useResults.clientFull:
        return full('this client has used up its share of the replay guard');
      case useResults.accountFull:
        return full('this account has used up its share of the replay guard');
      default:
        return this.#renew(joined, 'the store has a different epoch of the replay guard');
    }
  }

  #failed(joined: JoinedEpoch, error: unknown): Refusal {
    if (!(error instanceof ErrorReply)) return unavailable();
    // The server reports this before the script has written anything, so nothing is remembered.
    if (/\bOOM\b/.test(error.message)) return full("the replay guard's store is out of memory");
    return this.#renew(joined, `Redis rejected the command: ${error.message}`);
  }

  /** Reconnects to check the server and its epoch again, and rejects this use. The reason is for the log. */
  #renew(joined: JoinedEpoch, reason: string): Refusal {
    if (this.#joined === joined) {
      this.#joined = undefined;
      this.#connection.renew(reason);
    }
    return unavailable();
  }

  async #join(session: RedisSession): Promise<void> {
    this.#joined = undefined;
    const join = ++this.#joins;
    try {
      const found = await joinEpoch(session, this.#mark, this.#reserved);
      // An attempt that took too long was abandoned, and a later one may be in progress.
      if (join !== this.#joins) return;
      const { epoch, refused } = found;
      this.#joined = { session, epoch, refused, reservation: new MarkReservation(this.#mark, found) };
    } catch (error) {
      if (error instanceof ErrorReply || error instanceof RedisUnavailableError) throw error;
      throw new RedisUnavailableError(`the replay guard cannot start: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  /** Removes expired entries. Also notices, without any request, that the store is unavailable or was emptied. */
  async #tidy(): Promise<void> {
    const joined = this.#joined;
    if (!joined || !this.#connection.isReady) return;
    try {
      const reply = await runScript(joined.session.send, tidyScript, guardKey, joined.epoch);
      const [epoch, entries] = reply as [string, number];
      if (epoch === joined.epoch) this.#entries = entries;
      else this.#renew(joined, 'the store has a different epoch of the replay guard');
    } catch (error) {
      this.#failed(joined, error);
    }
  }
}

function unavailable(): Refusal {
  return refuse('guard_unavailable', "the replay guard's store is unavailable", {
    retryAfterSeconds: 1,
  });
}

function lost(retryAfterSeconds: number): Refusal {
  return refuse('recently_restarted', "the replay guard's store has lost the signatures of this second", {
    retryAfterSeconds,
  });
}

function full(reason: string): Refusal {
  return refuse('guard_full', reason, { retryAfterSeconds: 10 });
}

/**
 * Limits how long work may take; if it takes longer, it counts as failed. It may still finish, and then the
 * next use finds the mark raised.
 */
function inTime<Value>(work: Promise<Value> | Value, timeoutMs: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
