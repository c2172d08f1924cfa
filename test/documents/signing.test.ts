import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from './reader-folder.ts';
import { readDocument } from './run-block.ts';

describe('docs/signing', () => {
  const pages = readdirSync(join(root, 'docs/signing')).map((name) => ({
    name,
    text: readDocument(`docs/signing/${name}`).text,
  }));
  for (const { name, text } of pages.filter((page) => page.text.startsWith('# First request in '))) {
    it(`${name} shows the files that the signer's own tests run`, () => {
      const shown = [
        ...text.matchAll(/\]\((?:\.\.\/){2}((?:signers|packages)\/[^)]+)\):\n\n```\w+\n([^]*?)\n```\n/g),
      ];
      assert.notEqual(shown.length, 0, 'The page shows no file of a signer.');
      for (const [, file, code] of shown) {
        assert.equal(code, readFileSync(join(root, file!), 'utf8').trimEnd(), file!);
      }
    });
  }
});
