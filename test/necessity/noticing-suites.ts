import type { Removal } from './removals.ts';

/** The checks of a signed request; those through the front door come first. */
const signed = [
  'packages/gate/test/decision/*.test.ts',
  'packages/signature/test/{algorithms,signature-input,conformance}.test.ts',
  'packages/gate/test/http/{answers,body,framing,framing-vectors,limits}.test.ts',
  'packages/gate/test/replay/{scenarios,guard-files}.test.ts',
];

const forwarding = [
  'packages/gate/test/routes/*.test.ts',
  'packages/gate/test/authorizers/authorizer.test.ts',
  'packages/gate/test/proxy/{spoofing,forwarded-framing,destinations}.test.ts',
  'packages/gate/test/proxy/{upgrade,cross-origin}.test.ts',
  'packages/gate/test/proxy/{hostile-upstream,upstream-connections,upstream-addresses}.test.ts',
];

const sessions = ['packages/server/test/sessions/session-checks.test.ts'];

/** Every pattern of test files, in the order in which they run. */
export const allSuites: readonly string[] = [...signed, ...sessions, ...forwarding];

/**
 * Returns the patterns of the test files of which one must fail, in the order in which they run. A rule of the gate or of the
 * library is noticed by their own tests: whoever runs the tests of these packages alone must see that it is gone.
 */
export function noticingSuites({ check }: Pick<Removal, 'check'>): readonly string[] {
  if (check.startsWith('forwarding')) return forwarding;
  return check.startsWith('session') ? sessions : signed;
}
