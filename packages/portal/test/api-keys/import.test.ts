import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importExample, importRowsOf } from '../../src/pages/api-keys/import/import-columns.ts';
import { readCsv } from '../../src/pages/api-keys/import/read-csv.ts';
import { clientImport } from '#messages/client-import.ts';

const { words } = clientImport;

function cellsOf(text: string): readonly (readonly string[])[] {
  const reading = readCsv(text);
  assert.ok(reading.ok, JSON.stringify(reading));
  return reading.rows.map(({ cells }) => cells);
}

describe('a CSV file', () => {
  it('is refused where two programs could read it differently', () => {
    for (const [text, line, mistake] of [
      ['a,b\n1,2"3', 2, 'quote_inside'],
      ['a,b\n"1"2,3', 2, 'text_after_quote'],
      ['a,b\n\n"1\n2,3', 3, 'quote_open'],
      ['a\n"x\ny"\n"', 4, 'quote_open'],
    ] as const)
      assert.deepEqual(readCsv(text), { ok: false, line, mistake });
  });

  it('has quotes, separators and line ends of every kind', () => {
    const rows = [
      ['a', 'b'],
      ['1,;\t', 'x "y"\r\nz'],
    ];
    for (const separator of [',', ';', '\t']) {
      for (const end of ['\n', '\r\n']) {
        const text = `a${separator}b${end}${end}"1,;\t"${separator}"x ""y""\r\nz"`;
        for (const whole of [text, `\uFEFF${text}`, `${text}${end}`]) assert.deepEqual(cellsOf(whole), rows);
      }
    }
    assert.deepEqual(cellsOf('"a;b",c\n,\n"",d'), [
      ['a;b', 'c'],
      ['', 'd'],
    ]);
    assert.deepEqual(cellsOf(''), []);
    const lines = readCsv('a\n"x\ny"\nz');
    assert.deepEqual(lines.ok && lines.rows.map(({ line }) => line), [1, 2, 4]);
  });
});

describe('the clients in a file', () => {
  const rowsOf = (
    text: string,
    files: Readonly<Record<string, string>> = {},
  ): ReturnType<typeof importRowsOf> => {
    const reading = readCsv(text);
    assert.ok(reading.ok);
    return importRowsOf(reading.rows, new Map(Object.entries(files)), words);
  };

  it('are not read from a file with other columns', () => {
    assert.equal(rowsOf('name,colour\na,b'), words.columnUnknown('colour'));
    assert.equal(rowsOf('name,name\na,b'), words.columnTwice('name'));
    assert.equal(rowsOf('network\n10.0.0.1'), words.nameColumnMissing);
    assert.equal(rowsOf('name,network'), words.empty);
    assert.equal(rowsOf(''), words.empty);
  });

  it('have their mistakes by column', () => {
    const rows = rowsOf('name,publicKey,publicKeyFile,requestsBurstMax\na,MII,b.pem,many\nb\n', {
      'c.pem': 'x',
    });
    assert.ok(typeof rows !== 'string');
    assert.deepEqual(
      rows.map(({ line, mistakes }) => [line, mistakes.map(({ column }) => column)]),
      [
        [2, ['publicKeyFile', 'publicKey', 'requestsBurstMax']],
        [3, ['']],
      ],
    );
  });

  it('are those of the example', () => {
    const rows = rowsOf(importExample, { 'web-shop.pem': 'PEM' });
    assert.ok(typeof rows !== 'string');
    assert.deepEqual(
      rows.map(({ client, mistakes }) => [client, mistakes]),
      [
        [
          {
            name: 'Web shop',
            networkWhitelist: [{ entry: '203.0.113.0/24' }, { entry: '2001:db8::/48' }],
            roles: ['payments-operator'],
            tags: ['partner', 'eu'],
            publicKey: 'PEM',
            metadata: { owner: 'Ada' },
          },
          [],
        ],
        [
          {
            name: 'Nightly import',
            networkWhitelist: [{ entry: '198.51.100.7' }],
            roles: ['payments-reader'],
            tags: ['internal'],
            metadata: { owner: 'Lovelace, Ada' },
          },
          [],
        ],
      ],
    );
  });
});
