import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readMistakes } from './mistakes.ts';
import { readSnippets } from '../../packages/portal/documents/snippets.ts';
import { otherAlgorithmsOf, root, signerPackages } from './packages.ts';

const readme = readFileSync(join(root, 'signers/README.md'), 'utf8')
  .split('\n## Keys\n')[1]!
  .split('\n## ')[0]!;

describe('signers in other languages', () => {
  for (const one of signerPackages()) {
    test(`${one.language}: a file here tests it`, () => {
      assert.ok(existsSync(new URL(`${one.language}.test.ts`, import.meta.url)));
    });

    test(`${one.language}: signers/README.md says which keys it has`, () => {
      const title =
        readSnippets()
          .find(({ id }) => id === one.language)
          ?.title.replace('curl', 'Shell') ?? '';
      const [row] = readme
        .split('\n')
        .filter((line) => line.startsWith('|') && line.split('|')[1]!.includes(title));
      const [, , rsa, ed25519, ecdsa] = row!.split('|').map((cell) => cell.trim().split(',')[0]);
      const others = otherAlgorithmsOf(one).length > 0 ? 'yes' : 'no';
      assert.deepEqual([rsa, ed25519, ecdsa], ['yes', others, others]);
    });

    test(`${one.language}: twenty mistakes can be planted`, () => {
      assert.ok(readMistakes(one).length >= 20);
    });
  }
});
