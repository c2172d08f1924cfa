import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Creates a folder for the tests' files, in memory if possible: services and databases flush to disk at every
 * commit. Tests show what survives the end of a process, not of the machine.
 */
export function makeTemporaryFolder(): string {
  const folder = makeFolderInMemory() ?? mkdtempSync(join(tmpdir(), prefix));
  // Like /tmp: PostgreSQL runs as a different user and creates folders in it.
  chmodSync(folder, 0o1777);
  return folder;
}

const prefix = 'countersign-tests-';
const memoryFolder = '/dev/shm';
/** Far more than tests have ever used at once; containers often have a few megabytes. */
const roomBytesMin = 4 * 1024 ** 3;

/**
 * Undefined if there is no such file system, too little space, or no permission to run programs from it, as
 * tests do.
 */
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
