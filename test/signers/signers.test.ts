import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { readMistakes } from './mistakes.ts';
import { signerPackages } from './packages.ts';

describe('signers in other languages', () => {
  for (const one of signerPackages()) {
    test(`${one.language}: a file here tests it`, () => {
      assert.ok(existsSync(new URL(`${one.language}.test.ts`, import.meta.url)));
    });

    test(`${one.language}: twenty mistakes can be planted`, () => {
      assert.ok(readMistakes(one).length >= 20);
    });
  }
});
