import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Ground, prepareGround, storeIsMissing } from './ground.ts';
import { nameOf, readFault, someFaults, allFaults } from './positions.ts';
import { runCommitScenario, runScenario } from './scenario.ts';

/* `npm run test:faults` fails every call. */

/** One of each sort: spread over start, work, crash and stop. */
const sample = [
  'open:3:EMFILE',
  'open:60:EMFILE',
  'read:40:EIO',
  'write:70:half',
  'write:150:EIO+kill',
  'sync:12:EIO',
  'sync:20:kill',
  'rename:2:EIO',
  'accept:6:EMFILE',
  'send:5:EPIPE',
  'print:1:EPIPE',
];

describe('a call of the system that fails', { skip: storeIsMissing('files') }, () => {
  let ground: Ground;
  before(async () => {
    ground = await prepareGround('files');
  });
  after(() => ground?.remove());

  test('not one: every promise is kept, and calls are counted', async () => {
    const { counts, failed, violations } = await runScenario(ground);
    assert.deepEqual([failed, violations], [undefined, []]);
    for (const kind of ['open', 'read', 'write', 'sync', 'accept', 'send', 'receive', 'print'] as const)
      assert.ok(counts[kind] > 10, `${kind}: ${counts[kind]}`);
  });

  for (const name of sample) {
    test(`${name}: nothing is accepted twice, what was answered is true, and it goes on by itself`, async () => {
      const { failed, violations } = await runScenario(ground, readFault(name));
      assert.ok(failed !== undefined, 'the call never came');
      assert.deepEqual(violations, [], failed);
    });
  }

  test('the sync of a commit: nobody says that nothing was done, because after a crash it is', async () => {
    const { answers, paymentsFound } = await runCommitScenario(ground);
    assert.deepEqual(answers, ['500 outcome_unknown', '201']);
    assert.equal(paymentsFound, 1);
  });
});

test('the faults of a scenario cover every position, and a sample is spread over them', () => {
  const none = { open: 0, read: 0, write: 0, truncate: 0, rename: 0, remove: 0, accept: 0, connect: 0 };
  const faults = allFaults({ ...none, send: 0, receive: 0, print: 0, sync: 9 });
  const names = faults.map(nameOf);
  assert.equal(new Set(names).size, 36);
  assert.deepEqual(names.slice(8, 10), ['sync:9:EIO', 'sync:1:EIO+kill']);
  assert.deepEqual(
    faults.map((fault) => readFault(nameOf(fault))),
    faults,
  );
  assert.deepEqual(someFaults(faults, 3).map(nameOf).slice(0, 4), [
    'sync:2:EIO',
    'sync:5:EIO',
    'sync:8:EIO',
    'sync:2:EIO+kill',
  ]);
  for (const wrong of ['sync:0:EIO', 'sync:1', 'sink:1:EIO', 'sync:1:EWHAT', 'sync:1:EIO+stop'])
    assert.equal(readFault(wrong), undefined);
});
