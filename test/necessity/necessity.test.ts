import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { removals } from './removals.ts';

/** The long form, which removes each check and runs the tests, is `npm run test:necessity`. */
describe('the script that removes the checks one at a time', () => {
  for (const { check, file, text, replacement } of removals) {
    test(`still finds check ${check}`, () => {
      const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
      assert.equal(source.split(text).length - 1, 1, `${file} must hold exactly once: ${text}`);
      assert.notEqual(text, replacement);
    });
  }

  test('knows every check of the profile', () => {
    const numbers = new Set(removals.map(({ check }) => Number.parseInt(check, 10)));
    assert.deepEqual(
      [...numbers].toSorted((left, right) => left - right),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
    );
  });
});
