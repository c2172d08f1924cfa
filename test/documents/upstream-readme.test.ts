import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { readerFolder, root } from './reader-folder.ts';
import { readDocument, runBlock, testBlocks } from './run-block.ts';
import { tables } from './tables.ts';

const path = 'packages/upstream/README.md';

describe(path, () => {
  const { folder, remove } = readerFolder();
  after(remove);

  it('has an example that refuses a request of which nothing is proved', async () => {
    const [example, ...others] = testBlocks(path);
    const { exitCode, output, errors } = await runBlock(example!, folder);
    assert.equal(exitCode, 0, errors);
    assert.equal(output, 'refused: signature_missing\n');
    assert.deepEqual(others, []);
  });

  it('has every code and every option of the check', () => {
    const namesIn = (file: string, pattern: RegExp): string[] =>
      [...readFileSync(join(root, 'packages/upstream/src', file), 'utf8').matchAll(pattern)]
        .map(([, name]) => name!)
        .toSorted();
    const options = /interface ForwardedCheckOptions \{([^]*?)\n\}/.exec(
      readFileSync(join(root, 'packages/upstream/src/forwarded-check.ts'), 'utf8'),
    )![1]!;
    const [codes, settings] = tables(readDocument(path).text).map(({ rows }) =>
      rows.flatMap(([names = '']) => names.replaceAll('`', '').split(', ')).toSorted(),
    );
    assert.deepEqual(codes, namesIn('refusal.ts', /^ {2}\| '([a-z_]+)'/gm));
    assert.deepEqual(
      settings,
      [...options.matchAll(/readonly (\w+)\??:/g)].map(([, name]) => name!).toSorted(),
    );
  });
});
