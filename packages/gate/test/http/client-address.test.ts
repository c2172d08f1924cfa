import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NetworkWhitelist } from '@countersign/contract/network';
import { ClientAddresses } from '../../src/http/client-address.ts';

const proxy = '10.0.0.1';

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
