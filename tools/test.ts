// `npm test`: static checks, then tests even if a check fails, and a summary. `npm test -- --help` lists the options.
import { fileURLToPath } from 'node:url';
import { checks } from './checks/checks.ts';
import { runChecks } from './checks/run-checks.ts';
import { type Choice, chooseSuites } from './suites/choose-suites.ts';
import { runTiers } from './suites/run-tiers.ts';
import { summaryOf } from './suites/summary.ts';
import { readTestArguments, type TestArguments, testHelp } from './suites/test-arguments.ts';

const start = performance.now();
// Exiting runs the clean-up: it ends the test processes and removes the temporary folder.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
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

async function run({ name }: TestArguments, choice: Choice): Promise<boolean> {
  const checksToRun = choice.isNarrowed ? [] : checks;
  for (const line of choice.lines) console.log(line);
  const failedChecks = await runChecks(checksToRun, root, console.log);
  const show = (text: string): void => void process.stdout.write(text);
  const options = { root, environment: process.env, show, ...(name !== undefined && { name }) };
  const tests = await runTiers(choice, options);
  const seconds = (performance.now() - start) / 1000;
  const { isWell, lines } = summaryOf({ checks: checksToRun, failedChecks, choice, tests, seconds });
  for (const line of lines) console.log(line);
  return isWell;
}
