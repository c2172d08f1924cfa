import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { readerFolder } from './reader-folder.ts';
import { runBlock, testBlocks } from './run-block.ts';

const path = 'packages/explain/README.md';

describe(path, () => {
  const { folder, remove } = readerFolder();
  after(remove);

  it('has an example that proves a mistake', async () => {
    const [example, ...others] = testBlocks(path);
    const { exitCode, output, errors } = await runBlock(example!, folder);
    assert.equal(exitCode, 0, errors);
    assert.equal(output, 'url_trailing_slash proven\n');
    assert.deepEqual(others, []);
  });
});
