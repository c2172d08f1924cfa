import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readNetworkEntry } from '@countersign/contract';
import { meantEntries, netmaskLength } from '../../src/network/meant-entries.ts';
import { specialKindOf } from '../../src/network/special-networks.ts';

describe('what a text that is no entry may mean', () => {
  const cases: readonly (readonly [text: string, offers: readonly (readonly string[])[]])[] = [
    ['', []],
    ['hello', []],
    ['203.0.113.7', []],
    ['203.0.113.7/33', []],
    ['203.0.113.9-203.0.113.8', []],
    ['203.0.113.9-2001:db8::1', []],
    ['0.0.0.1-255.255.255.254', []],
    ['203.0.113.0/255.0.255.0', []],
    [`${'1'.repeat(5000)}/24`, []],
    ['203.0.113.77/24', [['203.0.113.0/24'], ['203.0.113.77']]],
    [' 2001:DB8::7/48 ', [['2001:db8::/48'], ['2001:db8::7']]],
    ['203.0.113.0/255.255.255.0', [['203.0.113.0/24']]],
    ['203.0.113.77 255.255.255.128', [['203.0.113.0/25']]],
    ['203.0.113.*', [['203.0.113.0/24']]],
    ['10.*.*.*', [['10.0.0.0/8']]],
    ['203.0.113.8-203.0.113.15', [['203.0.113.8/29']]],
    ['203.0.113.8 – 11', [['203.0.113.8/30']]],
    [
      '203.0.113.1-203.0.113.10',
      [['203.0.113.1', '203.0.113.2/31', '203.0.113.4/30', '203.0.113.8/31', '203.0.113.10']],
    ],
    ['2001:db8::-2001:db8::ffff', [['2001:db8::/112']]],
    ['203.0.113.7-203.0.113.7', [['203.0.113.7']]],
  ];
  for (const [text, offers] of cases)
    it(text.slice(0, 40) || 'nothing', () => assert.deepEqual(meantEntries(text), offers));

  it('knows netmasks', () => {
    assert.deepEqual(
      ['255.255.255.0', '255.255.255.255', '128.0.0.0', '0.0.0.0', '255.0.255.0', '203.0.113.7', '::1'].map(
        netmaskLength,
      ),
      [24, 32, 1, undefined, undefined, undefined, undefined],
    );
  });
});

describe('what is special about an entry', () => {
  const kindOf = (text: string): string | undefined => {
    const reading = readNetworkEntry(text);
    assert.ok(reading.ok, text);
    return specialKindOf(reading.entry);
  };

  it('is said only if it holds for all its addresses', () => {
    const ordinary = ['0.0.0.0', '0.0.0.0/0', '::/0', '8.8.8.8', '192.0.0.0/8', '172.0.0.0/8', '2600::/32'];
    for (const text of ordinary) assert.equal(kindOf(text), undefined, text);
    const kinds = {
      netmask: ['255.255.255.0'],
      loopback: ['127.0.0.1', '::1'],
      private: ['10.1.2.3', '10.0.0.0/8', '172.31.0.0/16', '192.168.1.0/24', 'fd00::/8'],
      shared: ['100.64.0.0/10'],
      'link-local': ['169.254.1.1', 'fe80::1'],
      multicast: ['224.0.0.1', 'ff02::1'],
      documentation: ['192.0.2.1', '198.51.100.0/28', '203.0.113.7', '2001:db8::/48'],
      reserved: ['240.0.0.0/5', '241.2.3.4', '198.18.0.1'],
    };
    for (const [kind, texts] of Object.entries(kinds))
      for (const text of texts) assert.equal(kindOf(text), kind, text);
  });
});
