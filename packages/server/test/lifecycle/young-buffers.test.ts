import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const source = new URL('../../src/lifecycle/young-buffers.ts', import.meta.url).href;

/** A program that takes 200 MiB, a MiB in each look at them and more, keeps all, and prints how many collections were asked for. */
const program = `
  import { constants, PerformanceObserver } from 'node:perf_hooks';
  import { setTimeout } from 'node:timers/promises';
  import { freeYoungBuffers } from ${JSON.stringify(source)};
  let collections = 0;
  new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries())
      if (detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) collections += 1;
  }).observe({ entryTypes: ['gc'] });
  freeYoungBuffers();
  const kept = [];
  for (let count = 0; count < 200; count += 1) {
    kept.push(Buffer.alloc(2 ** 20, 1));
    await setTimeout(6);
  }
  console.log(kept.length, collections);`;

describe('the memory of buffers', () => {
  it('is looked through when 16 MiB have come, and no more often while all of it is in use', async () => {
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
      timeout: 60_000,
    });
    const [kept, collections] = stdout.trim().split(' ').map(Number);
    assert.equal(kept, 200);
    assert.ok(collections! >= 3 && collections! <= 13, String(collections));
  });
});
