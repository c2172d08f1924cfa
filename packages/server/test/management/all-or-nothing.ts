import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type OperationId, operations } from '@countersign/contract';
import type { Backend } from '@countersign/testing/backend';
import { StorageError } from '../../src/storage/storage-error.ts';
import { goodCalls } from './good-calls.ts';
import { openPlay, type Play } from './provocations.ts';

/** They have bodies, and change nothing. */
const reading: readonly OperationId[] = ['inspectKey', 'previewAlertRule'];
const changing = (Object.keys(goodCalls) as OperationId[]).filter(
  (id) => operations[id].method !== 'GET' && !reading.includes(id),
);

/** Whichever statement of a change fails, reading what is answered included: 503 says that nothing was done. */
export function testAllOrNothing(backend: Backend): void {
  describe(`the storage goes away in a change, on ${backend.name}`, { skip: backend.skip }, () => {
    let play: Play;
    /** How many statements still succeed. */
    let left = Number.POSITIVE_INFINITY;
    before(async () => {
      play = await openPlay(backend, {
        settings: { COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '1000000' },
        overrides: {
          wrapApiDatabase: (database) =>
            database.withPlugin({
              transformQuery({ node }) {
                if (left-- <= 0) throw new StorageError('unavailable', 'Away.');
                return node;
              },
              transformResult: async ({ result }) => result,
            }),
        },
      });
    });
    after(() => play.scene.close());

    const callerOf = (id: OperationId): Play['person'] | Play['operator'] =>
      operations[id].callers === 'people' ? play.person : play.operator;
    // The clock goes a second on with each attempt: a proof of the beginning would be too old in the end.
    beforeEach(async () => {
      play = { ...play, person: await play.scene.signIn(play.person, { hasSecondFactor: true }) };
    });

    const latestEvent = async (id: OperationId): Promise<unknown> => {
      // Equal requests need a second each.
      play.scene.clock.aheadMs += 1000;
      const options = { query: 'limit=1' };
      const { data } = await play.scene.succeed<{ data: unknown[] }>(
        callerOf(id),
        'listAuditEvents',
        options,
      );
      return data[0];
    };

    for (const id of changing) {
      test(`${id} is done and answered, or neither`, async () => {
        const call = await goodCalls[id]!(play);
        const event = await latestEvent(id);
        let failures = 0;
        for (;;) {
          left = failures;
          const answer = await play.scene.call(callerOf(id), id, call).finally(() => {
            left = Number.POSITIVE_INFINITY;
          });
          if (answer.status < 300) break;
          assert.equal(answer.json()['code'], 'storage_unavailable', answer.text);
          assert.deepEqual(await latestEvent(id), event, `statement ${failures + 1}`);
          failures += 1;
          assert.ok(failures < 100, 'it never succeeds');
        }
        assert.ok(failures > 2, `${failures} statements`);
      });
    }
  });
}
