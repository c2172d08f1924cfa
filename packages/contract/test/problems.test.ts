import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { problems, type ProblemCode } from '@countersign/contract';

/** Profile section 2.1, in its order. */
const checks: readonly (readonly [ProblemCode, number])[] = [
  ['request_malformed', 400],
  ['uri_too_long', 414],
  ['headers_too_large', 431],
  ['signature_missing', 401],
  ['signature_malformed', 401],
  ['signature_not_selected', 401],
  ['signature_ambiguous', 401],
  ['parameters_invalid', 401],
  ['algorithm_not_allowed', 401],
  ['components_invalid', 401],
  ['created_expired', 401],
  ['created_in_future', 401],
  ['signature_expired', 401],
  ['date_invalid', 401],
  ['date_mismatch', 401],
  ['signature_invalid', 401],
  ['directory_mismatch', 401],
  ['profile_not_accepted', 403],
  ['client_disabled', 403],
  ['account_suspended', 403],
  ['network_not_allowed', 403],
  ['permission_denied', 403],
  ['body_too_large', 413],
  ['digest_missing', 401],
  ['digest_malformed', 401],
  ['digest_mismatch', 401],
  ['signature_replayed', 401],
];

describe('problems', () => {
  test('signature_invalid does not tell which of its causes it was', () => {
    assert.doesNotMatch(problems.signature_invalid.title, /client|key|unknown|revoked|expired/i);
    assert.match(problems.signature_invalid.detail, /keyid.*registered.*method, URL and headers/);
  });

  test('every check of the profile has its code and status', () => {
    for (const [code, status] of checks) assert.equal(problems[code].status, status, code);
  });

  test('every code has an error status, a short title and short advice', () => {
    for (const [code, problem] of Object.entries(problems)) {
      assert.match(code, /^[a-z]+(_[a-z]+)*$/);
      assert.ok(problem.status >= 400 && problem.status <= 599, code);
      assert.match(problem.title, /^[A-Z][^.]{5,60}$/, code);
      assert.match(problem.detail, /^[A-Z].*[^.]\.$/, code);
      assert.ok(problem.detail.split(/\. (?=[A-Z])/).length <= 3, `${code}: at most three sentences`);
    }
  });
});
