import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What tools or the running service make (`.git` is a file in a worktree); it is not part of the repository. */
const madeByTools = new Set(['node_modules', '.git', 'dist', 'coverage']);
const madeAtTheRoot = new Set(['data']);

/** The paths of all files of the repository, relative to `root`, with `/`, sorted. */
export function repositoryFiles(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (madeByTools.has(entry.name) || madeAtTheRoot.has(path)) return [];
      if (!entry.isDirectory()) return entry.isFile() ? [path] : [];
      return repositoryFiles(root, path);
    })
    .toSorted();
}

/** The text of a file, or undefined when it holds a zero byte, as only binary files do. */
export function readText(root: string, path: string): string | undefined {
  const bytes = readFileSync(join(root, path));
  return bytes.includes(0) ? undefined : bytes.toString('utf8');
}
