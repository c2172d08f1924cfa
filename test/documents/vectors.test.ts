import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readerFolder, root } from './reader-folder.ts';
import { readDocument, runBlock, testBlocks } from './run-block.ts';
import { section, tableRows } from './tables.ts';

const { text } = readDocument('vectors/README.md');

describe('vectors/README.md', () => {
  it('counts what each file holds', () => {
    const rows = tableRows(text);
    assert.ok(rows.length > 8);
    for (const [name = '', , entries] of rows) {
      const path = /`([^`]+)`/.exec(name)?.[1] ?? '';
      assert.equal(String(countEntries(join(root, 'vectors', path))), entries, path);
    }
  });

  it('names every file, and every member of a case', () => {
    const files = readdirSync(join(root, 'vectors/profile'), { withFileTypes: true });
    for (const file of files) assert.ok(text.includes(`profile/${file.name}`), file.name);
    const described = tableRows(section(text, 'A case'))
      .map(([names]) => names)
      .join(' ');
    for (const part of ['positive', 'negative', 'ed25519', 'ecdsa', 'policy', 'fuzz']) {
      const { cases } = read(part) as { cases: Record<string, object>[] };
      for (const member of new Set(cases.flatMap((one) => Object.keys(one)))) {
        assert.ok(described.includes(`\`${member}`), `${part}: ${member}`);
      }
    }
  });

  it('names every verdict and action of the scenarios', () => {
    const { scenarios } = read('replay') as {
      scenarios: { steps: { request: string; expect: string }[] }[];
    };
    const described = section(text, 'The other files');
    for (const { request, expect } of scenarios.flatMap(({ steps }) => steps)) {
      if (expect !== 'done') assert.ok(described.includes(`\`${expect}\``), expect);
      if (request.startsWith('@')) assert.ok(described.includes(`\`${request.replace(/:.*/, '')}`), request);
    }
  });

  it('has a loop that finds every signature equal', async () => {
    const [loop, ...others] = testBlocks('vectors/README.md');
    assert.deepEqual(others, []);
    const { folder, remove } = readerFolder();
    try {
      const { exitCode, output, errors } = await runBlock(loop!, folder);
      assert.equal(exitCode, 0, errors);
      assert.equal(output, '97 signatures are equal\n');
    } finally {
      remove();
    }
  });
});

function read(part: string): unknown {
  return JSON.parse(readFileSync(join(root, `vectors/profile/${part}.json`), 'utf8'));
}

/** Returns the cases or keys of a file, or the files of a folder. */
function countEntries(path: string): number {
  if (!path.endsWith('.json')) return readdirSync(path).length;
  const content = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  const { keys, cases, scenarios, match, entries, forwarded } = content;
  if (keys !== undefined) return Object.keys(keys as object).length;
  return [cases, scenarios, match, entries, forwarded]
    .filter((list) => Array.isArray(list))
    .reduce((sum, list) => sum + list.length, 0);
}
