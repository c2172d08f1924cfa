import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Page, Payment } from '@countersign/contract';
import type { Answer } from '@countersign/gate';
import { backends } from '@countersign/testing/backends';
import { apiOn } from './api-on.ts';
import { ProblemError } from '../../../gate/src/http/problem-error.ts';
import { type Call, goodBody, openScene, refusal, type Scene } from './scene.ts';

const keyed = (key: string, body: Call['body'] = goodBody): Call => ({
  method: 'POST',
  body,
  headers: { 'idempotency-key': key },
});

async function countPayments({ call }: Scene): Promise<number> {
  return ((await call({ query: 'limit=100' })).body as Page<Payment>).data.length;
}

const isReplayed = (answer: Answer): boolean => answer.headers?.['Idempotency-Replayed'] === 'true';

for (const { name: backend, skip, make } of backends) {
  describe(`on ${backend}`, { skip }, () => {
    const scene = (t: TestContext) => openScene(make, t);

    describe('Idempotency-Key is refused', () => {
      test('when it is malformed, and nothing is created', async (t) => {
        const here = await scene(t);
        const keys = [
          '',
          ' ',
          '""',
          '"a',
          'a"',
          'a b',
          '"a b"',
          'a,b',
          '"a", "b"',
          'ä',
          'x'.repeat(129),
          '"a";x=1',
          "'a'",
          '"\\""',
        ];
        for (const key of keys) await refusal(here.call(keyed(key)), 'idempotency_key_malformed');
        assert.equal(await countPayments(here), 0);
      });

      test('when another request had it', async (t) => {
        const here = await scene(t);
        await here.call(keyed('a'));
        await refusal(here.call(keyed('a', { ...goodBody, amount: 1 })), 'idempotency_key_reused');
        // Other bytes are another request, even when they mean the same.
        await refusal(
          here.call(keyed('a', JSON.stringify(goodBody, undefined, 1))),
          'idempotency_key_reused',
        );
        assert.equal(await countPayments(here), 1);
      });
    });

    describe('Idempotency-Key', () => {
      test('gives the first answer again, and creates nothing', async (t) => {
        const here = await scene(t);
        const first = await here.call(keyed('order-4711'));
        here.clock.nowMs += 60_000;
        const second = await here.call(keyed('"order-4711"'));
        assert.equal(isReplayed(first), false);
        assert.equal(isReplayed(second), true);
        assert.deepEqual([second.status, second.body], [201, first.body]);
        assert.equal(second.headers?.['Location'], first.headers?.['Location']);
        assert.equal(JSON.stringify(second.body), JSON.stringify(first.body));
        assert.equal(await countPayments(here), 1);
      });

      test('counts for one client', async (t) => {
        const here = await scene(t);
        const first = await here.call(keyed('a'));
        for (const client of [here.colleague, here.stranger]) {
          const other = await here.call({ ...keyed('a'), client });
          assert.equal(isReplayed(other), false);
          assert.notEqual((other.body as Payment).paymentId, (first.body as Payment).paymentId);
        }
      });

      test('of a request that was refused may be used again', async (t) => {
        const { call } = await scene(t);
        await refusal(call(keyed('a', {})), 'body_invalid');
        assert.equal((await call(keyed('a'))).status, 201);
      });

      test('is forgotten after 24 hours, together with others that have expired', async (t) => {
        const here = await scene(t);
        for (let count = 0; count < 30; count += 1) await here.call(keyed(`key-${count}`));
        const first = await here.call(keyed('a'));
        here.clock.nowMs += 86_400_000 - 1;
        assert.equal(isReplayed(await here.call(keyed('a'))), true);
        here.clock.nowMs += 1;
        const later = await here.call(keyed('a', { ...goodBody, amount: 1 }));
        assert.equal(isReplayed(later), false);
        assert.notEqual((later.body as Payment).paymentId, (first.body as Payment).paymentId);
        const rows = await here.database.selectFrom('idempotency_keys').select('record_id').execute();
        assert.equal(rows.length, 1);
      });

      test('creates one payment, however many ask at the same time', async (t) => {
        const here = await scene(t);
        const results = await Promise.allSettled(Array.from({ length: 50 }, () => here.call(keyed('a'))));
        const created = results.filter(
          (result) => result.status === 'fulfilled' && !isReplayed(result.value),
        );
        assert.equal(created.length, 1);
        for (const result of results) {
          if (result.status === 'fulfilled') continue;
          assert.ok(result.reason instanceof ProblemError);
          assert.equal(result.reason.code, 'idempotency_key_in_use');
          assert.equal(result.reason.headers['Retry-After'], '1');
        }
        assert.equal(await countPayments(here), 1);
        assert.equal(isReplayed(await here.call(keyed('a'))), true);
      });

      test('does not hold up requests with other keys', async (t) => {
        const here = await scene(t);
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, index) => here.call(keyed(`key-${index}`))),
        );
        assert.equal(answers.filter(isReplayed).length, 0);
        assert.equal(await countPayments(here), 20);
      });

      test('creates one payment on two nodes that share the database', async (t) => {
        const here = await scene(t);
        const other = apiOn(here.database);
        const onOther = async (): Promise<Answer> => {
          const match = other.find('POST', '/v1/payments');
          assert.ok('handler' in match);
          return match.handler({
            operation: match.operation,
            parameters: {},
            query: '',
            nowMs: here.clock.nowMs,
            requestId: 'request_2',
            header: (name) =>
              name === 'content-type' ? 'application/json' : name === 'idempotency-key' ? 'a' : undefined,
            body: Buffer.from(JSON.stringify(goodBody)),
            verified: () => assert.fail('nothing was verified'),
            caller: {
              kind: 'client',
              client: here.shop,
              accountId: here.shop.accountId,
              permissions: here.shop.permissions,
              key: {} as never,
              sourceAddress: '203.0.113.7',
              clockDifferenceSeconds: 0,
            },
          });
        };
        const answers = await Promise.all([here.call(keyed('a')), onOther()]);
        assert.equal(answers.filter(isReplayed).length, 1);
        assert.equal(await countPayments(here), 1);
      });

      test('is kept together with the payment or not at all', async (t) => {
        const here = await scene(t);
        await here.database.schema.alterTable('idempotency_keys').dropColumn('body').execute();
        await assert.rejects(here.call(keyed('a')));
        assert.equal(await countPayments(here), 0);
      });
    });
  });
}
