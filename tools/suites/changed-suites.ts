import { spawnSync } from 'node:child_process';
import { posix } from 'node:path';
import { graphOf } from '../boundaries/graph.ts';
import { importsOf, readSources, textsOf } from '../boundaries/imports.ts';

/** Where code is, in the globs of a tsconfig. */
const sources = [
  ...['src', 'bin', 'test', 'public'].map((folder) => `packages/*/${folder}/**/*`),
  ...['bench', 'examples', 'test', 'tools'].map((folder) => `${folder}/**/*`),
];

/** Changes that affect tests in ways that no import shows. */
const hiddenWays: readonly { readonly changed: RegExp; readonly tests: RegExp; readonly why: string }[] = [
  {
    changed: /^(?:package(?:-lock)?\.json|tsconfig\.json|\.npmrc|packages\/[^/]+\/package\.json)$/,
    tests: /./,
    why: 'every program depends on it',
  },
  { changed: /\.md$/, tests: /^test\/documents\//, why: 'documents are tested there' },
  {
    changed: /^packages\/(?:portal\/(?:src|public|index\.html)|contract\/src|explain\/src|signature\/src)/,
    tests: /^test\/portal\//,
    why: 'a browser loads the built portal',
  },
  {
    changed: /^packages\/[^/]+\/(?:src|bin)\//,
    tests: /^test\/published\//,
    why: 'it is built and installed',
  },
];

/** The paths of all files that differ from `revision`, including new and deleted ones; a text if git cannot tell. */
export function changedFiles(root: string, revision: string): readonly string[] | string {
  const differing = git(root, ['diff', '--name-only', '--no-renames', '--merge-base', revision]);
  const added = git(root, ['ls-files', '--others', '--exclude-standard']);
  if (differing === undefined || added === undefined)
    return `git does not know the revision ${revision}: name a branch, a tag or a commit of this repository.`;
  return [...new Set([...differing, ...added])].toSorted();
}

/** Every file that git knows or would add. */
export function knownFiles(root: string): readonly string[] {
  return git(root, ['ls-files', '--cached', '--others', '--exclude-standard']) ?? [];
}

function git(root: string, args: readonly string[]): string[] | undefined {
  const { status, stdout } = spawnSync('git', ['-c', 'core.quotePath=false', ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  return status === 0 ? stdout.split('\n').filter((line) => line !== '') : undefined;
}

/**
 * Finds which of `suites` changed, import a changed file (directly or through others, types aside), or name one or its folder
 * in a string: that is how tests find the programs that they start, and their data.
 *
 * @returns the reason for choosing each of them
 */
export function suitesReaching(
  root: string,
  suites: readonly string[],
  { changed, known }: { readonly changed: readonly string[]; readonly known: readonly string[] },
): ReadonlyMap<string, string> {
  const users = readUsers(root, [...known, ...changed]);
  const reasons = new Map<string, string>();
  for (const file of changed) {
    const reached = new Set([file, ...foldersAbove(file)]);
    for (const each of reached) for (const user of users.get(each) ?? []) reached.add(user);
    const hidden = hiddenWays.filter((way) => way.changed.test(file));
    for (const suite of suites) {
      if (reasons.has(suite)) continue;
      const why = hidden.find(({ tests }) => tests.test(suite))?.why;
      if (suite === file) reasons.set(suite, 'it changed itself');
      else if (reached.has(suite)) reasons.set(suite, `uses ${file}`);
      else if (why !== undefined) reasons.set(suite, `${file}: ${why}`);
    }
  }
  return reasons;
}

/** The files that import or name a file or folder. */
function readUsers(root: string, files: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const texts = new Map<string, readonly string[]>();
  const imports = readSources(root, sources, (source) => ({
    imports: importsOf(source),
    texts: textsOf(source),
  }));
  for (const [file, found] of imports) texts.set(file, found.texts);
  const users = new Map<string, Set<string>>();
  const add = (used: string, user: string): void => {
    if (used !== user) users.getOrInsertComputed(used, () => new Set<string>()).add(user);
  };
  const graph = graphOf(root, new Map([...imports].map(([file, found]) => [file, found.imports])));
  for (const [file, edges] of graph) for (const { to, kind } of edges) if (kind !== 'type') add(to, file);
  const nameable = new Set(files.flatMap((file) => [file, ...foldersAbove(file)]));
  for (const [file, found] of texts) {
    const erased = new Set(graph.get(file)?.flatMap(({ to, kind }) => (kind === 'type' ? [to] : [])));
    for (const text of found) {
      const named = text.startsWith('.') ? posix.join(posix.dirname(file), text) : text;
      const path = named.replace(/\/$/, '');
      if (nameable.has(path) && !erased.has(path)) add(path, file);
    }
  }
  return users;
}

/** The folders that contain a file, except the first, which is too general: `packages/cli/src`, `packages/cli`. */
function foldersAbove(file: string): string[] {
  const parts = file.split('/').slice(0, -1);
  return parts.slice(1).map((_, index) => parts.slice(0, index + 2).join('/'));
}
