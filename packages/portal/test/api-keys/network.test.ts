import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { networkFacts } from '../../src/network/network-item.ts';
import { holdsSeveralEntries, readPastedEntries, withEntries } from '../../src/network/pasted-entries.ts';

const facts = (...entries: readonly string[]): ReturnType<typeof networkFacts> =>
  networkFacts(entries.map((entry) => ({ entry, label: '' })));

describe('what is said of the entries of a whitelist', () => {
  it('everyone, and what everyone covers', () => {
    const [everyone, one, v6] = facts('0.0.0.0', '203.0.113.7', '2001:db8::/32');
    assert.equal(everyone?.isEveryone, true);
    assert.equal(everyone?.coveredBy, undefined);
    assert.equal(one?.coveredBy, '0.0.0.0');
    assert.equal(v6?.coveredBy, '0.0.0.0');
  });

  it('all of one protocol is everyone too, and covers nothing of the other', () => {
    const [v4, v6, one] = facts('0.0.0.0/0', '::/0', '2001:db8::7');
    assert.deepEqual([v4?.isEveryone, v6?.isEveryone], [true, true]);
    assert.equal(one?.coveredBy, '::/0');
  });

  it('what another entry covers, whichever comes first', () => {
    const [inner, outer, other] = facts('203.0.113.7', '203.0.113.0/24', '203.0.114.7');
    assert.equal(inner?.coveredBy, '203.0.113.0/24');
    assert.equal(outer?.coveredBy, undefined);
    assert.equal(other?.coveredBy, undefined);
  });

  it('what is very wide, and how many addresses there are', () => {
    const [slash16, slash15, site, wide] = facts(
      '10.0.0.0/16',
      '10.0.0.0/15',
      '2001:db8::/32',
      '2001:d00::/24',
    );
    assert.deepEqual([slash16?.isVeryWide, slash15?.isVeryWide], [false, true]);
    assert.deepEqual([site?.isVeryWide, wide?.isVeryWide], [false, true]);
    assert.deepEqual([slash16?.addressBits, site?.addressBits], [16, 96]);
  });
});

describe('a paste of many entries', () => {
  it('keeps what cannot be read, with what to write instead', () => {
    const { read, unread } = readPastedEntries('203.0.113.7\n203.0.113.7/24\nhello');
    assert.deepEqual(
      read.map(({ entry }) => entry.text),
      ['203.0.113.7'],
    );
    assert.deepEqual(
      unread.map(({ text }) => text),
      ['203.0.113.7/24', 'hello'],
    );
    assert.match(unread[0]?.advice ?? '', /203\.0\.113\.0\/24/);
  });

  it('reads lines, commas, semicolons and spaces, labels and comments', () => {
    const text =
      '# offices\n203.0.113.0/24 Office Berlin\n198.51.100.7 # Backup\r\n2001:DB8::7, 192.0.2.1;192.0.2.2\n192.0.2.3 192.0.2.4\n\n';
    assert.deepEqual(
      readPastedEntries(text).read.map(({ entry, label }) => [entry.text, label]),
      [
        ['203.0.113.0/24', 'Office Berlin'],
        ['198.51.100.7', 'Backup'],
        ['2001:db8::7', ''],
        ['192.0.2.1', ''],
        ['192.0.2.2', ''],
        ['192.0.2.3', ''],
        ['192.0.2.4', ''],
      ],
    );
    assert.equal(readPastedEntries(text).unread.length, 0);
  });

  it('is told from a single entry, with or without a label', () => {
    assert.equal(holdsSeveralEntries(' 203.0.113.7\n'), false);
    assert.equal(holdsSeveralEntries('203.0.113.7 Office'), false);
    assert.equal(holdsSeveralEntries('203.0.113.7\n203.0.113.8'), true);
    assert.equal(holdsSeveralEntries('203.0.113.7 203.0.113.8'), true);
  });

  it('adds nothing twice, in whatever spelling', () => {
    const { read } = readPastedEntries('2001:db8:0::7, 2001:DB8::7, ::ffff:203.0.113.7, 203.0.113.7');
    const { added, repeated } = withEntries([{ entry: '2001:db8::7', label: 'Old' }], read);
    assert.deepEqual(added, [{ entry: '203.0.113.7', label: '' }]);
    assert.deepEqual(repeated, ['2001:db8::7', '2001:db8::7', '203.0.113.7']);
  });
});
