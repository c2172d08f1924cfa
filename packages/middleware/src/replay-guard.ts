import { PersistentReplayGuard } from '@countersign/gate';
import { makePrivateFolder } from '@countersign/gate/private-folder';
import type { MemoryReplayGuardOptions, ReplayGuard } from '@countersign/signature/node';

/** The options of `openReplayGuard`, the same as those of the memory guard. */
export type ReplayGuardOptions = Pick<
  MemoryReplayGuardOptions,
  'repeat' | 'entriesMax' | 'clientShareMax' | 'accountShareMax' | 'window'
> & {
  /** Called when the folder cannot be written; requests are rejected until it can. */
  readonly onError?: (error: unknown) => void;
};

/** A replay guard that survives a restart. Close it last, when no request is open any more. */
export interface OpenReplayGuard extends ReplayGuard {
  /** Stores its memory, so that the next start rejects no honest request. */
  close(): void;
}

/**
 * Opens the replay guard of one process in its own folder. Rejects if another process uses the folder.
 *
 * Needs Node 24, whose SQLite locks the folder.
 */
export async function openReplayGuard(
  folder: string,
  { onError, ...options }: ReplayGuardOptions = {},
): Promise<OpenReplayGuard> {
  const { lockFolder } = await import('@countersign/gate/folder-lock');
  makePrivateFolder(folder);
  const lock = lockFolder(folder, 'give this one another folder');
  try {
    const guard = new PersistentReplayGuard(folder, Math.floor(Date.now() / 1000), {
      ...options,
      ...(onError && { onWriteError: onError }),
    });
    return {
      use: (signature, nowSeconds) => guard.use(signature, nowSeconds),
      close() {
        try {
          guard.close();
        } finally {
          lock.release();
        }
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}
