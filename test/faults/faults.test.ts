import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Ground, prepareGround, storeIsMissing } from './ground.ts';
import { allFaults, groupIntoRuns, nameOf, readFault, someFaults } from './positions.ts';
import { runCommitScenario, runScenario } from './scenario.ts';

/* `npm run test:faults` fails every call. */

/** Runs with a fault in each life; some of each kind, spread over start, work, crash and stop. */
const sample = [
  ['1/open:3:EMFILE', '2/write:70:half', '3/sync:12:EIO'],
  ['1/read:40:EIO', '2/write:100:EIO+kill', '3/rename:2:EIO'],
  ['1/sync:8:EIO', '2/sync:10:kill', '3/open:60:EMFILE'],
  ['1/accept:6:EMFILE', '2/send:5:EPIPE', '3/print:1:EPIPE'],
];

describe('a call of the system that fails', { skip: storeIsMissing('files') }, () => {
  let ground: Ground;
  before(async () => {
    ground = await prepareGround('files');
  });
  after(() => ground?.remove());

  test('not one: every promise is kept, and calls are counted', async () => {
    const { lives, violations } = await runScenario(ground);
    assert.deepEqual(violations, []);
    assert.equal(lives.length, 3);
    for (const { counts, failed } of lives) {
      assert.equal(failed, undefined);
      for (const kind of ['open', 'read', 'write', 'sync', 'accept', 'send', 'receive'] as const)
        assert.ok(counts[kind] > 10, `${kind}: ${counts[kind]}`);
    }
  });

  for (const names of sample) {
    test(`${names.join(', ')}: nothing is accepted twice, what was answered is true, and it goes on by itself`, async () => {
      const { lives, violations } = await runScenario(
        ground,
        names.map((name) => readFault(name)!),
      );
      const failed = lives.map((life) => life.failed);
      assert.ok(!failed.includes(undefined), `calls never came: ${String(failed)}`);
      assert.deepEqual(violations, [], String(failed));
    });
  }

  test('the sync of a commit: nobody says that nothing was done, because after a crash it is', async () => {
    const { answers, paymentsFound } = await runCommitScenario(ground);
    assert.deepEqual(answers, ['500 outcome_unknown', '201']);
    assert.equal(paymentsFound, 1);
  });
});

test('the faults of a scenario cover every position of every life, and a sample is spread over them', () => {
  const none = { open: 0, read: 0, write: 0, truncate: 0, rename: 0, remove: 0, accept: 0, connect: 0 };
  const ofLife = { ...none, send: 0, receive: 0, print: 0 };
  const faults = allFaults([
    { ...ofLife, sync: 9 },
    { ...ofLife, sync: 3 },
  ]);
  const names = faults.map(nameOf);
  assert.equal(new Set(names).size, 48);
  assert.deepEqual(names.slice(8, 10), ['1/sync:9:EIO', '1/sync:1:EIO+kill']);
  assert.equal(names.at(-1), '2/sync:3:kill');
  assert.deepEqual(
    faults.map((fault) => readFault(nameOf(fault))),
    faults,
  );
  assert.deepEqual(someFaults(faults, 3).map(nameOf).slice(0, 4), [
    '1/sync:3:EIO',
    '1/sync:7:EIO',
    '2/sync:2:EIO',
    '1/sync:3:EIO+kill',
  ]);
  for (const wrong of ['1/sync:0:EIO', '1/sync:1', '1/sink:1:EIO', '0/sync:1:EIO', '1/sync:1:EIO+stop'])
    assert.equal(readFault(wrong), undefined);
});

test('faults of different lives share a run, and none is left out', () => {
  const faults = [
    '1/sync:1:EIO',
    '1/sync:2:EIO',
    '1/sync:3:EIO',
    '2/open:1:EIO',
    '3/open:4:kill',
    '3/open:5:kill',
  ];
  const runs = groupIntoRuns(faults.map((name) => readFault(name)!));
  assert.deepEqual(
    runs.map((faultsOfRun) => faultsOfRun.map(nameOf)),
    [['1/sync:1:EIO', '2/open:1:EIO', '3/open:4:kill'], ['1/sync:2:EIO', '3/open:5:kill'], ['1/sync:3:EIO']],
  );
  assert.deepEqual(groupIntoRuns([]), []);
});
