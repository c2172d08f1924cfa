import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes a folder for what tests write, in memory where that is possible: services and databases wait for the disk at every
 * commit, and there is none to wait for. Tests show what survives the end of a process, not the end of the machine.
 */
export function makeTemporaryFolder(): string {
  const folder = makeFolderInMemory() ?? mkdtempSync(join(tmpdir(), prefix));
  // As the usual one: PostgreSQL runs under a user of its own, and makes folders in there.
  chmodSync(folder, 0o1777);
  return folder;
}

const prefix = 'countersign-tests-';
/** Where Linux has files in memory. */
const memoryFolder = '/dev/shm';
/** Much more than tests have ever had there at once; containers often have a few megabytes. */
const roomBytesMin = 4 * 1024 ** 3;

/** Undefined where there is no such place, no room in it, or no program may be started there, as tests do. */
function makeFolderInMemory(): string | undefined {
  let folder: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(memoryFolder);
    if (bavail * bsize < roomBytesMin) return undefined;
    folder = mkdtempSync(join(memoryFolder, prefix));
    const program = join(folder, 'program');
    writeFileSync(program, '', { mode: 0o700 });
    accessSync(program, constants.X_OK);
    rmSync(program);
    return folder;
  } catch {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
}
