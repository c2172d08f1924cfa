import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCases } from './corpus.ts';
import { evaluate, type Evaluated, explainCase, lineOf, usualLimits } from './evaluation.ts';

const pairsNamedMin = 0.95;
/** A sample of the pairs is enough here; `npm run test:mistakes` takes all. */
const pairStep = 4;

describe('the explainer and the mistakes that people make', () => {
  let single: readonly Evaluated[] | undefined;
  let pairs: readonly Evaluated[] | undefined;
  const evaluatedSingle = () => (single ??= readCases('single').map((one) => evaluate(one, usualLimits)));
  const evaluatedPairs = () =>
    (pairs ??= readCases('pairs')
      .filter((_, index) => index % pairStep === 0)
      .map((one) => evaluate(one, usualLimits)));

  it('names no finding for a request that is right', () => {
    for (const one of readCases('correct')) {
      const { verdict, findings } = explainCase(one, usualLimits);
      assert.deepEqual([one.id, verdict, findings], [one.id, 'valid', []]);
    }
  });

  it('refuses every request with a mistake', () => {
    const accepted = [...evaluatedSingle(), ...evaluatedPairs()].filter(
      // The request does not show whether its signature was used before.
      ({ one, explanation }) => explanation.verdict !== 'refused' && !one.context.isRepeated,
    );
    assert.deepEqual(accepted.map(lineOf), []);
  });

  it('names every single mistake', () => {
    assert.deepEqual(
      evaluatedSingle()
        .filter(({ unnamed }) => unnamed.length > 0)
        .map(lineOf),
      [],
    );
  });

  it('names both mistakes of at least 95 % of the pairs', (context) => {
    const missed = evaluatedPairs().filter(({ unnamed }) => unnamed.length > 0);
    const share = 1 - missed.length / evaluatedPairs().length;
    context.diagnostic(`${(share * 100).toFixed(1)} % of ${evaluatedPairs().length} pairs`);
    assert.ok(share >= pairsNamedMin, missed.map(lineOf).join('\n'));
  });

  it('calls nothing proven that is not true', () => {
    const untrue = [...evaluatedSingle(), ...evaluatedPairs()].filter(
      ({ untrueProven }) => untrueProven.length > 0,
    );
    assert.deepEqual(untrue.map(lineOf), []);
  });
});
