// `npm test`: static checks, then tests even if a check fails, and a summary. `npm test -- --help` lists the options.
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { checks } from './checks/checks.ts';
import { runChecks } from './checks/run-checks.ts';
import { type Choice, chooseSuites } from './suites/choose-suites.ts';
import { lanesOf } from './suites/lanes.ts';
import { runLanes } from './suites/run-suites.ts';
import { readTestArguments, type TestArguments, testHelp } from './suites/test-arguments.ts';

const start = performance.now();
// Ctrl-C reaches the lanes too; exiting here runs the clean-up of the temporary folder.
process.once('SIGINT', () => process.exit(130));
const root = fileURLToPath(new URL('..', import.meta.url));

const asked = readTestArguments(process.argv.slice(2));
if (typeof asked === 'string') {
  console.error(`${asked}\n\n${testHelp}`);
  process.exitCode = 2;
} else if (asked.isHelp) {
  console.log(testHelp);
} else {
  const wanted = { ...asked, isAll: asked.isAll || process.env['CI'] === 'true' };
  const choice = chooseSuites(root, wanted);
  if (typeof choice === 'string') {
    console.error(`FAILED  ${choice}`);
    process.exitCode = 1;
  } else if (!(await run(wanted, choice))) process.exitCode = 1;
}

async function run({ name }: TestArguments, { files, left, lines }: Choice): Promise<boolean> {
  const checksToRun = lines.length === 0 ? checks : [];
  for (const line of lines) console.log(line);
  const failedChecks = await runChecks(checksToRun, root, console.log);
  // With a name, most files have nothing to run. One process for all, so that none fails for running no test.
  const lanes = name === undefined ? lanesOf(files, availableParallelism()) : [files];
  const show = (text: string): void => void process.stdout.write(text);
  const options = { root, environment: process.env, show, ...(name !== undefined && { name }) };
  const tests = files.length === 0 ? { passed: 0, failed: 0, skipped: [] } : await runLanes(lanes, options);

  const failed = [...failedChecks, ...(tests.failed > 0 ? ['tests'] : [])];
  const passedCount = tests.passed + checksToRun.length - failedChecks.length;
  console.log(`\n${failed.length === 0 ? 'All is well' : `Failed: ${failed.join(', ')}`}`);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${checksToRun.length} checks and ${files.length} test files in ${seconds} s`);
  if (left.length > 0)
    console.log(`${left.length} test files are left to npm test -- --all: ${left.join(', ')}`);
  console.log(
    `${passedCount} passed, ${tests.failed + failedChecks.length} failed, ${tests.skipped.length} skipped`,
  );
  return failed.length === 0;
}
