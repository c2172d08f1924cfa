import {
  type Address,
  isPermitted,
  type Operation,
  type Permission,
  type StepUpMethod,
  stepUpMinutes,
} from '@countersign/contract';
import type { Refusal } from '@countersign/signature/profile';
import type { ProblemCode } from '@countersign/contract/problems';
import { crossSiteReason, type RequestOrigin } from './same-origin.ts';

/** The facts about a session that the checks need. */
export interface CheckedSession {
  readonly userId: string;
  readonly startedAtMs: number;
  /** The time of the person's last proof that counts for a step-up; 0 for never in this session. */
  readonly provedAtMs: number;
  readonly hasSecondFactor: boolean;
  readonly stepUpMethods: readonly StepUpMethod[];
}

/** The facts about a person's access to an account that the checks need. */
export interface CheckedAccess {
  readonly permissions: ReadonlySet<Permission>;
  readonly policy: {
    readonly isSecondFactorRequired: boolean;
    readonly sessionHoursMax: number | undefined;
  };
  /** Returns true if the person may use the account from an address. */
  readonly isAllowedFrom: (address: Address | undefined) => boolean;
}

/** The facts about a request that the checks need. */
export interface SessionAttempt {
  readonly from: RequestOrigin;
  readonly source: { readonly address: Address | undefined; readonly text: string };
  /** The origins of the public base URLs. */
  readonly ownOrigins: ReadonlySet<string>;
  /** Undefined if there is no such operation. */
  readonly operation: Operation | undefined;
  readonly parameters: Readonly<Record<string, string>>;
  readonly nowMs: number;
}

/** A rejection, with the proofs that would help if one is missing. */
export interface SessionRefusal extends Refusal<ProblemCode> {
  readonly methods?: readonly StepUpMethod[];
  /** The address that the request was seen to come from, if it is not allowed. */
  readonly sourceAddress?: string;
  /** The session's person, for the log. */
  readonly userId?: string;
}

/**
 * Checks a person's request in a fixed order, which `docs/management.md` documents and a test pins. The first
 * check that fails determines the response. Framing and the limit on failures come before; the body comes
 * after.
 *
 * 1. the cookie names a session whose sign-in is complete: `session_required`
 * 2. one of this service's pages made the request: `cross_site_request`
 * 3. the person belongs to the account that the request names, or acts for it: `not_found`
 * 4. the request comes from a network that the account allows its people: `portal_network_not_allowed`
 * 5. the session is no older than the account allows: `session_required`
 * 6. if the account requires a second factor, the person has one (`second_factor_required`) and gave it in this
 *    session (`step_up_required`)
 * 7. the operation exists: `not_found` or `method_not_allowed`, sent once the request is accepted
 * 8. the role permits the operation: `permission_denied`
 * 9. if the operation needs a fresh proof, the person gave one recently: `step_up_required`
 *
 * @param findSession returns the cookie's session
 * @param findAccess returns the person's access to the account; undefined if they have none
 */
export async function checkSession<Session extends CheckedSession, Access extends CheckedAccess>(
  attempt: SessionAttempt,
  findSession: () => Promise<Session | undefined>,
  findAccess: (session: Session) => Promise<Access | undefined>,
): Promise<{ readonly ok: true; readonly session: Session; readonly access: Access } | SessionRefusal> {
  const session = await findSession();
  if (session === undefined) return refuse('session_required', 'the cookie does not name a session'); // 1
  const { userId } = session;
  const origin = checkOrigin(attempt); // 2
  if (origin) return { ...origin, userId };
  const access = await findAccess(session);
  // As if it didn't exist: people who don't belong to an account learn nothing about it.
  if (access === undefined)
    return { ...refuse('not_found', 'the person does not belong to the account'), userId }; // 3
  const refusal =
    checkNetwork(attempt, access) ?? // 4
    checkSessionAge(attempt, session, access) ?? // 5
    checkSecondFactor(session, access) ?? // 6
    checkPermission(attempt, session, access) ?? // 8
    checkProof(attempt, session); // 9
  return refusal ? { ...refusal, userId } : { ok: true, session, access };
}

function checkOrigin({ from, ownOrigins }: SessionAttempt): SessionRefusal | undefined {
  const reason = crossSiteReason(from, ownOrigins);
  return reason === undefined ? undefined : refuse('cross_site_request', reason);
}

function checkNetwork(
  { source }: SessionAttempt,
  { isAllowedFrom }: CheckedAccess,
): SessionRefusal | undefined {
  if (isAllowedFrom(source.address)) return undefined;
  const seen = source.text === '' ? 'an unknown address' : `the address ${source.text}`;
  const refusal = refuse('portal_network_not_allowed', `the account does not allow its people ${seen}`);
  return { ...refusal, sourceAddress: source.text };
}

function checkSessionAge(
  { nowMs }: SessionAttempt,
  { startedAtMs }: CheckedSession,
  { policy: { sessionHoursMax } }: CheckedAccess,
): SessionRefusal | undefined {
  if (sessionHoursMax === undefined || nowMs < startedAtMs + sessionHoursMax * 3_600_000) return undefined;
  return refuse('session_required', `the account requires signing in again after ${sessionHoursMax} hours`);
}

function checkSecondFactor(
  { hasSecondFactor, provedAtMs, stepUpMethods }: CheckedSession,
  { policy: { isSecondFactorRequired } }: CheckedAccess,
): SessionRefusal | undefined {
  if (!isSecondFactorRequired) return undefined;
  if (!hasSecondFactor)
    return refuse('second_factor_required', 'the account requires a second factor, and the person has none');
  // The session may be older than the second factor, and belong to someone who stole the password.
  if (provedAtMs > 0) return undefined;
  const reason = 'the account requires a second factor, which was not used in this session';
  return { ...refuse('step_up_required', reason), methods: stepUpMethods };
}

function checkPermission(
  { operation, parameters }: SessionAttempt,
  { userId }: CheckedSession,
  { permissions }: CheckedAccess,
): SessionRefusal | undefined {
  if (operation === undefined || isPermitted(operation, parameters, { kind: 'person', userId }, permissions))
    return undefined;
  return refuse(
    'permission_denied',
    `the operation needs the permission ${operation.permission}, which the member's role does not have`,
  );
}

function checkProof(
  { operation, nowMs }: SessionAttempt,
  { provedAtMs, stepUpMethods }: CheckedSession,
): SessionRefusal | undefined {
  if (operation?.needsStepUp !== true) return undefined;
  const ageMs = nowMs - provedAtMs;
  // A proof from the future doesn't count, because a clock must have jumped.
  if (ageMs >= -clockJumpMs && ageMs < stepUpMinutes * 60_000) return undefined;
  const reason = `the last proof is older than ${stepUpMinutes} minutes`;
  return { ...refuse('step_up_required', reason), methods: stepUpMethods };
}

/** The largest expected difference between the clocks of nodes that share a database. */
const clockJumpMs = 60_000;

function refuse(code: ProblemCode, reason: string): SessionRefusal {
  return { ok: false, code, reason };
}
