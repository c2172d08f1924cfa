import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from './reader-folder.ts';
import { readDocument } from './run-block.ts';
import { tableRows } from './tables.ts';

const folder = 'docs/decisions';
const records = readdirSync(join(root, folder)).filter((name) => name !== 'README.md');

describe(folder, () => {
  for (const name of records) {
    it(`${name} is dated, short and complete`, () => {
      const { text } = readDocument(`${folder}/${name}`);
      const lines = text.split('\n');
      assert.equal(lines[2], name.slice(0, 10), 'the date of its name stands below its title');
      assert.match(lines[2] ?? '', /^\d{4}-\d\d-\d\d$/);
      const parts = [...text.matchAll(/^\*\*([^*]+)\.\*\* /gm)].map(([, part]) => part);
      assert.deepEqual(parts, ['Context', 'Choice', 'Cost', 'What would change it']);
      assert.ok(lines.length <= 40, `${lines.length} lines`);
    });
  }

  it('has an index that lists every record by its title, the oldest first', () => {
    const expected = records.toSorted().map((name) => {
      const title = readDocument(`${folder}/${name}`).text.split('\n')[0]?.replace(/^# /, '');
      return [name.slice(0, 10), `[${title}](${name})`];
    });
    const listed = tableRows(readDocument(`${folder}/README.md`).text);
    assert.deepEqual(
      listed.map(([date]) => date),
      expected.map(([date]) => date),
    );
    assert.deepEqual(new Set(listed.map(String)), new Set(expected.map(String)));
  });
});
