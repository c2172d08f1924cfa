import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { explainedChecks, orderedChecks } from '../src/explanation/ordered-checks.ts';

/** The checks in one text: passed, failed, not reached. */
function states(outcome: string, isProved: boolean): string {
  const letters = { passed: '+', failed: 'x', 'not-reached': '.' };
  return orderedChecks({ outcome, isProved })
    .map(({ state }) => letters[state])
    .join('');
}

describe('what became of the checks of a request that was kept', () => {
  const cases: readonly (readonly [outcome: string, isProved: boolean, expected: string])[] = [
    ['accepted', true, '+++++++++++++'],
    ['request_malformed', false, 'x............'],
    ['signature_missing', false, '+x...........'],
    ['components_invalid', false, '+++++x.......'],
    // 8b: only a client that is known may leave out "date".
    ['components_invalid', true, '+++++x++.....'],
    ['created_expired', false, '++++++x......'],
    ['signature_invalid', false, '+++++++x.....'],
    ['network_not_allowed', true, '+++++++++x...'],
    ['permission_denied', true, '++++++++++x..'],
    ['digest_mismatch', true, '+++++++++++x.'],
    // 7b: the form of the digest is looked at before the signature.
    ['digest_malformed', false, '+++++++....x.'],
    ['signature_replayed', true, '++++++++++++x'],
    ['rate_limited', true, '+++++++++++..'],
    ['too_many_failures', false, '+............'],
    ['registry_stale', false, '.............'],
    ['guard_unavailable', true, '++++++++++++x'],
    ['not_found', true, '+++++++++++++'],
    ['toString', true, '+++++++++++++'],
  ];
  for (const [outcome, isProved, expected] of cases) {
    it(`${outcome}, ${isProved ? 'proved' : 'not proved'}`, () =>
      assert.equal(states(outcome, isProved), expected));
  }

  it('the reason stands at the check that failed, and facts only where the explanation agrees', () => {
    const explanation = {
      checks: [
        { name: 'parameters', state: 'passed', facts: { keyid: 'client_1' } },
        { name: 'time', state: 'failed', facts: { reason: 'other' } },
      ],
    } as const;
    const checks = orderedChecks(
      { outcome: 'signature_invalid', isProved: false, reason: 'the key has ended' },
      explanation,
    );
    const factsOf = (name: string): unknown => checks.find((check) => check.name === name)?.facts;
    assert.deepEqual(factsOf('parameters'), { keyid: 'client_1' });
    assert.deepEqual(factsOf('time'), {});
    assert.deepEqual(factsOf('signature'), { reason: 'the key has ended' });
  });

  it('the checks of an explanation are in order, each once; unknown ones are left out', () => {
    const checks = explainedChecks([
      { name: 'body', state: 'failed', facts: {} },
      { name: 'signature', state: 'passed', facts: {} },
      { name: 'body', state: 'passed', facts: {} },
      { name: 'later', state: 'passed', facts: {} },
    ]);
    assert.deepEqual(
      checks.map(({ number, state }) => [number, state]),
      [
        [8, 'passed'],
        [12, 'failed'],
      ],
    );
  });
});
