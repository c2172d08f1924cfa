import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webhookEventTypeNames } from '@countersign/contract';
import { eventGroups } from '../src/pages/webhooks/event-groups.ts';

const namesIn = (
  chosen: readonly string[],
  isOperator: boolean,
): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    eventGroups(chosen, { isOperator }).map(({ group, types }) => [group, types.map(({ name }) => name)]),
  );

const streams = ['stream.stalled', 'stream.recovered'];

test("an account is not offered events of the operator's streams, and the operator has them in a group of their own", () => {
  const offered = namesIn([], false);
  assert.equal(offered['streams'], undefined);
  assert.ok(!Object.values(offered).flat().includes('webhook.test'));
  assert.deepEqual(namesIn([], true), { ...offered, streams });
  assert.equal(Object.values(namesIn([], true)).flat().length, webhookEventTypeNames.length - 1);
});

test('what a webhook already has stays, also what this portal does not know', () => {
  const { streams: kept, account } = namesIn(['stream.stalled', 'later.type'], false);
  assert.deepEqual(kept, ['stream.stalled']);
  assert.ok(account?.includes('later.type'));
});
