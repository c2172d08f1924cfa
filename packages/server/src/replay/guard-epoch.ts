import { randomBytes } from 'node:crypto';
import { beginScript, guardKey } from './guard-scripts.ts';
import type { RedisSession } from './redis-connection.ts';
import { runScript } from './redis-scripts.ts';

/** What the database knows of the guard: the mark, and the epoch in which it may be raised. */
export interface MarkedEpoch {
  /** Empty before the first one. */
  readonly epoch: string;
  /** No signature with a later `created` was accepted by any node. Unix seconds. */
  readonly reservedSeconds: number;
}

/**
 * The mark of a guard whose store may lose everything, kept where nothing is lost. It only rises, and only in the epoch
 * that it names: so a node that still speaks to a store of before, for example to a primary that was replaced while the
 * node could reach it, accepts nothing that the nodes at the new store do not know to be lost.
 */
export interface EpochMark {
  read(): Promise<MarkedEpoch>;
  /** Makes `epoch` the one that may raise, if `instead` still is. Resolves with the mark then, undefined when it is not. */
  begin(epoch: string, instead: string): Promise<number | undefined>;
  /** Raises the mark, never lowers it. Resolves with the mark then, undefined when the epoch is another one by now. */
  raise(toSeconds: number, epoch: string): Promise<number | undefined>;
}

/**
 * Finds the epoch of the store, and begins a new one when there is none that can be trusted: the store was emptied, or
 * restarted, or is a replica that was promoted (then it is not the server that the epoch names), or the database knows
 * of a later epoch. In a new epoch every signature up to the mark is refused, since it may have been used.
 *
 * @param reservedSeconds the highest mark that this node knows, should the database have gone back
 */
export async function joinEpoch(
  { send, server }: RedisSession,
  mark: EpochMark,
  reservedSeconds: number,
): Promise<MarkedEpoch> {
  const owner = `${server.runId}:${server.replicationId}:`;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    // The store first: what was accepted before it lost its epoch is below the mark that is read after that.
    const stored = ((await send('HGET', guardKey, 'epoch')) as string | null) ?? '';
    const marked = await mark.read();
    if (stored === marked.epoch && stored.startsWith(owner)) {
      return { epoch: stored, reservedSeconds: Math.max(marked.reservedSeconds, reservedSeconds) };
    }
    // Another node may be in the middle of this: the first one gets some time, so that not all of them begin one.
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
