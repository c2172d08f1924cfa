import { type RepeatedWork, repeatWork } from '../lifecycle/repeated-work.ts';
import type { Database } from '../storage/transaction.ts';
import { archiveClients, archiveExpiredClients } from './store/client-states.ts';
import { deleteLongDeadKeys } from './store/dead-keys.ts';
import { expireKeys } from './store/key-changes.ts';
import { expirePendingChanges } from './store/pending-changes.ts';

export interface UpkeepOptions {
  readonly database: Database;
  readonly nowMs: () => number;
  /** Called after a write. */
  readonly followChange: () => Promise<void>;
  /** Called on failure. The upkeep continues at the next interval. */
  readonly onError: (error: unknown) => void;
  /** The interval. Default 10 minutes. */
  readonly everyMs?: number;
}

/**
 * Records changes that only time has caused: temporary clients that have expired, keys that have ended, revoked clients that can
 * no longer be restored, and pending changes that nobody approved in time; and deletes keys of directories that ended long ago. Nothing depends on it, because they count as ended immediately. Any number of nodes may run it.
 */
export function startUpkeep(options: UpkeepOptions): RepeatedWork {
  const { database, nowMs, followChange, onError, everyMs = 600_000 } = options;
  const work = async (closing: AbortSignal): Promise<void> => {
    const wrote = async (step: typeof expireKeys): Promise<boolean> => {
      if (closing.aborted) return false;
      const context = { nowMs: nowMs(), actor: { kind: 'system', id: 'upkeep' } } as const;
      return (await step(database, perStep, context)) > 0;
    };
    // Temporary clients first: one event says that they expired, and none that their keys did.
    for (const step of [
      archiveExpiredClients,
      expireKeys,
      archiveClients,
      deleteLongDeadKeys,
      expirePendingChanges,
    ])
      while (await wrote(step)) await followChange();
  };
  return repeatWork(work, { everyMs, onError });
}

const perStep = 50;
