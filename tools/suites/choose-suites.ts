import { changedFiles, knownFiles, suitesReaching } from './changed-suites.ts';
import { findSuites } from './find-suites.ts';
import { longSuites } from './long-suites.ts';
import type { TestArguments } from './test-arguments.ts';

/** The test files of one run. */
export interface Choice {
  readonly files: readonly string[];
  /** Long test files that would belong to the run and are left out. */
  readonly left: readonly string[];
  /** Says what was chosen and why, for the start of the run; empty when everything runs. */
  readonly lines: readonly string[];
}

/** Chooses test files; a text says why that cannot be done. */
export function chooseSuites(root: string, choice: TestArguments): Choice | string {
  const { paths, name, changedSince, isAll } = choice;
  const found = findSuites(root, paths);
  if (found.length === 0) return `There is no test file${paths.length > 0 ? ` for ${paths.join(' ')}` : ''}.`;
  const reasons = changedSince === undefined ? undefined : reasonsFor(root, found, changedSince);
  if (typeof reasons === 'string') return reasons;
  const wanted = reasons === undefined ? found : found.filter((file) => reasons.has(file));
  const isLongToo = isAll || paths.length > 0 || name !== undefined;
  const left = isLongToo ? [] : wanted.filter((file) => longSuites.some(({ path }) => path === file));
  const files = wanted.filter((file) => !left.includes(file));
  return {
    files,
    left,
    lines: [
      ...(paths.length > 0 ? [`${found.length} test files have ${paths.join(' or ')} in their path.`] : []),
      ...(reasons === undefined
        ? []
        : [
            `${wanted.length} of ${found.length} test files reach what changed since ${changedSince}:`,
            ...wanted.map((file) => `  ${file}: ${reasons.get(file)}`),
          ]),
      ...(name === undefined ? [] : [`Only tests with "${name}" in their name or their suite's.`]),
    ],
  };
}

function reasonsFor(
  root: string,
  suites: readonly string[],
  revision: string,
): ReadonlyMap<string, string> | string {
  const changed = changedFiles(root, revision);
  if (typeof changed === 'string') return changed;
  return suitesReaching(root, suites, { changed, known: knownFiles(root) });
}
