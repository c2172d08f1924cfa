// `npm run check`: the static checks without the tests.
import { fileURLToPath } from 'node:url';
import { checks } from './checks/checks.ts';
import { runChecks } from './checks/run-checks.ts';

const failed = await runChecks(checks, fileURLToPath(new URL('..', import.meta.url)), console.log);
if (failed.length > 0) {
  console.log(`\nFailed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
