/** A program that exits with 0 if it finds nothing wrong. */
export interface Check {
  readonly name: string;
  /** Arguments for Node, relative to the repository. */
  readonly program: readonly string[];
  /** Shown when it fails, if its own messages do not say what to do. */
  readonly advice?: string;
  /** True if its last line describes the state, and is shown when it passes too. */
  readonly hasTotals?: true;
}

/** Starts only one compiler: the checks run side by side, and several compilers would repeat the same work. */
const compiler = ['node_modules/typescript/bin/tsc', '--noEmit', '--pretty', 'false', '--checkers', '1'];

/** In the order in which the results are shown. */
export const checks: readonly Check[] = [
  { name: 'types', program: [...compiler, '-p', '.'] },
  { name: 'types of the portal', program: [...compiler, '-p', 'packages/portal'] },
  // With the German texts in place of the English ones: a text that is missing, or takes something else, is an error.
  {
    name: 'types of the portal in German',
    program: [...compiler, '-p', 'packages/portal', '--customConditions', 'de'],
  },
  {
    name: 'lint',
    program: ['node_modules/oxlint/bin/oxlint', '--format', 'unix'],
    advice: 'npm run lint shows them in full.',
  },
  {
    name: 'format',
    program: ['node_modules/oxfmt/bin/oxfmt', '--check'],
    advice: 'npm run format puts it right.',
  },
  {
    name: 'dead code',
    program: ['node_modules/knip/bin/knip.js', '--no-progress', '--no-config-hints'],
    advice: 'Remove what nothing uses, or use it.',
  },
  { name: 'boundaries', program: ['tools/check-boundaries.ts'], hasTotals: true },
  { name: 'waits', program: ['tools/check-waits.ts'], hasTotals: true },
  { name: 'documents', program: ['tools/check-documents.ts'] },
  {
    name: 'commits',
    program: ['tools/check-commits.ts'],
    advice: 'Shorten the subject (git commit --amend, git rebase --interactive); the body says why.',
  },
];
