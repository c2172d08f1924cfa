import { parseArgs } from 'node:util';

/** The parsed arguments of `npm test`. */
export interface TestArguments {
  /** Only test files whose path contains one of these; all when empty. */
  readonly paths: readonly string[];
  /** Only tests whose full name, including the suites around it, contains this. */
  readonly name?: string;
  /** Only test files affected by changes since this revision. */
  readonly changedSince?: string;
  /** True if the tier of programs runs too. */
  readonly isAll: boolean;
  /** The seed of a random order of the files; without one they run in the order of their paths. */
  readonly shuffle?: string;
  readonly isHelp: boolean;
}

export const testHelp = `npm test                               static checks, then the tests that start no other program: about four minutes
npm test -- --all                      the tests with databases, proxies, browsers and tool chains too, as CI=true does
npm test -- replay packages/cli        test files whose path contains one of these words, of both kinds
npm test -- --name "a stranger"        tests whose name, or whose suite's name, contains the text
npm test -- --changed                  test files that reach what differs from HEAD, new files included
npm test -- --changed --base main      the same for everything since the branch left main
npm test -- --shuffle 7                the files in a random order that the text after --shuffle decides

Words and options narrow each other: npm test -- packages/server --name "a stranger".
Static checks run only when nothing is narrowed down; npm run check runs them alone.
Tests that start other programs run in a process of their own; those on every database, six files in one. One that fails runs once more by itself,
except where a test says that something was accepted, replayed or lost (tools/suites/second-tries.ts). If it passes then, it is
named at the end as flaky; more than two of these fail the run.`;

const options = {
  name: { type: 'string' },
  changed: { type: 'boolean' },
  base: { type: 'string' },
  all: { type: 'boolean' },
  shuffle: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Reads the arguments of `npm test`; a text describes what is wrong with them. */
export function readTestArguments(args: readonly string[]): TestArguments | string {
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const option = Object.entries(options).find(([name]) => name === token.name)?.[1];
    if (option === undefined)
      return `There is no option ${token.rawName}. Did you mean --${nearestOption(token.name)}?`;
    if (option.type === 'string' && !token.value) return `${token.rawName} needs a value.`;
    if (option.type === 'boolean' && token.value !== undefined) return `${token.rawName} takes no value.`;
  }
  const { name, base, shuffle } = values;
  return {
    paths: positionals.map((path) => path.replaceAll('\\', '/').replace(/^\.\//, '')),
    ...(typeof name === 'string' && { name }),
    ...(typeof shuffle === 'string' && { shuffle }),
    ...((values.changed === true || base !== undefined) && {
      changedSince: typeof base === 'string' ? base : 'HEAD',
    }),
    isAll: values.all === true,
    isHelp: values.help === true,
  };
}

function nearestOption(word: string): string {
  const [nearest = ''] = Object.keys(options).toSorted((a, b) => distance(word, a) - distance(word, b));
  return nearest;
}

/** Returns the number of insertions, deletions and replacements between two words (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [index, letter] of a.split('').entries()) {
    const above = row;
    row = [index + 1];
    for (const [column, other] of b.split('').entries()) {
      const replaced = above[column]! + (letter === other ? 0 : 1);
      row.push(Math.min(replaced, above[column + 1]! + 1, row[column]! + 1));
    }
  }
  return row.at(-1)!;
}
