import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createForwardedCheck } from '../src/index.ts';
import { audience, GatewayNode } from './gateway-node.ts';

const node = new GatewayNode();
const keys = { keys: [node.jwk()] };

test('an option of a wrong type is named', () => {
  const wrong: readonly (readonly [Readonly<Record<string, unknown>>, RegExp])[] = [
    [{ audience: 'https://api.example.com' }, /^audience must be an array/],
    [{ audience: undefined }, /^audience must be an array/],
    [{ audience: [new URL('https://api.example.com')] }, /^audience must be an array/],
    [{ keys: undefined, directoryUrl: new URL('https://api.example.com') }, /^directoryUrl must be a string/],
    [{ maxAgeSeconds: Number.NaN }, /^maxAgeSeconds must be a number/],
    [{ maxAgeSeconds: '60' }, /^maxAgeSeconds must be a number/],
    [{ maxFutureSeconds: Infinity }, /^maxFutureSeconds must be a number/],
    [{ once: 'false' }, /^once must be true or false/],
    [{ allowDirectoryWithoutTls: 'false' }, /^allowDirectoryWithoutTls must be true or false/],
    [{ nowMs: 5 }, /^nowMs must be a function/],
    [{ fetch: 'fetch' }, /^fetch must be a function/],
  ];
  for (const [given, message] of wrong)
    assert.throws(() => createForwardedCheck({ audience, keys, ...given }), {
      name: 'TypeError',
      message,
    });
  assert.throws(() => createForwardedCheck(undefined as never), { message: /^options must be an object/ });
});

test('a body that is no bytes is refused by name, even of a request that announces none', async () => {
  const check = createForwardedCheck({ audience, keys });
  const request = { method: 'GET', url: '/orders', rawHeaders: [] };
  for (const body of [{}, 'text', 5, [1], new Blob(['x']), new Blob(['x']).stream()]) {
    const result = await check({ ...request, body });
    assert.deepEqual(result.ok ? undefined : result.code, 'body_missing');
    assert.match(result.ok ? '' : result.reason, /^body must be bytes: /);
  }
  assert.equal((await check(undefined as never)).ok, false);
});

test('a clock that tells no time lets no request through', async () => {
  const request = node.forward(Date.now());
  assert.equal((await createForwardedCheck({ audience, keys })(request)).ok, true);
  for (const time of [Number.NaN, undefined, '5', Infinity]) {
    const check = createForwardedCheck({ audience, keys, nowMs: () => time as number });
    await assert.rejects(check(request), /^TypeError: The result of nowMs must be a finite number/);
  }
});
