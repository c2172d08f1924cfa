import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Explanation } from '../src/index.ts';
import { type makeRequest, namesOf, type Signed } from './mistaken-request.ts';
import { mistakes } from './mistakes.ts';

/**
 * Tests of an algorithm whose signatures reveal nothing: a right request has no finding, and a mistake is proved by a text that
 * verifies.
 *
 * @param request makes a right request with one change
 * @param titles the mistakes to make
 */
export function testTriedTexts(
  request: (change?: Partial<Signed>) => ReturnType<typeof makeRequest>,
  explained: (
    one: ReturnType<typeof makeRequest>,
    options?: { readonly claimedBase?: string },
  ) => Explanation,
  titles: readonly string[],
): void {
  test('is none of a right request, which reveals the text by fitting it', () => {
    const { verdict, findings, checks } = explained(request());
    assert.deepEqual({ verdict, findings }, { verdict: 'valid', findings: [] });
    assert.ok(checks.every(({ state }) => state === 'passed'));
  });

  for (const { title, change, expected } of Object.values(mistakes).flat()) {
    if (!titles.includes(title)) continue;
    test(`proves by trying texts: ${title}`, () => {
      const explanation = explained(request(change));
      assert.deepEqual(namesOf(explanation).toSorted(), [...expected].toSorted());
      assert.equal(explanation.verdict, 'refused');
    });
    test(`proves the same of a caller who tells what was signed: ${title}`, () => {
      let claimedBase = '';
      const base = (text: string): string => (claimedBase = change.base?.(text) ?? text);
      const one = request({ ...change, base });
      assert.deepEqual(namesOf(explained(one, { claimedBase })).toSorted(), [...expected].toSorted());
    });
  }
}
