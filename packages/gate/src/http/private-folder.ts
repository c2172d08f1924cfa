import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder that only its owner can use (0700), with the folders above it. One that exists keeps its mode.
 *
 * One folder at a time, because `mkdirSync` with `recursive` never returns where a file system has folders and makes none,
 * such as `/proc`.
 *
 * @throws Error with a `code` when it cannot be made
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
