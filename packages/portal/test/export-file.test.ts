import assert from 'node:assert/strict';
import { it } from 'node:test';
import { csvRecords } from '../src/lists/export-file.ts';

it('the records of CSV: a line end within quotes is part of a record', () => {
  assert.deepEqual(csvRecords('a,b\r\n1,"x\r\ny"\r\n2,"say ""hi"""\r\n'), [
    'a,b',
    '1,"x\r\ny"',
    '2,"say ""hi"""',
  ]);
  assert.deepEqual(csvRecords(''), []);
  assert.deepEqual(csvRecords('a,b'), ['a,b']);
});
