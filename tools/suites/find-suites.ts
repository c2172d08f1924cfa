import { globSync } from 'node:fs';

const suites = ['packages/*/test/**/*.test.ts', 'tools/test/**/*.test.ts', 'test/**/*.test.ts'];

/** Finds the test files of the repository, relative to `root`, sorted: all, or those whose path contains one of `words`. */
export function findSuites(root: string, words: readonly string[] = []): string[] {
  return globSync(suites, { cwd: root, exclude: (path) => path.includes('node_modules') })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => words.length === 0 || words.some((word) => path.includes(word)))
    .toSorted();
}
