import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder that only its owner can use (0700), with its parent folders. An existing folder keeps its
 * mode.
 *
 * Creates one folder at a time, because `mkdirSync` with `recursive` never returns on file systems that have
 * folders but cannot create any, such as `/proc`.
 *
 * @throws Error with a `code` if it cannot be created
 */
export function makePrivateFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(folder).isDirectory()) return;
    const above = dirname(folder);
    if (code !== 'ENOENT' || above === folder || isFolder(above)) throw error;
    makePrivateFolder(above);
    mkdirSync(folder, { mode: 0o700 });
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
