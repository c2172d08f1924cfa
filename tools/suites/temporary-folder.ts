import { chmodSync, existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes a folder for what tests write, in memory where there is enough of it: services and databases wait for the disk at
 * every commit, and there is none to wait for. Tests show what survives the end of a process, not the end of the machine.
 */
export function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(hasRoom(memoryFolder) ? memoryFolder : tmpdir(), 'countersign-tests-'));
  // As the usual one: PostgreSQL runs under a user of its own, and makes folders in there.
  chmodSync(folder, 0o1777);
  return folder;
}

/** Where Linux has files in memory. Containers often have one of a few megabytes. */
const memoryFolder = '/dev/shm';
/** Much more than tests have ever had there at once. */
const roomBytesMin = 4 * 1024 ** 3;

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= roomBytesMin;
}
