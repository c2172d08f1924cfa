import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const preload = new URL('reword-sentences.mjs', import.meta.url).href;
const program = fileURLToPath(new URL('verdicts.ts', import.meta.url));

interface Verdicts {
  readonly lines: readonly string[];
  readonly sentences: readonly string[];
}

async function verdicts(environment: Readonly<Record<string, string>>): Promise<Verdicts> {
  const { stdout } = await run(process.execPath, [`--import=${preload}`, program], {
    env: { ...process.env, ...environment },
    maxBuffer: 64 * 2 ** 20,
  });
  return JSON.parse(stdout) as Verdicts;
}

test('other words in every sentence change no verdict and no finding', async () => {
  const [usual, other] = await Promise.all([verdicts({}), verdicts({ REWORDING: String(Math.random()) })]);
  assert.deepEqual(other.lines, usual.lines);
  const kept = other.sentences.filter((sentence, index) => sentence === usual.sentences[index]);
  assert.deepEqual(kept, [], 'every sentence has other words');
});
