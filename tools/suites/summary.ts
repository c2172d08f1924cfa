import type { Check } from '../checks/checks.ts';
import type { Choice } from './choose-suites.ts';
import { flakyFilesMax, type TierResult } from './run-tiers.ts';
import { starters } from './tiers.ts';

interface Run {
  readonly checks: readonly Check[];
  /** Their names. */
  readonly failedChecks: readonly string[];
  readonly choice: Choice;
  readonly tests: TierResult;
  readonly seconds: number;
}

/** Returns the last lines of a run, and whether it passed. The very last line has the totals. */
export function summaryOf({ checks, failedChecks, choice, tests, seconds }: Run): {
  readonly isWell: boolean;
  readonly lines: readonly string[];
} {
  const { pure, programs, left } = choice;
  const isFlaky = tests.flaky.length > flakyFilesMax;
  const failed = [
    ...failedChecks,
    ...(tests.failed > 0 ? ['tests'] : []),
    ...(isFlaky ? [`${tests.flaky.length} flaky files, and more than ${flakyFilesMax} are no accident`] : []),
  ];
  const failedCount = failedChecks.length + tests.failed + (isFlaky ? tests.flaky.length : 0);
  const files = new Set([...pure, ...programs]).size;
  return {
    isWell: failed.length === 0,
    lines: [
      ...failuresOf(tests),
      ...tests.flaky.flatMap(flakyLines),
      '',
      failed.length === 0 ? 'All is well' : `Failed: ${failed.join(', ')}`,
      `${checks.length} checks and ${files} test files in ${seconds.toFixed(1)} s, ${tests.flaky.length} flaky`,
      ...leftLines(left, new Set(pure)),
      `${tests.passed + checks.length - failedChecks.length} passed, ${failedCount} failed, ${tests.skipped.length} skipped`,
    ],
  };
}

/** Failures again, one line each: their details may be thousands of lines above. */
function failuresOf({ failures }: TierResult): string[] {
  return failures.map(({ file, name, reason }) => `failed: ${file} › ${name === '' ? reason : name}`);
}

function flakyLines({ file, failures, difference }: TierResult['flaky'][number]): string[] {
  return [
    ...failures.flatMap(({ name, reason }) => [
      `flaky: ${file} › ${name === '' ? '(the process)' : name}`,
      ...reason.split('\n').map((line) => `    ${line}`.trimEnd()),
    ]),
    `    ${difference}`,
  ];
}

function leftLines(left: readonly string[], pure: ReadonlySet<string>): string[] {
  if (left.length === 0) return [];
  const onPostgres = left.filter((file) => pure.has(file)).length;
  const programs = [...new Set(starters.map(({ starts }) => starts))].join('; ');
  return [
    `Left out: ${left.length - onPostgres} test files that start other programs (${programs}),` +
      ` and ${onPostgres} that ran on SQLite and would run on PostgreSQL too`,
    'Run them: npm test -- --all (.ci/run installs the programs first), or npm test -- PART-OF-A-PATH',
  ];
}
