import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { operations, schemas } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { StorageError } from '../../src/storage/storage-error.ts';
import { apiOn } from './api-on.ts';
import { ProblemError } from '../../../gate/src/http/problem-error.ts';
import { openScene, refusal } from './scene.ts';

for (const { name: backend, skip, make } of backends) {
  describe(`on ${backend}`, { skip }, () => {
    const scene = (t: TestContext) => openScene(make, t);

    describe('find', () => {
      test('finds nothing for any path but the exact ones, and never throws', async (t) => {
        const { api } = await scene(t);
        const wrong = [
          '',
          '/',
          '*',
          'v1/whoami',
          '/v1',
          '/v1/',
          '/v1/whoami/',
          '/v1//whoami',
          '//v1/whoami',
          '/V1/whoami',
        ];
        const tricks = [
          '/v1/whoami?x',
          '/v1/whoami#x',
          '/v1/whoami;x',
          '/v1/./whoami',
          '/v1/x/../whoami',
          '/v1/who%61mi',
        ];
        const encoded = [
          '/v1%2fwhoami',
          '/%76%31/whoami',
          '/v1/pay%6dents/payment_1',
          '/v1/payments/a/canc%65l',
          '/v1/whoami%00',
        ];
        const broken = [
          '/v1/payments/%',
          '/v1/payments/%zz',
          '/v1/payments/%ff',
          '/v1/payments/%c3',
          '/v1/%e0%a4%a',
          '/%',
        ];
        const long = [
          `/v1/payments/${'a'.repeat(800)}`,
          `/v1/payments/${'%41'.repeat(3000)}`,
          '/'.repeat(8000),
          '%25'.repeat(2700),
        ];
        const absolute = [
          'http://localhost/v1/whoami',
          'x://y/v1/payments',
          '\\v1\\whoami',
          '/v1/whoami\u0000',
          '/v1/whoam\u0131',
        ];
        for (const path of [...wrong, ...tricks, ...encoded, ...broken, ...long, ...absolute]) {
          for (const method of ['GET', 'POST', 'HEAD']) {
            assert.deepEqual(api.find(method, path), { problem: 'not_found' }, path.slice(0, 50));
          }
        }
        assert.deepEqual(api.find('GET', '/v1/payments/'), { problem: 'not_found' });
        assert.deepEqual(api.find('GET', '/v1/payments//cancel'), { problem: 'not_found' });
      });

      test('tells the methods of a path for any other method', async (t) => {
        const { api } = await scene(t);
        for (const method of [
          'PUT',
          'DELETE',
          'get',
          'BREW',
          '',
          '__proto__',
          'constructor',
          'OPTIONS',
          'TRACE',
        ]) {
          assert.deepEqual(api.find(method, '/v1/payments'), {
            problem: 'method_not_allowed',
            allow: ['GET', 'HEAD', 'POST'],
          });
          assert.deepEqual(api.find(method, '/v1/payments/a/cancel'), {
            problem: 'method_not_allowed',
            allow: ['POST'],
          });
        }
        assert.deepEqual(api.find('POST', '/v1/whoami'), {
          problem: 'method_not_allowed',
          allow: ['GET', 'HEAD'],
        });
        assert.deepEqual(api.find('HEAD', '/v1/payments/a/cancel'), {
          problem: 'method_not_allowed',
          allow: ['POST'],
        });
      });

      test('finds every operation of the contract, HEAD as GET', async (t) => {
        const { api } = await scene(t);
        for (const operation of Object.values(operations)) {
          for (const method of operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method]) {
            const match = api.find(method, operation.path.replaceAll(/\{\w+\}/g, 'an-id'));
            assert.ok('operation' in match, operation.id);
            assert.equal(match.operation, operation);
          }
        }
      });

      test('decodes parameters once', async (t) => {
        const { api } = await scene(t);
        const parameter = (text: string): string | undefined => {
          const match = api.find('GET', `/v1/payments/${text}`);
          return 'parameters' in match ? match.parameters['paymentId'] : undefined;
        };
        assert.equal(parameter('a%2Fb'), 'a/b');
        assert.equal(parameter('a%252Fb'), 'a%2Fb');
        assert.equal(parameter('%C3%A4'), 'ä');
        assert.equal(parameter('a+b;c=d'), 'a+b;c=d');
        assert.equal(parameter('..'), '..');
      });
    });

    describe('handlers', () => {
      test('an outage of storage is told as one, with nothing of it to the caller', async (t) => {
        const { database } = await scene(t);
        const broken = new Proxy(database, {
          get: (target, name) => {
            if (name === 'selectFrom') throw new StorageError('unavailable', 'The disk is full: free space.');
            return Reflect.get(target, name) as unknown;
          },
        });
        const match = apiOn(broken).find('GET', '/v1/payments');
        assert.ok('handler' in match);
        const request = { query: '', body: new Uint8Array(), caller: { client: { accountId: 'a' } } };
        await assert.rejects(
          async () => match.handler(request as never),
          (error) => {
            assert.ok(error instanceof ProblemError);
            assert.deepEqual([error.code, error.members], ['storage_unavailable', {}]);
            assert.match(error.detail ?? '', /disk is full/);
            return true;
          },
        );
      });

      test('whoami takes no query and no body', async (t) => {
        const { call } = await scene(t);
        assert.match(
          (await refusal(call({ path: '/v1/whoami', query: 'a=b' }), 'query_invalid')).reason ?? '',
          /no query/,
        );
        const { errors } = await refusal(call({ path: '/v1/whoami', body: '{}' }), 'body_invalid');
        assert.deepEqual(errors, [{ pointer: '', detail: 'Send no body with this operation.' }]);
      });

      test('whoami tells who calls, as the contract says', async (t) => {
        const { call, shop } = await scene(t);
        const { status, body } = await call({ path: '/v1/whoami' });
        assert.equal(status, 200);
        assert.deepEqual(schemas.Whoami.parse(body), {
          clientId: 'shop',
          accountId: shop.accountId,
          name: 'shop',
          keyFingerprint: `SHA256:${'A'.repeat(43)}`,
          roles: ['payments-operator'],
          permissions: ['payments:read', 'payments:write'],
          sourceAddress: '203.0.113.7',
          clockDifferenceSeconds: -3,
          serverTime: '2026-11-20T12:00:00.000Z',
        });
      });
    });
  });
}
