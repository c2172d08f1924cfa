import { randomBytes } from 'node:crypto';
import { beginScript, guardKey } from './guard-scripts.ts';
import type { RedisSession } from './redis-connection.ts';
import { runScript } from './redis-scripts.ts';

/** The guard's state in the database: the mark, and the epoch in which it may be raised. */
export interface MarkedEpoch {
  /** Empty before the first epoch. */
  readonly epoch: string;
  /** No node has accepted a signature with a later `created`. Unix seconds. */
  readonly reservedSeconds: number;
}

/**
 * The mark of a guard whose store may lose everything, kept where nothing is lost. It only rises, and only in the
 * epoch that it names. So a node that still talks to an old store, such as a primary that was replaced while the node
 * could reach it, accepts nothing that the nodes on the new store don't know is lost.
 */
export interface EpochMark {
  read(): Promise<MarkedEpoch>;
  /**
   * Makes `epoch` the one that may raise the mark, if `instead` still is. Resolves with the mark; undefined if
   * `instead` no longer is.
   */
  begin(epoch: string, instead: string): Promise<number | undefined>;
  /** Raises the mark, never lowers it. Resolves with the resulting mark; undefined if the epoch has changed. */
  raise(toSeconds: number, epoch: string): Promise<number | undefined>;
}

/**
 * Finds the store's epoch, or begins a new one if that can't be trusted: the store was emptied or restarted, is a
 * promoted replica (so not the server that the epoch names), or the database knows a later epoch. In a new epoch,
 * every signature up to the mark is rejected, because it may have been used.
 *
 * @param reservedSeconds the highest mark that this node knows, in case the database has gone back
 */
export async function joinEpoch(
  { send, server }: RedisSession,
  mark: EpochMark,
  reservedSeconds: number,
): Promise<MarkedEpoch> {
  const owner = `${server.runId}:${server.replicationId}:`;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    // Read the store first: whatever was accepted before it lost its epoch is below the mark that is read afterwards.
    const stored = ((await send('HGET', guardKey, 'epoch')) as string | null) ?? '';
    const marked = await mark.read();
    if (stored === marked.epoch && stored.startsWith(owner)) {
      return { epoch: stored, reservedSeconds: Math.max(marked.reservedSeconds, reservedSeconds) };
    }
    // Another node may be in the middle of this. Give the first one some time, so that not all of them begin an
    // epoch.
    if (attempt === 0 && marked.epoch.startsWith(owner)) {
      await pause();
      continue;
    }
    const epoch = owner + randomBytes(12).toString('base64url');
    const reserved = await mark.begin(epoch, marked.epoch);
    if (reserved !== undefined) {
      const horizon = Math.max(reserved, reservedSeconds);
      const now = await runScript(send, beginScript, guardKey, stored, epoch, String(horizon));
      if (now === epoch) return { epoch, reservedSeconds: horizon };
    }
    await pause();
  }
  throw new Error('the nodes do not agree on an epoch of the replay guard: do all of them use one Redis?');
}

const attemptsMax = 6;

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 80));
}
