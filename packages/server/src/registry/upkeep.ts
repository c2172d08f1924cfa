import type { Database } from '../storage/transaction.ts';
import { archiveClients } from './store/client-states.ts';
import { expireKeys } from './store/key-changes.ts';

/** What the upkeep needs. */
export interface UpkeepOptions {
  readonly database: Database;
  readonly nowMs: () => number;
  /** Called when something was written. */
  readonly followChange: () => Promise<void>;
  /** Told when it fails; it goes on at the next time. */
  readonly onError: (error: unknown) => void;
  /** How often; every 10 minutes unless set. */
  readonly everyMs?: number;
}

/** Work on the registry that time makes necessary. */
export interface Upkeep {
  /** Does it now. Never rejects. */
  run(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Writes down what time has done: keys that have ended, and revoked clients that can no longer be restored. Nothing
 * waits for it, for what has ended counts as ended at once. Any number of nodes may do it.
 */
export function startUpkeep(options: UpkeepOptions): Upkeep {
  const { database, nowMs, followChange, onError, everyMs = 600_000 } = options;
  let running: Promise<void> | undefined;
  let isClosed = false;
  const work = async (): Promise<void> => {
    try {
      for (const step of [expireKeys, archiveClients]) while (await wrote(step)) await followChange();
    } catch (error) {
      onError(error);
    }
  };
  const wrote = async (step: typeof expireKeys): Promise<boolean> => {
    if (isClosed) return false;
    const context = { nowMs: nowMs(), actor: { kind: 'system', id: 'upkeep' } } as const;
    return (await step(database, perStep, context)) > 0;
  };
  const run = (): Promise<void> =>
    (running ??= work().finally(() => {
      running = undefined;
    }));
  const timer = setInterval(() => void run(), everyMs).unref();
  return {
    run,
    async close() {
      isClosed = true;
      clearInterval(timer);
      await running;
    },
  };
}

const perStep = 50;
