import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { readerFolder, root } from './reader-folder.ts';
import { readDocument, runBlock, testBlocks } from './run-block.ts';

describe('packages/middleware/README.md', () => {
  const { folder, remove } = readerFolder();
  after(remove);

  it('has an example that accepts the signed body and refuses a changed one', async () => {
    const [block, ...others] = testBlocks('packages/middleware/README.md');
    const { exitCode, output, errors } = await runBlock(block!, folder);
    assert.equal(exitCode, 0, errors);
    assert.equal(output, '200 Hello shop, 12 bytes\n401 digest_mismatch\n');
    assert.deepEqual(others, []);
  });
});

describe('docs/middleware', () => {
  for (const page of readdirSync(join(root, 'docs/middleware'))) {
    it(`${page} shows the example that tests run`, () => {
      const example = `examples/middleware/${page.replace(/\.md$/, '.mjs')}`;
      const { markdown } = readDocument(`docs/middleware/${page}`);
      assert.deepEqual(
        markdown.fences.map(({ text }) => text.trimEnd()),
        [readFileSync(join(root, example), 'utf8').trimEnd()],
      );
    });
  }

  it('has every option in its table', () => {
    const { text } = readDocument('docs/middleware.md');
    const source = readFileSync(join(root, 'packages/middleware/src/verifier-options.ts'), 'utf8');
    const [, members = ''] = /interface VerifierOptions \{([^]*?)\n\}/.exec(source) ?? [];
    const names = [...members.matchAll(/readonly (\w+)\??:/g)].map(([, name]) => name!);
    assert.ok(names.length > 10);
    const missing = names.filter(
      (name) => name !== 'nowMs' && !new RegExp(`^\\|.*\`${name}\``, 'm').test(text),
    );
    assert.deepEqual(missing, []);
  });
});
