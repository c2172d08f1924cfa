import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { formatAddress, NetworkWhitelist, sourceAddress } from '@countersign/contract/network';
import { ClientAddresses } from '../../src/http/client-address.ts';

const proxy = '10.0.0.1';
const manyAddresses = new ClientAddresses(NetworkWhitelist.fromTexts([proxy, '10.0.0.2']));

interface Vector {
  readonly id: string;
  readonly trustedProxies: readonly string[];
  readonly peer: string;
  readonly xForwardedFor: readonly string[];
  readonly expectSource: string;
}

describe('where a request comes from', () => {
  const addresses = new ClientAddresses(NetworkWhitelist.fromTexts([proxy]));
  const from = (peer: string | undefined, ...forwarded: string[]): string =>
    addresses.of({
      socket: { remoteAddress: peer },
      rawHeaders: forwarded.flatMap((line) => ['X-Forwarded-For', line]),
    }).text;

  test('is what a trusted proxy says in each request, and the peer otherwise', () => {
    for (let round = 0; round < 2; round += 1) {
      assert.equal(from(proxy, '203.0.113.7'), '203.0.113.7');
      assert.equal(from(proxy, '203.0.113.8'), '203.0.113.8');
      assert.equal(from('203.0.113.9', '203.0.113.7'), '203.0.113.9');
      assert.equal(from('::ffff:203.0.113.9'), '203.0.113.9');
      assert.equal(from(undefined, '203.0.113.7'), '');
    }
  });

  test('is read anew when two lines divide what one line says', () => {
    for (let round = 0; round < 2; round += 1) {
      assert.equal(from(proxy, '203.0.113.7, 203.0.113.8'), '203.0.113.8');
      assert.equal(from(proxy, '203.0.113.7', '203.0.113.8'), '203.0.113.8');
      assert.equal(from(proxy, '203.0.113.8', '203.0.113.7'), '203.0.113.7');
      assert.equal(from(proxy, '203.0.113.7', proxy), '203.0.113.7');
      assert.equal(from(proxy, 'nonsense'), '');
    }
  });

  test('is unknown if a proxy names no client, and the proxy if it says nothing', () => {
    for (let round = 0; round < 2; round += 1) {
      assert.equal(from(proxy), proxy);
      assert.equal(from(proxy, ''), '');
      assert.equal(from(proxy, '', ''), '');
      assert.equal(from(proxy), proxy);
    }
  });

  test('is that of the vectors, whatever was asked before', () => {
    const file = new URL('../../../../vectors/profile/ip.json', import.meta.url);
    const { forwarded } = JSON.parse(readFileSync(file, 'utf8')) as { forwarded: Vector[] };
    const known = new Map<string, ClientAddresses>();
    for (const vector of [...forwarded, ...forwarded.toReversed(), ...forwarded]) {
      const proxies = vector.trustedProxies.join();
      if (!known.has(proxies))
        known.set(proxies, new ClientAddresses(NetworkWhitelist.fromTexts(vector.trustedProxies)));
      const rawHeaders = vector.xForwardedFor.flatMap((line) => ['x-forwarded-for', line]);
      const { text } = known.get(proxies)!.of({ socket: { remoteAddress: vector.peer }, rawHeaders });
      assert.equal(text, vector.expectSource, vector.id);
    }
  });

  test('is what is read without a memory, for lines of any kind', () => {
    const whitelist = NetworkWhitelist.fromTexts([proxy, '10.0.0.2']);
    const parts = [
      '',
      ',',
      ' ',
      '\t',
      proxy,
      '10.0.0.2',
      '203.0.113.7',
      '2001:db8::9',
      '[2001:db8::9]:1',
      'x',
    ];
    let seed = 1;
    const pick = (count: number): number => (seed = (seed * 48_271) % 2_147_483_647) % count;
    for (let round = 0; round < 20_000; round += 1) {
      const lines = Array.from({ length: pick(4) }, () =>
        Array.from({ length: pick(4) }, () => parts[pick(parts.length)]).join(pick(2) === 0 ? ',' : ''),
      );
      const peer = [proxy, '10.0.0.2', '203.0.113.7', '', 'x'][pick(5)]!;
      const expected = sourceAddress(peer, lines, whitelist);
      assert.equal(
        manyAddresses.of({
          socket: { remoteAddress: peer },
          rawHeaders: lines.flatMap((line) => ['X-Forwarded-For', line]),
        }).text,
        expected ? formatAddress(expected) : '',
        JSON.stringify([peer, lines]),
      );
    }
  });

  test('stays right however many addresses and invented texts arrive', () => {
    for (let index = 0; index < 5000; index += 1) {
      const address = `203.0.${index >> 8}.${index & 255}`;
      assert.equal(from(proxy, address), address);
      assert.equal(from(proxy, `invented ${index}, ${address}`), address);
      assert.equal(from(address, '198.51.100.1'), address);
    }
    assert.equal(from(proxy, `${'198.51.100.1, '.repeat(100)}203.0.113.7`), '203.0.113.7');
  });
});
