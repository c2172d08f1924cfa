import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { readJson, readJsonInTurns } from '../../src/request-bodies/strict-json.ts';

const read = (text: string | Uint8Array): unknown => {
  const reading = readJson(typeof text === 'string' ? Buffer.from(text) : text);
  return reading.ok ? reading.value : `${reading.fault.pointer} ${reading.fault.detail}`;
};

describe('readJson refuses', () => {
  test('what is not JSON', () => {
    const texts = [
      '',
      ' ',
      '{',
      '}',
      '{"a"}',
      '{"a":}',
      '{"a":1,}',
      '[1,]',
      "{'a':1}",
      '{a:1}',
      '01',
      '+1',
      '.5',
      'NaN',
      '//',
      '"',
    ];
    for (const text of [
      ...texts,
      '"\\x"',
      '"a\nb"',
      '{} {}',
      'undefined',
      '{"a":1}x',
      '"\\u12',
      '{"\\',
      '[',
      ']]]]',
      ',,,,',
    ]) {
      assert.match(String(read(text)), / (Send the body as JSON|Write a whole)/, text);
    }
  });

  test('bytes that are not UTF-8, and a byte order mark', () => {
    for (const bytes of [
      [0xff],
      [0x22, 0xc3, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xc0, 0x80, 0x22],
    ]) {
      assert.equal(read(Uint8Array.from(bytes)), ' Send the body in UTF-8.');
    }
    assert.match(String(read(Uint8Array.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]))), /not JSON/);
    assert.match(String(read(Buffer.from('{}', 'utf16le'))), /not JSON/);
  });

  test('a member name that occurs twice, however it is written', () => {
    assert.equal(read('{"amount":1,"amount":2}'), '/amount Send this member once.');
    assert.equal(read('{"a":1,"\\u0061":2}'), '/a Send this member once.');
    assert.equal(read('{"__proto__":1,"__proto__":2}'), '/__proto__ Send this member once.');
    assert.equal(read('[0,{"a":{"b/~":1,"b/~":2}}]'), '/1/a/b~1~0 Send this member once.');
    assert.equal(read('{"a":[{"b":1},{"b":1}],"c":"a","d":{"a":1}}') instanceof Object, true);
  });

  test('more members and items than any operation takes, wherever they are', () => {
    const refused = / Send at most 10000 members and items/;
    assert.match(String(read(`[${'0,'.repeat(10_000)}0]`)), refused);
    assert.match(String(read(`[${'[],'.repeat(6000)}[]]`)), refused);
    assert.match(String(read(`{"a":[${'{"b":1},'.repeat(6000)}{}]}`)), refused);
    // Commas in texts are none.
    assert.equal(read(JSON.stringify(','.repeat(20_000))), ','.repeat(20_000));
    assert.equal((read(`[${'0,'.repeat(9999)}0]`) as unknown[]).length, 10_000);
  });

  test('more members in one object than a schema compares at once', () => {
    const many = (count: number): string =>
      Array.from({ length: count }, (_, index) => `"m${index}":1`).join();
    assert.equal(read(`{${many(1001)}}`), ' Send at most 1000 members in one object.');
    assert.equal(read(`{"a":[{${many(1001)}}]}`), '/a/0 Send at most 1000 members in one object.');
    assert.equal(Object.keys(read(`{${many(1000)}}`) as object).length, 1000);
  });

  test('numbers that readers round differently', () => {
    for (const text of [
      '1.5',
      '1.0',
      '1e3',
      '1E400',
      '-0.0',
      '9007199254740993',
      '1234567890123456',
      '1.0000000000000001',
    ]) {
      assert.equal(
        read(`{"amount":${text}}`),
        '/amount Write a whole number of at most 15 digits, with digits only.',
      );
    }
    assert.deepEqual(read('[0,-1,999999999999999]'), [0, -1, 999_999_999_999_999]);
  });

  test('more than 16 levels, at once', () => {
    assert.equal(Array.isArray(read('['.repeat(16) + ']'.repeat(16))), true);
    const startedMs = performance.now();
    assert.match(String(read('['.repeat(500_000) + ']'.repeat(500_000))), /Send at most 16 levels/);
    assert.match(String(read('{"a":'.repeat(200_000))), /Send at most 16 levels/);
    assert.ok(performance.now() - startedMs < 20_000);
  });

  test('a very long name with an answer that stays short', () => {
    const name = 'x'.repeat(100_000);
    assert.ok(String(read(`{"${name}":1,"${name}":1}`)).length < 120);
  });
});

describe('readJson', () => {
  test('gives what JSON.parse gives, or refuses', () => {
    const numberless = fc.jsonValue({ maxDepth: 5 }).map((value) => JSON.stringify(value));
    const text = fc.oneof(numberless, fc.string(), fc.stringMatching(/^[{}[\],:"\\0-9a-u .-]{0,40}$/));
    fc.assert(
      fc.property(text, (input) => {
        const reading = readJson(Buffer.from(input));
        if (reading.ok) assert.deepEqual(reading.value, JSON.parse(Buffer.from(input).toString()));
      }),
      { numRuns: 3000 },
    );
  });

  test('keeps __proto__ as a member', () => {
    const value = read('{"__proto__":{"polluted":1}}') as object;
    assert.deepEqual(Object.keys(value), ['__proto__']);
    assert.equal('polluted' in {}, false);
  });

  test('reads in turns what it reads at once, with a turn for each 64 KiB', async () => {
    for (const text of ['{"a":1,"a":2}', '{"a":[1,2]}', `[${'1,'.repeat(9000)}1]`, '[1,', '[1.5]', '']) {
      const bytes = Buffer.from(text);
      assert.deepEqual(await readJsonInTurns(bytes, 10_000), readJson(bytes), text.slice(0, 20));
    }
    const long = Buffer.from(`[${'"123456",'.repeat(100_000)}1]`);
    let turns = 0;
    const state = { isReading: true };
    const reading = readJsonInTurns(long, 200_000).finally(() => (state.isReading = false));
    for (; state.isReading; turns += 1) await nextTurn();
    assert.equal((await reading).ok, true);
    assert.ok(turns >= Math.floor(long.length / 65_536), `${turns} turns of the event loop`);
  });

  test('costs little for large bodies', () => {
    const startedMs = performance.now();
    read(`[${'1,'.repeat(500_000)}1]`);
    read(`{${Array.from({ length: 50_000 }, (_, index) => `"name${index}":""`).join(',')}}`);
    read(`"${'\\"'.repeat(500_000)}"`);
    assert.ok(performance.now() - startedMs < 20_000);
  });
});
