import { parseArgs } from 'node:util';

/** What `npm test` is asked to run. */
export interface TestArguments {
  /** Only test files whose path contains one of these; all when empty. */
  readonly paths: readonly string[];
  /** Only tests whose name contains this, with the names of the suites around it in front. */
  readonly name?: string;
  /** Only test files that reach what changed since this revision. */
  readonly changedSince?: string;
  /** Whether the long test files run too. */
  readonly isAll: boolean;
  readonly isHelp: boolean;
}

export const testHelp = `npm test                               static checks, then every test file but the long ones
npm test -- --all                      the same with the long ones, as CI=true does
npm test -- replay packages/cli        test files whose path contains one of these words
npm test -- --name "a stranger"        tests whose name, or whose suite's name, contains the text
npm test -- --changed                  test files that reach what differs from HEAD, new files included
npm test -- --changed --base main      the same for everything since the branch left main

Words and options narrow each other: npm test -- packages/server --name "a stranger".
Static checks run only when nothing is narrowed down; npm run check runs them alone.
A long test file (tools/suites/long-suites.ts) runs with --all, or when a word or --name asks for it.`;

const options = {
  name: { type: 'string' },
  changed: { type: 'boolean' },
  base: { type: 'string' },
  all: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Reads the arguments of `npm test`; a text says what is wrong with them. */
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
  const { name, base } = values;
  return {
    paths: positionals.map((path) => path.replaceAll('\\', '/').replace(/^\.\//, '')),
    ...(typeof name === 'string' && { name }),
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

/** How many letters must be inserted, removed or replaced to make one word of another (Levenshtein). */
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
