import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { currencies, schemas } from '@countersign/contract';

const good = { amount: 1250, currency: 'EUR', reference: 'Invoice 2021-04' };

const accepts = (value: unknown): boolean => schemas.PaymentRequest.safeParse(value).success;
const paths = (value: unknown): string[] =>
  (schemas.PaymentRequest.safeParse(value).error?.issues ?? [])
    .map((issue) => issue.path.join('/'))
    .toSorted();

describe('payment requests', () => {
  test('an amount is a whole number from 1 to 999999999999', () => {
    for (const amount of [
      0,
      -1,
      -0,
      1.5,
      1e12,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      '1',
      null,
      true,
      [1],
      1n,
    ]) {
      assert.equal(accepts({ ...good, amount }), false, String(amount));
    }
    for (const amount of [1, 999_999_999_999]) assert.equal(accepts({ ...good, amount }), true);
  });

  test('a currency is a code of the list, in capitals', () => {
    for (const currency of [
      'eur',
      'EURO',
      '',
      'XXX',
      'XAU',
      'DEM',
      '978',
      978,
      null,
      '__proto__',
      'constructor',
    ]) {
      assert.equal(accepts({ ...good, currency }), false, String(currency));
    }
    for (const currency of currencies) assert.equal(accepts({ ...good, currency }), true);
  });

  test('a reference has 1 to 64 visible characters, counted as people count', () => {
    const wrong = [
      '',
      ' ',
      ' a',
      'a ',
      'a\n',
      'a\tb',
      'a\u0000',
      'a\u200bb',
      'a\u202eb',
      'a\u00a0b',
      '\ud83d',
      '\udca9a',
      'x'.repeat(65),
      1,
      null,
    ];
    for (const reference of wrong)
      assert.equal(accepts({ ...good, reference }), false, JSON.stringify(reference));
    for (const reference of [
      'a',
      'a b',
      'Rechnung Nr. 4711 / März',
      '支払い',
      '💶'.repeat(64),
      "'; --",
      '<b>',
    ]) {
      assert.equal(accepts({ ...good, reference }), true, reference);
    }
  });

  test('a description is left out or has 1 to 256 visible characters', () => {
    for (const description of ['', null, 'x'.repeat(257), 'a\nb', '\ud83d']) {
      assert.equal(accepts({ ...good, description }), false, JSON.stringify(description));
    }
    assert.equal(accepts({ ...good, description: 'x'.repeat(256) }), true);
  });

  test('other members are refused, those of Object.prototype too', () => {
    const members = JSON.stringify(good).slice(1);
    for (const member of ['"paid":true', '"__proto__":{}', '"constructor":1', '"status":"completed"']) {
      assert.equal(accepts(JSON.parse(`{${member},${members}`)), false, member);
    }
    assert.equal(accepts(JSON.parse(`{${members}`)), true);
  });

  test('every wrong member is reported at once', () => {
    assert.deepEqual(paths({}), ['amount', 'currency', 'reference']);
    assert.deepEqual(paths({ amount: 0, currency: 'x', reference: '', description: '' }), [
      'amount',
      'currency',
      'description',
      'reference',
    ]);
  });

  test('only an object is a payment', () => {
    for (const value of [null, [], 'text', 1, undefined, [good]]) assert.equal(accepts(value), false);
  });

  test('the messages are sentences that say what to write', () => {
    const result = schemas.PaymentRequest.safeParse({
      amount: 'x',
      currency: 1,
      reference: 1,
      description: 1,
    });
    for (const { message } of result.error?.issues ?? []) assert.match(message, /^Write .*\.$/);
    assert.equal(schemas.PaymentRequest.safeParse(null).error?.issues[0]?.message, 'Send one JSON object.');
  });
});

describe('currencies', () => {
  test('three capitals each, sorted, none twice', () => {
    for (const code of currencies) assert.match(code, /^[A-Z]{3}$/);
    assert.deepEqual([...new Set(currencies)].toSorted(), currencies);
  });
});

describe('answers', () => {
  test('a local time or a missing member does not describe an answer', () => {
    const payment = {
      ...good,
      paymentId: `payment_${'0'.repeat(26)}`,
      clientId: 'client_1',
      status: 'pending',
      createdAt: '2026-11-20T23:00:00.000Z',
    };
    assert.equal(schemas.Payment.safeParse(payment).success, true);
    assert.equal(
      schemas.Payment.safeParse({ ...payment, createdAt: '2026-11-20T23:00:00.000+01:00' }).success,
      false,
    );
    assert.equal(schemas.Payment.safeParse({ ...payment, status: undefined }).success, false);
    assert.equal(schemas.Whoami.safeParse({ clientId: 'client_1' }).success, false);
  });
});
