import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** What is waited for, in words, or a function that tells at the failure how things stand. */
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
    if (performance.now() - startedMs > waitMsMax)
      assert.fail(`Still waiting after a minute: ${textOf(what)}`);
    await sleep(everyMs);
  }
}

const waitMsMax = 60_000;
const everyMs = 5;

function textOf(what: What): string {
  const told = typeof what === 'string' ? what : what();
  return typeof told === 'string' ? told : JSON.stringify(told);
}
