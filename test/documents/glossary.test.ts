import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readDocument } from './run-block.ts';
import { tables } from './tables.ts';

it('docs/glossary.md explains each term once, with a link', () => {
  const rows = tables(readDocument('docs/glossary.md').text).flatMap((table) => table.rows);
  assert.ok(rows.length > 40);
  const terms = rows.map(([term = '']) => term);
  assert.deepEqual(
    terms.filter((term, index) => terms.indexOf(term) < index),
    [],
  );
  for (const [term = '', meaning = ''] of rows) assert.match(meaning, /\]\([^)]+\)/, term);
});
