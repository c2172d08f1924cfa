import {
  profileChecks,
  type ExplanationCheck,
  type ProfileCheck,
  type ProfileCheckName,
  type RequestEntry,
  type RequestExplanation,
} from '@countersign/contract';

/** The result of one check of the profile. */
export interface OrderedCheck {
  readonly number: number;
  readonly name: ProfileCheckName;
  readonly state: 'passed' | 'failed' | 'not-reached';
  readonly facts: ExplanationCheck['facts'];
}

type KnownRequest = Pick<RequestEntry, 'outcome' | 'isProved' | 'reason'>;

/**
 * Returns every check of the profile in order, with its result. The request's outcome implies that all earlier checks passed;
 * an explanation adds facts.
 */
export function orderedChecks(
  request: KnownRequest,
  explanation?: Pick<RequestExplanation, 'checks'>,
): readonly OrderedCheck[] {
  return profileChecks.map((check): OrderedCheck => {
    const explained = explanation?.checks.find(({ name }) => name === check.name);
    const state = stateOf(check, request);
    // The service's outcome is certain. The explanation had less information than the service.
    const facts = explained?.state === state ? explained.facts : {};
    return { number: check.number, name: check.name, state, facts: withReason(facts, state, request) };
  });
}

/** Returns the checks of an explanation, each once, in order. Checks that need the service are missing. */
export function explainedChecks(checks: readonly ExplanationCheck[]): readonly OrderedCheck[] {
  return profileChecks.flatMap(({ number, name }): OrderedCheck[] => {
    const explained = checks.find((check) => check.name === name);
    return explained ? [{ number, name, state: explained.state, facts: explained.facts }] : [];
  });
}

/** Codes outside the checks: the last check that passed, and whether the next one could not decide. */
const besideChecks: Readonly<Record<string, { readonly after: number; readonly failsNext: boolean }>> = {
  shutting_down: { after: 0, failsNext: false },
  registry_stale: { after: 0, failsNext: false },
  request_timeout: { after: 0, failsNext: false },
  too_many_failures: { after: 1, failsNext: false },
  rate_limited: { after: 11, failsNext: false },
  guard_unavailable: { after: 12, failsNext: true },
  guard_full: { after: 12, failsNext: true },
  recently_restarted: { after: 12, failsNext: true },
};

function stateOf({ number }: ProfileCheck, { outcome, isProved }: KnownRequest): OrderedCheck['state'] {
  const beside = Object.hasOwn(besideChecks, outcome) ? besideChecks[outcome] : undefined;
  if (beside) {
    if (number <= beside.after) return 'passed';
    return beside.failsNext && number === beside.after + 1 ? 'failed' : 'not-reached';
  }
  const failed = profileChecks.find(({ codes }) => (codes as readonly string[]).includes(outcome))?.number;
  // All checks passed: the operation itself sent the response.
  if (failed === undefined) return 'passed';
  if (number === failed) return 'failed';
  // Covered components are checked again once the caller is known (profile 2.1, 8b and 12).
  if (isProved && number <= signatureNumber) return 'passed';
  // The form of Content-Digest is checked before the signature (profile 2.1, 7b).
  if (!isProved && number >= signatureNumber) return 'not-reached';
  return number < failed ? 'passed' : 'not-reached';
}

const signatureNumber = profileChecks.find(({ name }) => name === 'signature')?.number ?? 8;

function withReason(
  facts: OrderedCheck['facts'],
  state: OrderedCheck['state'],
  { reason }: KnownRequest,
): OrderedCheck['facts'] {
  return state === 'failed' && reason !== undefined && facts['reason'] === undefined
    ? { ...facts, reason }
    : facts;
}
