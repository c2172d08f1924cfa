import { globSync } from 'node:fs';

const suites = ['packages/*/test/**/*.test.ts', 'tools/test/**/*.test.ts', 'test/**/*.test.ts'];

/**
 * The test files of the repository, relative to `root`, sorted: all, or those whose path contains one of `filters`. A path
 * that starts with `./` is understood too.
 */
export function findSuites(root: string, filters: readonly string[] = []): string[] {
  const wanted = filters.map((filter) => filter.replaceAll('\\', '/').replace(/^\.\//, ''));
  return globSync(suites, { cwd: root, exclude: (path) => path.includes('node_modules') })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => wanted.length === 0 || wanted.some((filter) => path.includes(filter)))
    .toSorted();
}
