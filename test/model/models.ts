import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The models of the replay guards, by file. */
export const models = ['shared-table.pml', 'redis-guard.pml', 'postgres-guard.pml'] as const;

/** The result of a check: a signature that was accepted twice, or that none ever is. */
export interface Checked {
  readonly isViolated: boolean;
  readonly states: number;
}

/** Returns why models cannot be checked here; undefined if they can. */
export function missingProgram(): string | undefined {
  const missing = [['spin', '-V'] as const, ['gcc', '--version'] as const].find(
    ([program, argument]) => spawnSync(program, [argument]).status !== 0,
  );
  return missing && `needs ${missing[0]}: apt-get install spin gcc libc6-dev`;
}

/** Returns the rules of a model, each of which can be removed. */
export function rulesOf(model: string): readonly string[] {
  const text = readFileSync(pathOf(model), 'utf8');
  return [...new Set(text.match(/\bWITHOUT_[A-Z_]+/g))].toSorted();
}

/** Explores every state of a model, with all of its rules or without one. Rejects if that is not possible. */
export async function check(model: string, withoutRule?: string): Promise<Checked> {
  const folder = mkdtempSync(join(tmpdir(), 'model-'));
  const options = { cwd: folder, maxBuffer: 1024 ** 2 };
  try {
    const defined = withoutRule === undefined ? [] : [`-D${withoutRule}`];
    await run('spin', [...defined, '-a', pathOf(model)], options);
    const size = `-DMEMLIM=${memoryMegabytesMax}`;
    // Without a rule, the search ends at the first violation: compiling well takes longer than searching slowly.
    const speed = withoutRule === undefined ? '-O1' : '-O0';
    await run(
      'gcc',
      [speed, '-w', '-DSAFETY', '-DCOLLAPSE', '-DNOCLAIM', size, '-o', 'pan', 'pan.c'],
      options,
    );
    const { stdout } = await run(join(folder, 'pan'), [`-m${depthMax}`, '-n', '-E'], options);
    return read(stdout, withoutRule);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const run = promisify(execFile);
const memoryMegabytesMax = 2048;
const depthMax = 100_000;

function pathOf(model: string): string {
  return fileURLToPath(new URL(model, import.meta.url));
}

function read(output: string, withoutRule: string | undefined): Checked {
  const errors = Number(/errors: (\d+)/.exec(output)?.[1]);
  const states = Number(/(\S+) states, stored/.exec(output)?.[1]);
  const isViolated = /assertion violated/.test(output);
  // A search that ended early has proved nothing.
  const isWhole = !/too small|out of memory|Search not completed/.test(output);
  const isSound = isViolated ? errors === 1 : errors === 0 && isWhole;
  if (!isSound || !(states > 0)) throw new Error(`${withoutRule ?? 'all rules'}: ${output}`);
  return { isViolated, states };
}
