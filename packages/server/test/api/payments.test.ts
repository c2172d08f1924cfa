import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { type Page, type Payment, schemas } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { goodBody, openScene, refusal } from './scene.ts';

const post = { method: 'POST' } as const;

for (const { name: backend, skip, make } of backends) {
  describe(`on ${backend}`, { skip }, () => {
    const scene = (t: TestContext) => openScene(make, t);

    describe('creating a payment is refused', () => {
      test('without the right content type', async (t) => {
        const { call } = await scene(t);
        const types = [
          '',
          'text/plain',
          'application/jsonx',
          'application/json; charset=latin1',
          'application/json;',
          'application/problem+json',
        ];
        for (const type of [
          ...types,
          'application/json, application/json',
          'application/x-www-form-urlencoded',
        ]) {
          await refusal(
            call({ ...post, body: goodBody, headers: { 'content-type': type } }),
            'content_type_unsupported',
          );
        }
        for (const type of [
          'application/json',
          'Application/JSON; charset=UTF-8',
          'application/json;charset="utf-8"',
        ]) {
          assert.equal(
            (await call({ ...post, body: goodBody, headers: { 'content-type': type } })).status,
            201,
          );
        }
      });

      test('with a body that is no JSON object, and nothing is stored', async (t) => {
        const { call } = await scene(t);
        const headers = { 'content-type': 'application/json' };
        for (const body of ['', '{', 'null', '[]', '"text"', '1', Uint8Array.of(0xff)]) {
          const { errors } = await refusal(call({ ...post, body, headers }), 'body_invalid');
          assert.equal(errors?.length, 1);
          assert.equal(errors?.[0]?.pointer, '');
          assert.match(errors?.[0]?.detail ?? '', /^Send .*\.$/);
        }
        assert.deepEqual((await call({})).body, { data: [], nextCursor: null });
      });

      test('with every wrong member pointed to at once', async (t) => {
        const { call } = await scene(t);
        const body = {
          amount: 0,
          currency: 'eur',
          reference: ' ',
          description: 'x'.repeat(257),
          paid: true,
          'a/b~c': 1,
        };
        const { errors } = await refusal(call({ ...post, body }), 'body_invalid');
        const pointers = errors?.map((error) => error.pointer).toSorted();
        assert.deepEqual(pointers, [
          '/amount',
          '/a~1b~0c',
          '/currency',
          '/description',
          '/paid',
          '/reference',
        ]);
        for (const { detail } of errors ?? []) assert.match(detail, /^(Write|Omit) .*\.$/);
        const missing = await refusal(call({ ...post, body: {} }), 'body_invalid');
        assert.deepEqual(
          missing.errors?.map((error) => error.pointer),
          ['/amount', '/currency', '/reference'],
        );
      });

      test('with amounts that other readers would take for something else', async (t) => {
        const { call } = await scene(t);
        for (const amount of [
          '1.0',
          '1e2',
          '99.99',
          '1000000000000',
          '1,"amount":2',
          '"1"',
          'null',
          '-1',
          '-0',
        ]) {
          const body = `{"currency":"EUR","reference":"a","amount":${amount}}`;
          const { errors } = await refusal(call({ ...post, body }), 'body_invalid');
          assert.deepEqual(
            errors?.map((error) => error.pointer),
            ['/amount'],
            amount,
          );
        }
      });

      test('with very many unknown members in a short answer', async (t) => {
        const { call } = await scene(t);
        const body = Object.fromEntries(
          Array.from({ length: 5000 }, (_, index) => [`${'n'.repeat(100)}${index}`, 1]),
        );
        const { errors } = await refusal(call({ ...post, body }), 'body_invalid');
        assert.ok((errors?.length ?? 0) <= 20);
        assert.ok(JSON.stringify(errors).length < 5000);
      });

      test('with a query', async (t) => {
        const { call } = await scene(t);
        await refusal(call({ ...post, body: goodBody, query: 'dryRun=true' }), 'query_invalid');
      });
    });

    describe('a payment', () => {
      test('is unknown to other accounts, and known to other clients of its own', async (t) => {
        const { call, create, stranger, colleague } = await scene(t);
        const { paymentId } = await create();
        const path = `/v1/payments/${paymentId}`;
        await refusal(call({ path, client: stranger }), 'not_found');
        await refusal(call({ ...post, path: `${path}/cancel`, client: stranger }), 'not_found');
        assert.deepEqual((await call({ client: stranger })).body, { data: [], nextCursor: null });
        const { body } = await call({ path, client: colleague });
        assert.deepEqual([(body as Payment).clientId, (body as Payment).status], ['shop', 'pending']);
      });

      test('is not found under any other id', async (t) => {
        const { call, create } = await scene(t);
        const { paymentId } = await create();
        const ids = [
          paymentId.toUpperCase(),
          `${paymentId}0`,
          paymentId.slice(0, -1),
          'payment_',
          '%00',
          `${paymentId}%00`,
          '..',
        ];
        for (const id of ids) await refusal(call({ path: `/v1/payments/${id}` }), 'not_found');
      });

      test('is created, shown and completed as the contract says', async (t) => {
        const { call, clock } = await scene(t);
        const { status, headers, body } = await call({
          ...post,
          body: { ...goodBody, description: 'Two chairs' },
        });
        const payment = schemas.Payment.parse(body);
        assert.equal(status, 201);
        assert.equal(headers?.['Location'], `/v1/payments/${payment.paymentId}`);
        assert.deepEqual(payment, {
          paymentId: payment.paymentId,
          clientId: 'shop',
          status: 'pending',
          ...goodBody,
          description: 'Two chairs',
          createdAt: '2026-11-20T12:00:00.000Z',
        });
        const path = headers?.['Location'] ?? '';
        clock.nowMs += 29_999;
        assert.deepEqual((await call({ path })).body, payment);
        clock.nowMs += 1;
        const completed = { ...payment, status: 'completed', completedAt: '2026-11-20T12:00:30.000Z' };
        assert.deepEqual(schemas.Payment.parse((await call({ path })).body), completed);
        assert.deepEqual(((await call({})).body as Page<Payment>).data, [completed]);
      });

      test('keeps text as it was given', async (t) => {
        const { call, create } = await scene(t);
        const reference = `'; drop table payments; -- 支払い 💶`;
        const { paymentId } = await create({ ...goodBody, reference, amount: 999_999_999_999 });
        const payment = (await call({ path: `/v1/payments/${paymentId}` })).body as Payment;
        assert.deepEqual([payment.reference, payment.amount], [reference, 999_999_999_999]);
      });
    });

    describe('cancelling', () => {
      test('is refused once a payment is completed or cancelled, with its status', async (t) => {
        const { call, create, clock } = await scene(t);
        const first = `/v1/payments/${(await create()).paymentId}/cancel`;
        const second = `/v1/payments/${(await create()).paymentId}/cancel`;
        await call({ ...post, path: first });
        const again = await refusal(call({ ...post, path: first }), 'payment_not_cancellable');
        assert.equal(again.reason, 'the payment is cancelled');
        clock.nowMs += 30_000;
        const late = await refusal(call({ ...post, path: second }), 'payment_not_cancellable');
        assert.equal(late.reason, 'the payment is completed');
      });

      test('is refused with a body or a query', async (t) => {
        const { call, create } = await scene(t);
        const path = `/v1/payments/${(await create()).paymentId}/cancel`;
        await refusal(call({ ...post, path, body: '{}' }), 'body_invalid');
        await refusal(call({ ...post, path, query: 'x=1' }), 'query_invalid');
      });

      test('happens once, however many ask at the same time, and for good', async (t) => {
        const { call, create, clock } = await scene(t);
        const { paymentId } = await create();
        const path = `/v1/payments/${paymentId}`;
        clock.nowMs += 5;
        const results = await Promise.allSettled(
          Array.from({ length: 20 }, () => call({ ...post, path: `${path}/cancel` })),
        );
        const cancelled = results.filter((result) => result.status === 'fulfilled');
        assert.equal(cancelled.length, 1);
        clock.nowMs += 60_000;
        const payment = schemas.Payment.parse((await call({ path })).body);
        assert.deepEqual([payment.status, payment.cancelledAt], ['cancelled', '2026-11-20T12:00:00.005Z']);
        assert.equal('completedAt' in payment, false);
      });
    });

    describe('the list', () => {
      test('refuses wrong limits, unknown and repeated parameters', async (t) => {
        const { call } = await scene(t);
        const limits = [
          'limit=0',
          'limit=101',
          'limit=-1',
          'limit=1.5',
          'limit=',
          'limit=01',
          'limit=1e1',
          'limit=%31%30%30%30',
          'limit= 5',
        ];
        for (const query of [
          ...limits,
          'limit=5&limit=5',
          'Limit=5',
          'x=1',
          'limit',
          '=',
          '&',
          'limit=5&',
          '%zz=1',
          'limit=%',
          '__proto__=1',
        ]) {
          const { reason } = await refusal(call({ query }), 'query_invalid');
          assert.ok((reason?.length ?? 0) > 10, query);
        }
        await refusal(call({ body: '{}' }), 'body_invalid');
      });

      test('refuses a cursor that it has not written', async (t) => {
        const { call, create } = await scene(t);
        for (let count = 0; count < 3; count += 1) await create();
        const { nextCursor } = (await call({ query: 'limit=1' })).body as Page<Payment>;
        assert.ok(nextCursor !== null);
        const wrong = [
          '',
          'x',
          '1',
          nextCursor.slice(0, -1),
          `${nextCursor}=`,
          `${nextCursor}A`,
          nextCursor.toLowerCase(),
          '%00',
        ];
        const forged = ['payment_', `1:client_${'0'.repeat(26)}`, `2:payment_${'0'.repeat(26)}`];
        for (const cursor of [...wrong, ...forged.map((text) => Buffer.from(text).toString('base64url'))]) {
          await refusal(call({ query: `cursor=${cursor}` }), 'cursor_invalid');
        }
      });

      test('gives every payment once, newest first, while others are made', async (t) => {
        const { call, create, clock } = await scene(t);
        const ids: string[] = [];
        for (let count = 0; count < 25; count += 1) {
          clock.nowMs += 1;
          ids.unshift((await create()).paymentId);
        }
        const seen: string[] = [];
        let query = 'limit=7';
        for (let pages = 0; pages < 10; pages += 1) {
          const { data, nextCursor } = schemas.PaymentPage.parse((await call({ query })).body);
          seen.push(...data.map((payment) => payment.paymentId));
          clock.nowMs += 1;
          await create({ ...goodBody, reference: 'Made while paging' });
          if (nextCursor === null) break;
          assert.equal(data.length, 7);
          query = `cursor=${nextCursor}&limit=7`;
        }
        assert.deepEqual(seen, ids);
      });

      test('ends without a cursor when the last page is full', async (t) => {
        const { call, create } = await scene(t);
        for (let count = 0; count < 4; count += 1) await create();
        const first = (await call({ query: 'limit=2' })).body as Page<Payment>;
        const second = (await call({ query: `limit=2&cursor=${first.nextCursor}` })).body as Page<Payment>;
        assert.deepEqual([second.data.length, second.nextCursor], [2, null]);
        assert.equal(((await call({})).body as Page<Payment>).data.length, 4);
      });

      test("does not lead into another account's payments by a cursor", async (t) => {
        const { call, create, stranger } = await scene(t);
        for (let count = 0; count < 3; count += 1) await create();
        const { nextCursor } = (await call({ query: 'limit=1' })).body as Page<Payment>;
        const { body } = await call({ query: `cursor=${nextCursor}`, client: stranger });
        assert.deepEqual(body, { data: [], nextCursor: null });
      });
    });
  });
}
