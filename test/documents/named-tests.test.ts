import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from './reader-folder.ts';
import { readDocument } from './run-block.ts';
import { section, tableRows } from './tables.ts';

/** Documents that name a test for each promise: the link's text is the start of the test's name. */
const documents = [
  { path: 'docs/invariants.md', heading: 'Invariants' },
  { path: 'SECURITY.md', heading: 'What it withstands' },
];

for (const { path, heading } of documents) {
  describe(path, () => {
    const { text } = readDocument(path);
    const named = [...text.matchAll(/\[([^\]]+)\]\(([^)]+\.test\.ts)\)/g)];

    it('names a test for each promise', () => {
      const rows = tableRows(section(text, heading));
      assert.ok(rows.length >= 15, `${rows.length} rows`);
      for (const row of rows) assert.match(row.at(-1) ?? '', /\.test\.ts\)/, row.join(' | '));
    });

    for (const [, name = '', file = ''] of named) {
      it(`names a test that exists: ${name}`, () => {
        const source = readFileSync(join(root, dirname(path), file), 'utf8');
        const titles = [...source.matchAll(/\b(?:test|it|describe)\(\s*(['"`])((?:\\.|(?!\1)[^\\])+)/g)];
        const found = titles.some((title) => (title[2] ?? '').replaceAll('\\', '').startsWith(name));
        assert.ok(found, `${file} has no test whose name begins with "${name}"`);
      });
    }
  });
}
