import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outcomeTone } from '../src/explanation/outcome-tone.ts';

describe('the color of an outcome', () => {
  const cases = [
    ['accepted', false, 'success', 'is green for an accepted request'],
    ['signature_invalid', false, 'warning', "is amber for a caller's mistake"],
    ['source_not_allowed', false, 'warning', 'is amber for an address that is not allowed'],
    ['guard_unavailable', false, 'danger', 'is red for a fault of the service'],
    ['signature_invalid', true, 'neutral', 'is grey for a request that passed in spite of it'],
    ['not_found', false, 'neutral', 'is grey for an ordinary response of the API'],
    ['from_a_newer_service', false, 'warning', 'is amber for a code of a newer service'],
  ] as const;
  for (const [outcome, isObserved, tone, title] of cases) {
    it(title, () => {
      assert.equal(outcomeTone(outcome, isObserved), tone);
    });
  }
});
