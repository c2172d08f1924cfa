// `npm test`: all static checks, then all tests, whatever the checks say, and at the end what failed and the numbers.
// `npm test -- replay packages/cli` runs only the test files whose path contains one of the words, without the checks.
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { checks } from './checks/checks.ts';
import { runChecks } from './checks/run-checks.ts';
import { findSuites } from './suites/find-suites.ts';
import { lanesOf } from './suites/lanes.ts';
import { runLanes } from './suites/run-suites.ts';

const start = performance.now();
// Ctrl-C goes to the lanes too; this process ends in order, so that nothing is left in memory.
process.once('SIGINT', () => process.exit(130));
const root = fileURLToPath(new URL('..', import.meta.url));
const show = (text: string): void => void process.stdout.write(text);
const filters = process.argv.slice(2);
const files = findSuites(root, filters);
const checksToRun = filters.length === 0 ? checks : [];

const failedChecks = await runChecks(checksToRun, root, console.log);
if (filters.length > 0) console.log('Only some test files, no static checks (npm run check).');
const noFiles = files.length === 0;
if (noFiles)
  console.log(`FAILED  There is no test file${filters.length > 0 ? ` for ${filters.join(' ')}` : ''}.`);
const tests = noFiles
  ? { passed: 0, failed: 1, skipped: [] }
  : await runLanes(lanesOf(files, availableParallelism()), { root, environment: process.env, show });

const failed = [...failedChecks, ...(tests.failed > 0 ? ['tests'] : [])];
const passedCount = tests.passed + checksToRun.length - failedChecks.length;
console.log(`\n${failed.length === 0 ? 'All is well' : `Failed: ${failed.join(', ')}`}`);
console.log(
  `${checksToRun.length} checks and ${files.length} test files in ${((performance.now() - start) / 1000).toFixed(1)} s`,
);
console.log(
  `${passedCount} passed, ${tests.failed + failedChecks.length} failed, ${tests.skipped.length} skipped`,
);
if (failed.length > 0) process.exitCode = 1;
