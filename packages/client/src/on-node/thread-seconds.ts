import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import type { UsedSeconds } from '@countersign/signature';
import { SecondsTable, secondsTableBytes } from './seconds-table.ts';

/** The name of the table in the environment data that a thread passes to its workers. */
const tableKey = 'countersign used seconds 2';

let table: SecondsTable | undefined;
let isWarned = false;

/**
 * Returns the memory of used seconds that this thread shares with the workers that it starts from now on, and with the
 * thread that started it.
 *
 * @param isSharedOtherwise true if threads share used seconds by other means, such as a folder
 */
export function sharedUsedSeconds(isSharedOtherwise: boolean): UsedSeconds {
  if (table) return table;
  const inherited = getEnvironmentData(tableKey);
  if (!isMainThread && !(inherited instanceof SharedArrayBuffer) && !isSharedOtherwise) warnOnce();
  const memory =
    inherited instanceof SharedArrayBuffer ? inherited : new SharedArrayBuffer(secondsTableBytes);
  setEnvironmentData(tableKey, memory);
  table = new SecondsTable(memory);
  return table;
}

/**
 * Makes workers that start from now on share used seconds with this thread. Creating a signer does the same:
 * call this if the main thread signs nothing itself.
 */
export function shareSecondsWithWorkers(): void {
  sharedUsedSeconds(false);
}

function warnOnce(): void {
  if (isWarned) return;
  isWarned = true;
  process.emitWarning(
    'This worker does not know which seconds other threads have signed in, so equal requests of two threads may be refused ' +
      'as replays. Call shareSecondsWithWorkers() of @countersign/client/node in the main thread before starting workers, ' +
      'or set sharedFolder.',
    { type: 'CountersignWarning', code: 'COUNTERSIGN_SECONDS_NOT_SHARED' },
  );
}
