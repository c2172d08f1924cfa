import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { allSuites, noticingSuites } from './noticing-suites.ts';
import { removals } from './removals.ts';

/** `npm run test:necessity` removes each check and runs the tests. */
describe('the script that removes the checks one at a time', () => {
  for (const { check, file, text, replacement } of removals) {
    test(`still finds check ${check}`, () => {
      const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
      assert.equal(source.split(text).length - 1, 1, `${file} must hold exactly once: ${text}`);
      assert.notEqual(text, replacement);
    });
  }

  test('runs tests that exist', () => {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    for (const pattern of allSuites) assert.ok(globSync(pattern, { cwd: root }).length > 0, pattern);
  });

  test('looks for a rule of the gate or of the library in their own tests', () => {
    const own = /^packages\/(?:gate|signature)\//;
    for (const removal of removals.filter(({ file }) => own.test(file)))
      for (const pattern of noticingSuites(removal)) assert.match(pattern, own, removal.check);
  });

  test('knows every check of a session', () => {
    const source = readFileSync(
      new URL('../../packages/server/src/people/sessions/session-checks.ts', import.meta.url),
      'utf8',
    );
    // Except for a missing operation, to which the service responds once the request is accepted; and one of
    // them has two halves.
    const numbered = source.match(/\/\/ [1-9]$/gm)?.length;
    const codes = removals.filter(({ file }) => file.endsWith('session-checks.ts')).length;
    assert.deepEqual([numbered, codes], [8, 9]);
  });

  test('knows every check of the profile', () => {
    const numbers = new Set(removals.map(({ check }) => Number.parseInt(check, 10)));
    assert.deepEqual(
      [...numbers].filter(Number.isInteger).toSorted((left, right) => left - right),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
    );
  });
});
