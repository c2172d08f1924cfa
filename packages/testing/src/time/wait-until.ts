import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long tests wait for what is sure to come, even when the disk or the machine stands still for a while. */
export const patienceMs = 60_000;
const everyMs = 5;

/** A description of the awaited condition, or a function that describes the state at the time of the failure. */
type What = string | (() => unknown);

/**
 * Waits until something is so, and fails after a minute: a test that waits forever would stop all others. Resolves with the
 * milliseconds that it took.
 */
export async function waitUntil(isSo: () => boolean | Promise<boolean>, what: What): Promise<number> {
  const startedMs = performance.now();
  await waitFor(async () => (await isSo()) || undefined, what);
  return performance.now() - startedMs;
}

/** Waits in the same way until something is found, and resolves with it. */
export async function waitFor<Found>(
  find: () => Found | undefined | Promise<Found | undefined>,
  what: What,
): Promise<Found> {
  const startedMs = performance.now();
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (performance.now() - startedMs > patienceMs)
      assert.fail(`Still waiting after a minute: ${textOf(what)}`);
    await sleep(everyMs);
  }
}

/** Waits in the same way for something that comes by itself, and settles like it. */
export async function waitForResult<Result>(coming: Promise<Result>, what: What): Promise<Result> {
  const over = new AbortController();
  const late = sleep(patienceMs, undefined, { signal: over.signal }).then(() =>
    assert.fail(`Still waiting after a minute: ${textOf(what)}`),
  );
  try {
    return await Promise.race([coming, late]);
  } finally {
    over.abort();
  }
}

/** A program that a test has started. */
export interface StartedProgram {
  readonly name: string;
  readonly child: ChildProcess;
  /** What it has printed. */
  readonly output: () => string;
}

/** Waits until a program answers. Fails with what it printed, at once if it ends before. */
export async function waitUntilUp(
  { name, child, output }: StartedProgram,
  answers: () => Promise<boolean>,
): Promise<void> {
  await waitUntil(
    () => {
      if (child.exitCode !== null) throw new Error(`${name} has ended:\n${output()}`);
      return answers();
    },
    () => `${name} does not answer:\n${output()}`,
  );
}

function textOf(what: What): string {
  const told = typeof what === 'string' ? what : what();
  return typeof told === 'string' ? told : JSON.stringify(told);
}
