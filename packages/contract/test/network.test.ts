import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  formatAddress,
  NetworkWhitelist,
  parseAddress,
  readNetworkEntry,
  sourceAddress,
  type NetworkEntryReading,
} from '@countersign/contract';

interface AddressVectors {
  readonly match: readonly { id: string; whitelist: string[]; peer: string; expect: 'allow' | 'deny' }[];
  readonly entries: readonly { entry: string; expect: 'accept' | 'reject' | 'policy' }[];
  readonly forwarded: readonly {
    id: string;
    trustedProxies: string[];
    peer: string;
    xForwardedFor: string[];
    expectSource: string;
  }[];
}

const places = ['../../../vectors/profile/ip.json', '../../../../shared/vectors/profile/ip.json'];
const place = places.map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url));
const vectors = place && (JSON.parse(readFileSync(place, 'utf8')) as AddressVectors);
const skip = vectors === undefined && 'vectors/profile/ip.json is not here';

const allows = (entries: string[], peer: string): boolean =>
  NetworkWhitelist.fromTexts(entries).allows(parseAddress(peer));

function message(reading: NetworkEntryReading): string {
  assert.equal(reading.ok, false);
  return reading.ok ? '' : reading.message;
}

function canonical(text: string): string {
  const reading = readNetworkEntry(text);
  return reading.ok ? reading.entry.text : `refused: ${reading.message}`;
}

describe('parseAddress', () => {
  test('anything but one strict address is refused', () => {
    const texts = [
      '',
      ' ',
      '1',
      '1.2.3',
      '1.2.3.4.5',
      '01.2.3.4',
      '1.2.3.04',
      '256.1.1.1',
      '1.2.3.4 ',
      '+1.2.3.4',
      '1e1.2.3.4',
    ];
    const colons = [
      ':',
      ':::',
      '1',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '1::2::3',
      ':1::2',
      '1::2:',
      '1:2:3:4:5:6:7:8::',
    ];
    const odd = [
      '::1%lo',
      '[::1]',
      '::1/128',
      '::12345',
      '::g',
      '::1.2.3',
      '1.2.3.4::',
      '::1.2.3.4:5',
      '::ffff:01.2.3.4',
    ];
    for (const text of [...texts, ...colons, ...odd, '\u0661.2.3.4', 'a'.repeat(1e6), ':'.repeat(1e6)]) {
      assert.equal(parseAddress(text), undefined, text.slice(0, 40));
    }
  });

  test('every spelling of an address has one canonical text', () => {
    const pairs = [
      ['203.0.113.7', '203.0.113.7'],
      ['255.255.255.255', '255.255.255.255'],
      ['::ffff:203.0.113.7', '203.0.113.7'],
      ['::FFFF:cb00:7107', '203.0.113.7'],
      ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
      ['::', '::'],
      ['::1', '::1'],
      ['1::', '1::'],
      ['2001:DB8:0:0:0:0:0:7', '2001:db8::7'],
      ['2001:0db8::0007', '2001:db8::7'],
      ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
      ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
      ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
      ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
      ['64:ff9b::203.0.113.7', '64:ff9b::cb00:7107'],
      ['ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ] as const;
    for (const [text, expected] of pairs) {
      const address = parseAddress(text);
      assert.ok(address !== undefined, text);
      assert.equal(formatAddress(address), expected);
      assert.deepEqual(parseAddress(expected), address);
    }
  });
});

describe('readNetworkEntry', () => {
  test('every refused entry of the vectors is refused with advice that does not repeat it', { skip }, () => {
    for (const { entry, expect } of vectors?.entries ?? []) {
      if (expect !== 'reject') continue;
      const text = message(readNetworkEntry(entry));
      assert.match(text, /^[A-Z].*\.$/);
      if (entry.length > 20) assert.equal(text.includes(entry), false);
    }
  });

  test('every accepted entry of the vectors is accepted', { skip }, () => {
    for (const { entry, expect } of vectors?.entries ?? []) {
      if (expect === 'accept') assert.equal(readNetworkEntry(entry).ok, true, entry);
    }
  });

  test('the open entries of the vectors are decided', () => {
    assert.equal(canonical('255.255.255.255'), '255.255.255.255');
    assert.equal(canonical('203.0.113.0/24'), '203.0.113.0/24');
    assert.equal(canonical('2001:db8::/32'), '2001:db8::/32');
    assert.equal(canonical('203.0.113.7 '), '203.0.113.7');
    assert.equal(canonical('0.0.0.0/0'), '0.0.0.0/0');
    assert.equal(canonical('::/0'), '::/0');
    assert.match(canonical('::'), /^refused: Nobody calls from this address/);
  });

  test('a network with host bits is refused, and the advice names the right network', () => {
    assert.match(message(readNetworkEntry('203.0.113.7/24')), /203\.0\.113\.0\/24.*203\.0\.113\.7\./);
    assert.match(message(readNetworkEntry('203.0.113.7/0')), / 0\.0\.0\.0\/0,/);
    assert.match(message(readNetworkEntry('2001:db8::7/64')), /2001:db8::\/64/);
    assert.match(message(readNetworkEntry('::ffff:203.0.113.7/120')), /203\.0\.113\.0\/24/);
  });

  test('nothing but 0.0.0.0 itself becomes everyone', () => {
    for (const text of [
      '0.0.0.0/32',
      '::ffff:0.0.0.0',
      '::ffff:0:0/128',
      '::',
      '::/128',
      '0:0:0:0:0:0:0:0',
    ]) {
      assert.match(canonical(text), /^refused: Nobody/, text);
    }
    assert.equal(canonical('::ffff:0:0/96'), '0.0.0.0/0');
    assert.equal(canonical(' 0.0.0.0\n'), '0.0.0.0');
  });

  test('lengths are strict', () => {
    for (const length of ['33', '-1', '', ' 8', '08', '+8', '8/8', '1e1', '8.0', '128', '999']) {
      assert.equal(readNetworkEntry(`10.0.0.0/${length}`).ok, false, length);
    }
    for (const length of ['129', '95x', ''])
      assert.equal(readNetworkEntry(`2001:db8::/${length}`).ok, false, length);
    assert.equal(readNetworkEntry('::ffff:10.0.0.0/95').ok, false);
  });

  test('white space is removed outside and refused inside', () => {
    assert.equal(canonical('\t203.0.113.0/24\r\n'), '203.0.113.0/24');
    for (const text of [
      '203.0.113.0 /24',
      '203.0.113.0/ 24',
      '203.0.113.7\u00a0',
      '203.0. 113.7',
      '1.1.1.1 2.2.2.2',
    ]) {
      assert.equal(readNetworkEntry(text).ok, false, text);
    }
  });

  test('a single address loses its length', () => {
    assert.equal(canonical('203.0.113.7/32'), '203.0.113.7');
    assert.equal(canonical('2001:DB8::7/128'), '2001:db8::7');
    assert.equal(canonical('::ffff:203.0.113.7/128'), '203.0.113.7');
  });
});

describe('NetworkWhitelist', () => {
  test('the match vectors', { skip }, () => {
    for (const { id, whitelist, peer, expect } of vectors?.match ?? []) {
      assert.equal(allows(whitelist, peer), expect === 'allow', id);
    }
  });

  test('no address is never allowed', () => {
    for (const entries of [[], ['0.0.0.0'], ['0.0.0.0', '0.0.0.0/0', '::/0']]) {
      assert.equal(NetworkWhitelist.fromTexts(entries).allows(undefined), false);
    }
  });

  test('an unreadable stored text opens nothing', () => {
    assert.equal(allows(['*', 'everyone', '203.0.113.7/24'], '203.0.113.7'), false);
  });

  test('every IPv4 address is not every IPv6 address, and the other way round', () => {
    assert.equal(allows(['0.0.0.0/0'], '198.51.100.9'), true);
    assert.equal(allows(['0.0.0.0/0'], '::ffff:198.51.100.9'), true);
    assert.equal(allows(['0.0.0.0/0'], '2001:db8::1'), false);
    assert.equal(allows(['::/0'], '2001:db8::1'), true);
    assert.equal(allows(['::/0'], '198.51.100.9'), false);
    assert.equal(allows(['::/0'], '::ffff:198.51.100.9'), false);
  });

  test('the edges of networks', () => {
    const cases = [
      ['203.0.113.0/24', '203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
      ['203.0.113.4/30', '203.0.113.3', '203.0.113.4', '203.0.113.7', '203.0.113.8'],
      ['128.0.0.0/1', '127.255.255.255', '128.0.0.0', '255.255.255.255', '127.0.0.1'],
      [
        '2001:db8::/32',
        '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
        '2001:db8::',
        '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
        '2001:db9::',
      ],
      ['2001:db8::8/125', '2001:db8::7', '2001:db8::8', '2001:db8::f', '2001:db8::10'],
      [
        '2001:db8:0:8000::/49',
        '2001:db8:0:7fff::',
        '2001:db8:0:8000::',
        '2001:db8:0:ffff::1',
        '2001:db8:1::',
      ],
    ] as const;
    for (const [entry, below, first, last, above] of cases) {
      assert.deepEqual(
        [below, first, last, above].map((peer) => allows([entry], peer)),
        [false, true, true, false],
        entry,
      );
    }
  });

  test('many entries, nested and in any order, answer as one by one', () => {
    const entries = Array.from(
      { length: 400 },
      (_, index) => `10.${index % 250}.${(index * 7) % 256}.0/${index % 3 === 0 ? 24 : 26}`,
    );
    const readable = [...entries, '10.3.0.0/16', '10.0.0.0/15'].filter((entry) => readNetworkEntry(entry).ok);
    const whitelist = NetworkWhitelist.fromTexts(readable);
    const single = readable.map((entry) => NetworkWhitelist.fromTexts([entry]));
    for (let index = 0; index < 3000; index += 1) {
      const address = parseAddress(`10.${index % 251}.${(index * 13) % 256}.${(index * 31) % 256}`);
      assert.equal(
        whitelist.allows(address),
        single.some((one) => one.allows(address)),
      );
    }
  });
});

describe('sourceAddress', () => {
  const source = (peer: string | undefined, lines: string[], proxies: string[]): string => {
    const address = sourceAddress(peer, lines, NetworkWhitelist.fromTexts(proxies));
    return address === undefined ? '' : formatAddress(address);
  };

  test('the forwarded vectors', { skip }, () => {
    for (const { id, peer, xForwardedFor, trustedProxies, expectSource } of vectors?.forwarded ?? []) {
      assert.equal(source(peer, xForwardedFor, trustedProxies), expectSource, id);
    }
  });

  test('a closed socket has no address, whatever the header says', () => {
    assert.equal(source(undefined, ['203.0.113.7'], ['0.0.0.0']), '');
    assert.equal(source('', ['203.0.113.7'], ['10.0.0.0/8']), '');
  });

  test('an empty or damaged last hop is no address', () => {
    for (const line of [
      '203.0.113.7,',
      '203.0.113.7, ',
      ',',
      '203.0.113.7, 1.2.3.4:',
      '1.2.3.4:123456',
      '1.2.3.4:x',
      '[::1',
      '::1]:2',
    ]) {
      assert.equal(source('10.0.0.4', [line], ['10.0.0.0/8']), '', line);
    }
    assert.equal(source('10.0.0.4', ['203.0.113.7', ''], ['10.0.0.0/8']), '');
    assert.equal(source('10.0.0.4', ['203.0.113.7', '10.0.0.9,'], ['10.0.0.0/8']), '');
  });

  test('an empty hop behind trusted hops is no address', () => {
    assert.equal(source('10.0.0.4', [', 10.0.0.5'], ['10.0.0.0/8']), '');
    assert.equal(source('10.0.0.4', [',10.0.0.5'], ['10.0.0.0/8']), '');
  });

  test('ports and brackets are left out', () => {
    assert.equal(source('10.0.0.4', ['[2001:db8::9]:4711'], ['10.0.0.0/8']), '2001:db8::9');
    assert.equal(source('10.0.0.4', ['[2001:db8::9]'], ['10.0.0.0/8']), '2001:db8::9');
    assert.equal(source('10.0.0.4', ['2001:db8::9'], ['10.0.0.0/8']), '2001:db8::9');
    assert.equal(source('10.0.0.4', ['\t198.51.100.9:4711 '], ['10.0.0.0/8']), '198.51.100.9');
  });

  test('the lines are read across from right to left', () => {
    assert.equal(
      source('10.0.0.4', ['203.0.113.7', '198.51.100.9, 10.0.0.6', '10.0.0.5'], ['10.0.0.0/8']),
      '198.51.100.9',
    );
  });

  test('a long hostile header costs little', () => {
    const started = performance.now();
    source('10.0.0.4', [' '.repeat(16_000) + 'x'], ['10.0.0.0/8']);
    source('10.0.0.4', [','.repeat(16_000)], ['10.0.0.0/8']);
    source('10.0.0.4', ['10.0.0.5,'.repeat(2000) + '10.0.0.6'], ['10.0.0.0/8']);
    assert.ok(performance.now() - started < 20_000);
  });
});
