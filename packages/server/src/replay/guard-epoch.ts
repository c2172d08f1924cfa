import { randomBytes } from 'node:crypto';
import { type SecondRange, SecondRanges } from '@countersign/gate';
import { beginScript, guardKey } from './guard-scripts.ts';
import type { RedisSession } from '../storage/redis/redis-connection.ts';
import { runScript } from '../storage/redis/redis-scripts.ts';

/** The guard's state in the database: the mark, and the epoch in which more may be reserved. */
export interface MarkedEpoch {
  /** Empty before the first epoch. */
  readonly epoch: string;
  /** The seconds of `created` in which nodes may have accepted signatures. */
  readonly reserved: SecondRanges;
}

/**
 * The mark of a guard whose store may lose everything, kept where nothing is lost: the seconds of `created` in
 * which signatures may be used. It only grows, and only in the epoch that it names. So a node that still uses
 * an old store, such as a primary that was replaced while the node could still reach it, can only accept
 * signatures of seconds that the nodes on the new store reject.
 */
export interface EpochMark {
  read(): Promise<MarkedEpoch>;
  /**
   * Makes `epoch` the one that may reserve seconds, if `instead` still is. Resolves with the reserved seconds;
   * undefined if `instead` no longer is.
   */
  begin(epoch: string, instead: string): Promise<SecondRanges | undefined>;
  /** Reserves seconds. Resolves with all reserved seconds; undefined if the epoch has changed. */
  reserve(ranges: readonly SecondRange[], epoch: string): Promise<SecondRanges | undefined>;
}

/** An epoch as a node joins it. */
export interface FoundEpoch extends MarkedEpoch {
  /** Seconds in which signatures may have been used before the epoch. */
  readonly refused: SecondRanges;
}

/**
 * Finds the store's epoch, or begins a new one if that can't be trusted: the store was emptied or restarted, is
 * a promoted replica (so not the server that the epoch names), or the database knows a later epoch. In a new
 * epoch, every signature of the reserved seconds is rejected, because it may have been used.
 *
 * @param reserved the seconds that this node knows to be reserved, in case the database was restored from a
 *   backup
 */
export async function joinEpoch(
  { send, server }: RedisSession,
  mark: EpochMark,
  reserved: SecondRanges,
): Promise<FoundEpoch> {
  const owner = `${server.runId}:${server.replicationId}:`;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    // Read the store first: whatever was accepted before it lost its epoch is in the mark that is read
    // afterwards.
    const [epochNow, refusedNow] = (await send('HMGET', guardKey, 'epoch', 'refused')) as (string | null)[];
    const stored = epochNow ?? '';
    const marked = await mark.read();
    if (stored === marked.epoch && stored.startsWith(owner)) {
      return { epoch: stored, reserved: marked.reserved.union(reserved), refused: readRanges(refusedNow) };
    }
    // Another node may be in the middle of this. Give it some time, so that not every node begins an epoch.
    if (attempt === 0 && marked.epoch.startsWith(owner)) {
      await pause();
      continue;
    }
    const epoch = owner + randomBytes(12).toString('base64url');
    const before = await mark.begin(epoch, marked.epoch);
    if (before !== undefined) {
      const all = before.union(reserved);
      const now = await runScript(send, beginScript, guardKey, stored, epoch, JSON.stringify(all));
      const [nowEpoch, refused] = now as [string, string];
      if (nowEpoch === epoch) return { epoch, reserved: all, refused: readRanges(refused) };
    }
    await pause();
  }
  throw new Error("the nodes do not agree on the replay guard's epoch: do they all use the same Redis?");
}

/**
 * Reads the store's rejected seconds. An epoch from an earlier version has none, because its horizon rejects
 * everything before it.
 */
function readRanges(text: string | null | undefined): SecondRanges {
  if (text === null || text === undefined) return SecondRanges.none;
  const ranges = SecondRanges.parse(JSON.parse(text));
  if (!ranges) throw new Error("the rejected seconds in the replay guard's store are damaged");
  return ranges;
}

const attemptsMax = 6;

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 80));
}
