import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createForwardedCheck, type ForwardedCheckOptions } from '../src/index.ts';
import { UsedRequestIds } from '../src/used-request-ids.ts';
import { audience, directoryUrl, GatewayNode, TestDirectory } from './gateway-node.ts';

/** A check with a directory, and nodes that sign. */
function open(options: Partial<ForwardedCheckOptions> = {}): {
  readonly directory: TestDirectory;
  readonly first: GatewayNode;
  readonly second: GatewayNode;
  readonly codeFor: (node: GatewayNode) => Promise<string>;
} {
  const directory = new TestDirectory();
  const [first, second] = [new GatewayNode(), new GatewayNode()];
  directory.keys = [first.jwk()];
  const nowMs = (): number => directory.nowMs;
  const check = createForwardedCheck({ directoryUrl, audience, fetch: directory.fetch, nowMs, ...options });
  const codeFor = async (node: GatewayNode): Promise<string> => {
    const result = await check(node.forward(directory.nowMs));
    return result.ok ? 'accepted' : result.code;
  };
  return { directory, first, second, codeFor };
}

describe('the keys of the directory', () => {
  test('are read when they are needed, once for many requests, and not from a cache', async () => {
    const { directory, first, codeFor } = open();
    assert.equal(directory.reads.length, 0);
    const codes = await Promise.all(Array.from({ length: 20 }, () => codeFor(first)));
    assert.deepEqual([new Set(codes), directory.reads.length], [new Set(['accepted']), 1]);
    const { redirect, headers, signal } = directory.reads[0]!;
    assert.deepEqual([redirect, signal instanceof AbortSignal], ['error', true]);
    assert.equal(new Headers(headers).get('cache-control'), 'no-cache');
  });

  test('are read again for an unknown key, also when nodes start one after the other', async () => {
    const { directory, first, second, codeFor } = open();
    await codeFor(first);
    assert.equal(await codeFor(second), 'key_unknown');
    directory.keys.push(second.jwk());
    assert.equal(await codeFor(second), 'accepted');
    assert.equal(directory.reads.length, 3);
  });

  test('are read for unknown keys once a minute in the long run, whoever names them', async () => {
    const { directory, first, second, codeFor } = open();
    await codeFor(first);
    for (let request = 0; request < 100; request++) assert.equal(await codeFor(second), 'key_unknown');
    assert.equal(directory.reads.length, 6);
    for (let elapsed = 0; elapsed < 180; elapsed++) {
      directory.pass(1);
      await codeFor(second);
    }
    assert.equal(directory.reads.length, 9);
    assert.equal(await codeFor(first), 'accepted');
  });

  test('are read again every five minutes, while requests go on with those that are known', async () => {
    const { directory, first, second, codeFor } = open();
    await codeFor(first);
    directory.pass(299);
    await codeFor(first);
    assert.equal(directory.reads.length, 1);
    directory.pass(2);
    directory.keys = [second.jwk()];
    assert.equal(await codeFor(first), 'accepted');
    assert.equal(await codeFor(second), 'accepted');
    assert.equal(directory.reads.length, 2);
    assert.equal(await codeFor(first), 'key_unknown', 'the service has withdrawn it');
  });

  test('verify nothing after their end', async () => {
    const { directory, first, codeFor } = open();
    directory.keys = [first.jwk(Math.floor(directory.nowMs / 1000) + 30)];
    assert.equal(await codeFor(first), 'accepted');
    directory.pass(30);
    assert.equal(await codeFor(first), 'accepted');
    directory.pass(1);
    assert.equal(await codeFor(first), 'key_unknown');
  });

  test('are believed for an hour after the directory was last read', async () => {
    const { directory, first, second, codeFor } = open();
    await codeFor(first);
    directory.answer = () => Promise.reject(new Error('away'));
    directory.pass(3590);
    assert.deepEqual([await codeFor(first), await codeFor(second)], ['accepted', 'key_unknown']);
    directory.pass(20);
    assert.deepEqual([await codeFor(first), await codeFor(second)], ['keys_unavailable', 'keys_unavailable']);
    directory.answer = undefined;
    directory.pass(6);
    assert.equal(await codeFor(first), 'accepted');
  });

  const faults: readonly (readonly [string, () => Response | Promise<Response>])[] = [
    ['does not answer', () => Promise.reject(new TypeError('fetch failed'))],
    ['answers 500', () => new Response('{"keys":[]}', { status: 500 })],
    ['answers 204', () => new Response(null, { status: 204 })],
    ['is not JSON', () => new Response('<html>')],
    ['is no JWK Set', () => Response.json({ keys: {} })],
    ['is null', () => Response.json(null)],
    ['is too large', () => new Response(`{"keys":[]}${' '.repeat(1_048_576)}`)],
  ];
  for (const [fault, answer] of faults) {
    test(`are unavailable when the directory ${fault}, and it is asked again after 5 s`, async () => {
      const { directory, first, codeFor } = open();
      directory.answer = answer;
      assert.deepEqual(
        [await codeFor(first), await codeFor(first)],
        ['keys_unavailable', 'keys_unavailable'],
      );
      assert.equal(directory.reads.length, 1);
      directory.answer = undefined;
      directory.pass(4);
      assert.equal(await codeFor(first), 'keys_unavailable');
      directory.pass(1);
      assert.equal(await codeFor(first), 'accepted');
    });
  }

  test('are named by their thumbprints, whatever the directory calls them', async () => {
    const { directory, first, second, codeFor } = open();
    directory.keys = [{ ...first.jwk(), kid: 'x', alg: 'EdDSA', use: 'sig' }];
    assert.deepEqual([await codeFor(first), await codeFor(second)], ['accepted', 'key_unknown']);
  });

  test('are left out if they are for something else, or nothing at all', async () => {
    const { directory, first, second, codeFor } = open();
    const x = 'A'.repeat(43);
    directory.keys = [
      null as unknown as object,
      { kty: 'RSA', n: 'AQAB', e: 'AQAB' },
      { kty: 'OKP', crv: 'X25519', x },
      { kty: 'OKP', crv: 'Ed25519', x: 'short' },
      { ...second.jwk(), use: 'enc' },
      { ...second.jwk(), exp: 'tomorrow' },
      first.jwk(),
    ];
    assert.deepEqual([await codeFor(first), await codeFor(second)], ['accepted', 'key_unknown']);
  });
});

describe('keys that are given', () => {
  test('are used in the place of a directory', async () => {
    const node = new GatewayNode();
    const check = createForwardedCheck({ audience, keys: { keys: [node.jwk()] } });
    assert.equal((await check(node.forward(Date.now()))).ok, true);
    const other = await check(new GatewayNode().forward(Date.now()));
    assert.equal(other.ok ? '' : other.code, 'key_unknown');
  });
});

describe('options that cannot be used', () => {
  const wrong: readonly (readonly [string, ForwardedCheckOptions, RegExp])[] = [
    ['no keys', { audience }, /either directoryUrl or keys/],
    ['two kinds of keys', { audience, directoryUrl, keys: { keys: [] } }, /either directoryUrl or keys/],
    ['no audience', { audience: [], directoryUrl }, /1 to 16 base URLs/],
    ['too large an audience', { audience: Array<string>(17).fill(audience[0]!), directoryUrl }, /1 to 16/],
    ['a slash at the end', { audience: ['https://a.example/'], directoryUrl }, /is not a base URL/],
    ['a host alone', { audience: ['a.example'], directoryUrl }, /is not a base URL/],
    ['no URL', { audience, directoryUrl: '/keys' }, /must be a URL/],
    [
      'a directory without TLS',
      { audience, directoryUrl: 'http://auth.example/keys' },
      /must begin with https/,
    ],
    ['a directory in a file', { audience, directoryUrl: 'file:///keys.json' }, /must begin with https/],
  ];
  for (const [name, options, message] of wrong) {
    test(`throw: ${name}`, () => {
      assert.throws(() => createForwardedCheck(options), { name: 'TypeError', message });
    });
  }

  test('do not include a directory on this machine, or one that is asked for by its name', () => {
    const plain = 'http://10.0.0.5:8421/keys';
    createForwardedCheck({ audience, directoryUrl: 'http://127.0.0.1:8421/keys' });
    createForwardedCheck({ audience, directoryUrl: plain, allowDirectoryWithoutTls: true });
  });
});

describe('the default port', () => {
  test('may be named by the client or not, as with the gateway', async () => {
    const node = new GatewayNode();
    const codeFor = async (baseUrl: string): Promise<boolean> => {
      const check = createForwardedCheck({ audience: [baseUrl], keys: { keys: [node.jwk()] } });
      return (await check(node.forward(Date.now()))).ok;
    };
    assert.deepEqual(
      [await codeFor('https://shop.example.test'), await codeFor('https://shop.example.test:443')],
      [true, false],
    );
  });
});

describe('requests that may come once', () => {
  test('are remembered until their signatures end, also when the clock is set back', async () => {
    const directory = new TestDirectory();
    const node = new GatewayNode();
    const nowMs = (): number => directory.nowMs;
    const check = createForwardedCheck({ audience, keys: { keys: [node.jwk()] }, once: true, nowMs });
    const codeOf = async (request: ReturnType<GatewayNode['forward']>): Promise<string> => {
      const result = await check(request);
      return result.ok ? 'accepted' : result.code;
    };
    const early = node.forward(directory.nowMs);
    assert.deepEqual([await codeOf(early), await codeOf(early)], ['accepted', 'repeated']);
    directory.pass(60);
    assert.equal(await codeOf(early), 'repeated');
    directory.pass(1);
    assert.equal(await codeOf(node.forward(directory.nowMs)), 'accepted');
    directory.pass(-30);
    assert.equal(await codeOf(early), 'repeated');
  });

  test('are refused when there are more than can be remembered', () => {
    const used = new UsedRequestIds(2);
    assert.deepEqual(
      [used.use('a', 60, 0), used.use('b', 60, 0), used.use('c', 60, 0), used.use('a', 60, 0)],
      ['first', 'first', 'full', 'repeated'],
    );
    assert.equal(used.use('c', 121, 61), 'first');
  });
});
