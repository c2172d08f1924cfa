import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mistakesOfRedisServer, readRedisServer } from '../../src/storage/redis/redis-server.ts';

/** What INFO of a server says that can be used, as far as it is read. */
const redis = {
  redis_version: '7.0.15',
  redis_mode: 'standalone',
  run_id: '5b0c7a9d',
  role: 'master',
  master_replid: '0ffb6497',
  maxmemory_policy: 'noeviction',
  aof_enabled: '1',
};

function mistakesOf(
  fields: Readonly<Record<string, string | undefined>>,
  allowWithoutFile = false,
): string[] {
  const lines = Object.entries({ ...redis, ...fields }).filter(([, value]) => value !== undefined);
  const text = `# Server\r\n${lines.map(([name, value]) => `${name}:${value}\r\n`).join('')}`;
  return mistakesOfRedisServer(readRedisServer(text), allowWithoutFile);
}

describe('what a Redis says about itself', () => {
  const wrong: [string, Record<string, string | undefined>, RegExp][] = [
    ['an old version', { redis_version: '6.0.20' }, /its version is 6\.0\.20: use Redis 6\.2 or newer/],
    ['no version', { redis_version: undefined }, /its version is unknown/],
    ['a version that is none', { redis_version: 'unstable' }, /its version is unstable/],
    ['a cluster', { redis_mode: 'cluster' }, /its mode is cluster/],
    ['Sentinel', { redis_mode: 'sentinel' }, /its mode is sentinel/],
    ['no mode', { redis_mode: undefined }, /its mode is unknown/],
    ['a replica', { role: 'slave' }, /its role is slave/],
    ['no run id', { run_id: undefined }, /run_id and master_replid/],
    ['no replication id', { master_replid: undefined }, /run_id and master_replid/],
    [
      'eviction of keys that expire',
      { maxmemory_policy: 'volatile-lru' },
      /maxmemory-policy is volatile-lru/,
    ],
    ['no policy', { maxmemory_policy: undefined }, /maxmemory-policy is unknown/],
    ['no file', { aof_enabled: '0' }, /append-only file/],
  ];
  for (const [name, fields, expected] of wrong) {
    test(`${name}: refused, with what to do`, () => {
      const mistakes = mistakesOf(fields);
      assert.equal(mistakes.length, 1, mistakes.join('\n'));
      assert.match(mistakes[0]!, expected);
    });
  }
  test('nothing: refused for every reason', () => {
    assert.equal(mistakesOfRedisServer(readRedisServer(''), false).length, 6);
  });

  test('all that is needed: used', () => {
    for (const version of ['6.2.0', '7.0.15', '7.4.1', '8.2.0', '10.0.0']) {
      assert.deepEqual(mistakesOf({ redis_version: version }), []);
    }
  });
  test('Valkey: used', () => {
    const valkey = {
      redis_version: '7.2.4',
      valkey_version: '8.1.0',
      redis_mode: undefined,
      server_mode: 'standalone',
    };
    assert.deepEqual(mistakesOf(valkey), []);
  });
  test('no file where that is allowed: used', () => {
    assert.deepEqual(mistakesOf({ aof_enabled: '0' }, true), []);
  });
});
