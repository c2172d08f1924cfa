import {
  isPermitted,
  type Operation,
  type Permission,
  type StepUpMethod,
  stepUpMinutes,
} from '@countersign/contract';
import type { Refusal } from '@countersign/signature/profile';
import type { ProblemCode } from '@countersign/contract/problems';
import { crossSiteReason, type RequestOrigin } from './same-origin.ts';

/** A signed-in person's session, as far as the checks look at it. */
export interface CheckedSession {
  readonly userId: string;
  readonly startedAtMs: number;
  /** When the person last gave what a step-up asks of it; 0 when that was never in this session. */
  readonly provedAtMs: number;
  readonly hasSecondFactor: boolean;
  readonly stepUpMethods: readonly StepUpMethod[];
}

/** As what the person may work in the account, as far as the checks look at it. */
export interface CheckedAccess {
  readonly permissions: ReadonlySet<Permission>;
  readonly policy: {
    readonly isSecondFactorRequired: boolean;
    readonly sessionHoursMax: number | undefined;
  };
}

/** A request with a session, as the checks see it. */
export interface SessionAttempt {
  readonly from: RequestOrigin;
  /** Of the public base URLs. */
  readonly ownOrigins: ReadonlySet<string>;
  /** What is asked for; undefined when there is no such operation. */
  readonly operation: Operation | undefined;
  readonly parameters: Readonly<Record<string, string>>;
  readonly nowMs: number;
}

/** A refusal, with the proofs that help where one is missing. */
export interface SessionRefusal extends Refusal<ProblemCode> {
  readonly methods?: readonly StepUpMethod[];
  /** Whose session it is, for the log. */
  readonly userId?: string;
}

/**
 * The checks of a request by a person, in their order; `docs/management.md` tells it, and a test pins it. The first that
 * fails answers. Before them are the frame of the request and the limit on failures, behind them the body.
 *
 * 1. the cookie names a session with a finished sign-in, `session_required`
 * 2. the request was made by a page of this service, `cross_site_request`
 * 3. the person belongs to the account that the request names, or acts for it, `not_found`
 * 4. the session is not older than the account allows, `session_required`
 * 5. where the account demands a second factor, the person has one, `second_factor_required`, and has given it in this session,
 *    `step_up_required`
 * 6. there is such an operation, `not_found` or `method_not_allowed`; answered once the request is accepted
 * 7. the role permits it, `permission_denied`
 * 8. the person has proved lately who they are, where the operation needs that, `step_up_required`
 *
 * @param findSession gives the session of the cookie
 * @param findAccess gives as what a person works in the account; undefined for one that is not theirs
 */
export async function checkSession<Session extends CheckedSession, Access extends CheckedAccess>(
  attempt: SessionAttempt,
  findSession: () => Promise<Session | undefined>,
  findAccess: (session: Session) => Promise<Access | undefined>,
): Promise<{ readonly ok: true; readonly session: Session; readonly access: Access } | SessionRefusal> {
  const session = await findSession();
  if (session === undefined) return refuse('session_required', 'the cookie names no session'); // 1
  const { userId } = session;
  const origin = checkOrigin(attempt); // 2
  if (origin) return { ...origin, userId };
  const access = await findAccess(session);
  // As if it did not exist: who does not belong to an account learns nothing of it.
  if (access === undefined) return { ...refuse('not_found', 'the account is not one of the person'), userId }; // 3
  const refusal =
    checkSessionAge(attempt, session, access) ?? // 4
    checkSecondFactor(session, access) ?? // 5
    checkPermission(attempt, session, access) ?? // 7
    checkProof(attempt, session); // 8
  return refusal ? { ...refusal, userId } : { ok: true, session, access };
}

function checkOrigin({ from, ownOrigins }: SessionAttempt): SessionRefusal | undefined {
  const reason = crossSiteReason(from, ownOrigins);
  return reason === undefined ? undefined : refuse('cross_site_request', reason);
}

function checkSessionAge(
  { nowMs }: SessionAttempt,
  { startedAtMs }: CheckedSession,
  { policy: { sessionHoursMax } }: CheckedAccess,
): SessionRefusal | undefined {
  if (sessionHoursMax === undefined || nowMs < startedAtMs + sessionHoursMax * 3_600_000) return undefined;
  return refuse('session_required', `the account asks to sign in again after ${sessionHoursMax} hours`);
}

function checkSecondFactor(
  { hasSecondFactor, provedAtMs, stepUpMethods }: CheckedSession,
  { policy: { isSecondFactorRequired } }: CheckedAccess,
): SessionRefusal | undefined {
  if (!isSecondFactorRequired) return undefined;
  if (!hasSecondFactor)
    return refuse('second_factor_required', 'the account demands a second factor, and the person has none');
  // The session is older than the second factor: it may be that of somebody who has found out the password.
  if (provedAtMs > 0) return undefined;
  const reason = 'the account demands a second factor, which was never given in this session';
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
    `the operation needs the permission ${operation.permission}, which the role in the account does not have`,
  );
}

function checkProof(
  { operation, nowMs }: SessionAttempt,
  { provedAtMs, stepUpMethods }: CheckedSession,
): SessionRefusal | undefined {
  if (operation?.needsStepUp !== true) return undefined;
  const ageMs = nowMs - provedAtMs;
  // A proof of the future is none: a clock has jumped.
  if (ageMs >= -clockJumpMs && ageMs < stepUpMinutes * 60_000) return undefined;
  const reason = `the last proof is older than ${stepUpMinutes} minutes`;
  return { ...refuse('step_up_required', reason), methods: stepUpMethods };
}

/** Nodes that share a database may differ by this much. */
const clockJumpMs = 60_000;

function refuse(code: ProblemCode, reason: string): SessionRefusal {
  return { ok: false, code, reason };
}
