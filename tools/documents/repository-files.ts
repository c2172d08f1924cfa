import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Created by tools or the running service, not part of the repository. `.git` is a file in a worktree. */
const madeByTools = new Set(['node_modules', '.git', 'dist', 'coverage', '.venv']);
const madeAtTheRoot = new Set(['data']);

/** Lists all files of the repository, relative to `root`, with `/`, sorted. */
export function repositoryFiles(root: string, folder = ''): string[] {
  const ignored = ignoredFolders(root, folder);
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (madeByTools.has(entry.name) || madeAtTheRoot.has(path) || ignored.has(entry.name)) return [];
      if (!entry.isDirectory()) return entry.isFile() ? [path] : [];
      return repositoryFiles(root, path);
    })
    .toSorted();
}

/** The folders that a signer's `.gitignore` names: downloads and build output of its language's tools. */
function ignoredFolders(root: string, folder: string): ReadonlySet<string> {
  const list = join(root, folder, '.gitignore');
  if (!folder.startsWith('signers/') || !existsSync(list)) return new Set();
  const names = [...readFileSync(list, 'utf8').matchAll(/^\/?([^/\n]+)\/$/gm)].map(([, name]) => name!);
  return new Set(names);
}

/** Returns a file's text; undefined for a binary file, recognized by a zero byte. */
export function readText(root: string, path: string): string | undefined {
  const bytes = readFileSync(join(root, path));
  return bytes.includes(0) ? undefined : bytes.toString('utf8');
}
