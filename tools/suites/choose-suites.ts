import { changedFiles, knownFiles, suitesReaching } from './changed-suites.ts';
import { findSuites } from './find-suites.ts';
import { shuffled } from './batches.ts';
import type { TierFiles } from './run-tiers.ts';
import type { TestArguments } from './test-arguments.ts';
import { tiersIn } from './tiers.ts';

/** The test files of one run. */
export interface Choice extends TierFiles {
  /** Files of the tier of programs that would belong to the run but are omitted. */
  readonly left: readonly string[];
  /** True if the arguments select only some tests. */
  readonly isNarrowed: boolean;
  /** Describes the selection and its reasons, for the start of the run; empty if everything runs. */
  readonly lines: readonly string[];
}

/** Chooses test files; a text explains why that is not possible. */
export function chooseSuites(root: string, choice: TestArguments): Choice | string {
  const { paths, name, changedSince, isAll, shuffle } = choice;
  const found = findSuites(root, paths);
  if (found.length === 0) return `There is no test file${paths.length > 0 ? ` for ${paths.join(' ')}` : ''}.`;
  const reasons = changedSince === undefined ? undefined : reasonsFor(root, found, changedSince);
  if (typeof reasons === 'string') return reasons;
  const wanted = reasons === undefined ? found : found.filter((file) => reasons.has(file));
  const tiersOf = tiersIn(root);
  const ordered = shuffle === undefined ? wanted : shuffled(wanted, shuffle);
  const programs = ordered.filter((file) => tiersOf(file).includes('programs'));
  const isWhole = isAll || paths.length > 0 || name !== undefined;
  return {
    pure: ordered.filter((file) => tiersOf(file).includes('pure')),
    programs: isWhole ? programs : [],
    left: isWhole ? [] : programs,
    isNarrowed: paths.length > 0 || name !== undefined || changedSince !== undefined,
    lines: [
      ...(shuffle === undefined ? [] : [`The files are in a random order: npm test -- --shuffle ${shuffle}`]),
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
