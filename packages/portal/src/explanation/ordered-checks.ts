import {
  profileChecks,
  type ExplanationCheck,
  type ProfileCheck,
  type ProfileCheckName,
  type RequestEntry,
  type RequestExplanation,
} from '@countersign/contract';

/** What became of one check of the profile. */
export interface OrderedCheck {
  /** Undefined for a check that is none of the profile's. */
  readonly number: number | undefined;
  readonly name: ProfileCheckName;
  readonly state: 'passed' | 'failed' | 'not-reached';
  /** What was looked at and found, as the explanation says it. */
  readonly facts: ExplanationCheck['facts'];
}

/** What is known of a request that was kept. */
type KnownRequest = Pick<RequestEntry, 'outcome' | 'isProved' | 'reason'>;

/**
 * All checks of the profile in their order, with what became of them: from the outcome of the request, which says that every
 * check before it was passed, and from the explanation where there is one.
 */
export function orderedChecks(
  request: KnownRequest,
  explanation?: Pick<RequestExplanation, 'checks'>,
): readonly OrderedCheck[] {
  return profileChecks.map((check): OrderedCheck => {
    const explained = explanation?.checks.find(({ name }) => name === check.name);
    const state = stateOf(check, request);
    // What the service answered is certain. An explanation was made of less than the service knew.
    const facts = explained?.state === state ? explained.facts : {};
    return { number: check.number, name: check.name, state, facts: withReason(facts, state, request) };
  });
}

/** The checks of an explanation alone, with their numbers; those that need the service are not among them. */
export function explainedChecks(checks: readonly ExplanationCheck[]): readonly OrderedCheck[] {
  return checks.flatMap(({ name, state, facts }): OrderedCheck[] => {
    const known = profileChecks.find((check) => check.name === name);
    return known ? [{ number: known.number, name: known.name, state, facts }] : [];
  });
}

/** Codes that are given beside the checks: after which one, and whether the next one is the one that could not decide. */
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
  // The operation itself answered, after all checks.
  if (failed === undefined) return 'passed';
  if (number === failed) return 'failed';
  // What a signature covers is looked at again once its caller is known (profile 2.1, 8b and 12).
  if (isProved && number <= signatureNumber) return 'passed';
  // The form of Content-Digest is looked at before the signature (profile 2.1, 7b).
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
