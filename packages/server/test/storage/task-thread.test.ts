import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { StorageError } from '../../src/storage/storage-error.ts';
import { TaskThread } from '../../src/storage/task-thread.ts';

test('a thread that fails is started again for a task alone, and not at all once it is closed', async (t) => {
  const program = join(temporaryFolder(t), 'program.mjs');
  // It fails at its task, and not before: a thread that fails by itself can be lost before the test's next step.
  writeFileSync(
    program,
    `import { parentPort } from 'node:worker_threads';
    parentPort.once('message', () => { throw new Error('it cannot work'); });`,
  );
  let startedCount = 0;
  const count = (): void => void (startedCount += 1);
  process.on('worker', count);
  t.after(() => process.off('worker', count));
  const thread = new TaskThread({
    place: { file: 'nothing.sqlite' },
    program: new URL(`file://${program}`),
    name: 'fails',
    whenLost: (cause) => new StorageError('unavailable', 'lost', cause),
  });
  const startedAfter = async (act: () => unknown): Promise<number> => {
    startedCount = 0;
    await act();
    await nextTurn();
    return startedCount;
  };
  assert.equal(await startedAfter(() => thread.start()), 1);
  assert.equal(await startedAfter(() => assert.rejects(thread.run('any', {}), /lost/)), 0);
  assert.equal(await startedAfter(() => thread.start()), 0);
  assert.equal(await startedAfter(() => assert.rejects(thread.run('any', {}), /lost/)), 1);
  await thread.close();
  assert.equal(await startedAfter(() => thread.start()), 0);
});

test('a start ahead of a task never throws', (t) => {
  const thread = new TaskThread({
    place: { file: 'nothing.sqlite' },
    // A thread cannot be made of this, as if the process could have no other one.
    program: new URL('https://nowhere.example/program.js'),
    name: 'cannot be made',
    whenLost: (cause) => new StorageError('unavailable', 'lost', cause),
  });
  t.after(() => thread.close());
  thread.start();
  return assert.rejects(thread.run('any', {}));
});
