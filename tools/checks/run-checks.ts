import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';
import type { Check } from './checks.ts';

interface CheckResult {
  readonly ok: boolean;
  readonly seconds: number;
  readonly output: string;
}

/** One mistake can break many lines; the first ones say enough. */
const linesShownMax = 100;

/**
 * Runs the checks, one per processor at a time, and shows a line for each in their order, with the output of those that fail.
 *
 * @returns the names of the failed checks
 */
export async function runChecks(
  checks: readonly Check[],
  root: string,
  show: (line: string) => void,
): Promise<readonly string[]> {
  const results = startAll(checks, root);
  const failed: string[] = [];
  for (const [index, check] of checks.entries()) {
    const { ok, seconds, output } = await results(index);
    const totals = ok && check.hasTotals === true ? `: ${output.trimEnd().split('\n').at(-1)}` : '';
    show(`${ok ? 'ok    ' : 'FAILED'}  ${check.name} (${seconds.toFixed(1)} s)${totals}`);
    if (ok) continue;
    failed.push(check.name);
    const lines = output.trimEnd().split('\n');
    for (const line of lines.slice(0, linesShownMax)) show(`    ${line}`.trimEnd());
    if (lines.length > linesShownMax) show(`    … ${lines.length - linesShownMax} more lines`);
    if (check.advice !== undefined) show(`    ${check.advice}`);
  }
  return failed;
}

/** Starts the checks, each when a processor is free, and returns a function that waits for one result. */
function startAll(checks: readonly Check[], root: string): (index: number) => Promise<CheckResult> {
  const results = checks.map(() => Promise.withResolvers<CheckResult>());
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < checks.length) {
      const index = next++;
      const check = checks[index];
      const slot = results[index];
      if (check && slot) slot.resolve(await runCheck(check, root));
    }
  };
  for (let count = 0; count < availableParallelism(); count++) void worker();
  return (index) => results[index]?.promise ?? Promise.reject(new RangeError(`There is no check ${index}.`));
}

async function runCheck({ program }: Check, root: string): Promise<CheckResult> {
  const start = performance.now();
  const env = { ...process.env, NO_COLOR: '1' };
  const child = spawn(process.execPath, program, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { ok: code === 0, seconds: (performance.now() - start) / 1000, output: `${output}${errors}` };
}
