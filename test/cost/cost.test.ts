import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type OperationId, operations } from '@countersign/contract';
import { type Cost, gate, measureCost } from './cost.ts';

/*
 * `npm run test:cost` sends everything to a full store, and measures. Here only some of it is sent,
 * without measuring.
 */

describe('the most expensive requests', () => {
  let costs: readonly Cost[];
  before(async () => {
    const size = { clients: 5, requests: 200, notices: 5, accounts: 5 };
    costs = await measureCost({ size, repeats: 1, every: 50 });
  });

  test('are made for every operation and for the check of the gate', () => {
    const ids = Object.keys(operations) as OperationId[];
    assert.deepEqual([...new Set(costs.map(({ subject }) => subject))], [gate, ...ids]);
  });

  test('begin with one that is ordinary, and succeeds', () => {
    for (const id of Object.keys(operations)) {
      const [ordinary] = costs.filter(({ subject }) => subject === id);
      const isOfNothing = id === 'getPayment' || id === 'cancelPayment';
      const expected = isOfNothing ? 404 : (operations[id as OperationId].status ?? 200);
      assert.deepEqual([id, ordinary?.what, ordinary?.receipt.status], [id, 'an ordinary call', expected]);
    }
  });

  test('are answered, and never by an error of ours', () => {
    const failed = costs.filter(({ receipt }) => receipt.status < 200 || receipt.status >= 500);
    assert.deepEqual(failed, []);
  });

  test('are refused for a reason, if they are', () => {
    const unexplained = costs.filter(({ receipt }) => receipt.status >= 400 && receipt.code === '');
    assert.deepEqual(unexplained, []);
  });
});
