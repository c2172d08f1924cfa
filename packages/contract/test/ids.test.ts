import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isId, newId } from '@countersign/contract';

describe('ids', () => {
  test('a time that does not fit is refused', () => {
    for (const time of [-1, 2 ** 48, Number.NaN, 1.5, Number.POSITIVE_INFINITY]) {
      assert.throws(() => newId('payment', time), RangeError);
    }
  });

  test('only the exact form is an id', () => {
    const id = newId('payment');
    const wrong = [
      '',
      'payment_',
      id.toUpperCase(),
      `${id}0`,
      id.slice(0, -1),
      id.replace('payment', 'client'),
      `${id}\n`,
    ];
    for (const text of [...wrong, `payment_${'u'.repeat(26)}`, `payment_${'z'.repeat(26)}`]) {
      assert.equal(isId('payment', text), false, text);
    }
    assert.equal(isId('payment', id), true);
  });

  test('the first and the last time have the first and the last text', () => {
    assert.match(newId('key', 0), /^key_0000000000[0-9a-z]{16}$/);
    assert.match(newId('key', 2 ** 48 - 1), /^key_7zzzzzzzzz[0-9a-z]{16}$/);
  });

  test('ids sort by time and do not repeat', () => {
    const ids = Array.from({ length: 2000 }, (_, index) => newId('payment', 1_800_000_000_000 + index));
    assert.deepEqual(ids.toSorted(), ids);
    assert.equal(new Set(Array.from({ length: 2000 }, () => newId('payment', 0))).size, 2000);
  });
});
