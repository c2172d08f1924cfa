import type { ProviderProblem, StepUpProblem } from '@countersign/contract';
import { ProblemError } from '@countersign/gate';
import type { Database } from '../../../storage/transaction.ts';
import { identityProviderCookie } from '../cookies.ts';
import { type Endpoint, endpoint, type PeopleAnswer, type Call } from '../endpoint.ts';
import { afterFirstFactor } from '../finish-sign-in.ts';
import {
  type IdentityProvider,
  type PendingProof,
  ProviderRefusal,
  type VouchedPerson,
} from '../identity-provider.ts';
import { earlierEndedLetter } from '../mail/letters.ts';
import { keepOnce, oneTimeMinutes, takeOnce } from '../one-time.ts';
import { findSubject, type PersonRecord } from '../persons.ts';
import { joinVouched } from './joining-vouched.ts';

/** The endpoints for sign-in and fresh proofs through the company's own identity provider. */
export const identityProviderEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: 'oidc/start',
    needs: 'nothing',
    answer: async (call) => {
      const provider = providerOf(call);
      const returnTo = returnPath(call.query);
      return redirectOnFailure(call, signInPage, () => start(call, provider, { returnTo }));
    },
  }),
  endpoint({
    method: 'GET',
    path: 'oidc/step-up',
    needs: 'nothing',
    answer: async (call) => {
      const provider = providerOf(call);
      const { session, nowMs } = call;
      // A browser window opens this, not a script, so a page has to explain.
      if (session === undefined) return redirectTo(call, stepUpPage, 'sign-in-expired');
      const { sessionId, userId } = session;
      const stepUp = { sessionId, userId, begunAtMs: nowMs };
      return redirectOnFailure(call, stepUpPage, () => start(call, provider, { stepUp }));
    },
  }),
  endpoint({
    method: 'GET',
    path: 'oidc/callback',
    needs: 'nothing',
    isReachedFromElsewhere: true,
    answer: async (call) => {
      const provider = providerOf(call);
      const pending = await takePending(call);
      if (pending === undefined) return redirectTo(call, signInPage, 'sign-in-expired');
      const { stepUp } = pending;
      return redirectOnFailure(call, stepUp ? stepUpPage : signInPage, async () => {
        const vouched = await provider.finish(pending, call.query.toString());
        return stepUp
          ? redirectTo(call, stepUpPage, await noteVouchedProof(call.database, vouched, stepUp, call.nowMs))
          : signIn(call, provider, vouched, pending.returnTo);
      });
    },
  }),
];

/** The reason why the browser was sent to the provider. */
interface Errand {
  /** The page to open after a sign-in. */
  readonly returnTo?: string;
  /** The session that needs a fresh proof, instead of a sign-in. Its cookie isn't sent on the way back. */
  readonly stepUp?: AwaitedProof;
}

type Pending = PendingProof & Errand;

const signInPage = '/portal/sign-in';
/** The page that shows the result of a fresh proof in its own window. */
const stepUpPage = '/portal/step-up';

async function start(call: Call, provider: IdentityProvider, errand: Errand): Promise<PeopleAnswer> {
  const { baseUrl, database, nowMs, cookies } = call;
  const purpose = errand.stepUp === undefined ? 'sign-in' : 'step-up';
  const { url, pending } = await provider.begin(`${baseUrl}/portal/auth/oidc/callback`, purpose);
  const kept: Pending = { ...pending, ...errand };
  const token = await keepOnce(database, 'identity-provider', JSON.stringify(kept), nowMs);
  // The provider redirects back from its own site, and a Strict cookie would not be sent then.
  cookies.set(identityProviderCookie, token, oneTimeMinutes['identity-provider'] * 60, 'Lax');
  return { status: 302, location: url };
}

async function takePending({ cookies, database, nowMs }: Call): Promise<Pending | undefined> {
  const token = cookies.read(identityProviderCookie);
  cookies.remove(identityProviderCookie);
  const kept = token && (await takeOnce(database, 'identity-provider', token, nowMs));
  return kept ? (JSON.parse(kept) as Pending) : undefined;
}

async function signIn(
  call: Call,
  provider: IdentityProvider,
  vouched: VouchedPerson,
  returnTo = '/portal/',
): Promise<PeopleAnswer> {
  const joined = await joinVouched(call, vouched);
  if (joined === undefined) return redirectTo(call, signInPage, 'person-unknown');
  const { person, hasEndedEarlier } = joined;
  if (hasEndedEarlier) reportEarlierEnded(call, provider, person);
  const vouchedAtMs = pastTime(vouched.authenticatedAtMs, call.nowMs);
  const next = await afterFirstFactor(call, person, { vouchedAtMs });
  const page = next === 'portal' ? returnTo : signInPage;
  return { status: 302, location: call.baseUrl + (hasEndedEarlier ? earlierEndedPage : page) };
}

/** The page that informs a person that their earlier credentials have ended. */
const earlierEndedPage = '/portal/settings/profile?earlier-sign-in=ended';

/** Also informs the person by mail: they may have set up those credentials themselves. */
function reportEarlierEnded(
  { requestId, nowMs, mailer, serviceName, inBackground, logger, language }: Call,
  { name: providerName }: IdentityProvider,
  person: PersonRecord,
): void {
  logger.warn(
    { requestId, userId: person.userId },
    'earlier sign-in methods of a person were removed, because the identity provider has now verified the email address',
  );
  const letter = earlierEndedLetter(person, { providerName, serviceName, atMs: nowMs, language });
  inBackground(() => mailer.send(letter));
}

/** Runs work, and redirects to a page that explains if the provider fails: a browser follows this, not a script. */
async function redirectOnFailure(
  call: Call,
  page: string,
  work: () => Promise<PeopleAnswer>,
): Promise<PeopleAnswer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) throw error;
    const { requestId, logger } = call;
    // The cause may contain text from the provider, so log only its name and code.
    const cause = error.cause instanceof Error ? nameOf(error.cause) : undefined;
    logger.warn({ requestId, reason: error.message, cause }, 'a proof through the identity provider failed');
    return redirectTo(call, page, error.isUnreachable ? 'provider-unavailable' : 'provider-refused');
  }
}

function nameOf(error: Error): string {
  const parts = [
    error.name,
    'code' in error ? error.code : '',
    'error' in error ? knownError(error.error) : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

/** Returns the provider's code if it is one of RFC 6749 and OpenID Connect; other text is not logged. */
function knownError(code: unknown): string {
  return typeof code === 'string' && knownErrors.has(code) ? code : '';
}

/** RFC 6749 sections 4.1.2.1 and 5.2, RFC 6750 section 3.1, OpenID Connect Core 1.0 section 3.1.2.6. */
const knownErrors: ReadonlySet<string> = new Set([
  'access_denied',
  'account_selection_required',
  'consent_required',
  'insufficient_scope',
  'interaction_required',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'invalid_token',
  'login_required',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
]);

function redirectTo(
  { baseUrl }: Call,
  page: string,
  problem: ProviderProblem | StepUpProblem | undefined,
): PeopleAnswer {
  const query = problem === undefined ? '' : `?problem=${problem}`;
  return { status: 302, location: baseUrl + page + query };
}

function providerOf({ identityProvider }: Call): IdentityProvider {
  if (identityProvider === undefined) throw new ProblemError('not_found');
  return identityProvider;
}

/**
 * Returns the page to open after the sign-in, which must be one of the portal's. A path that begins with
 * `/portal/` names no other host, and with the allowed characters, browsers cannot interpret it in another way.
 */
function returnPath(query: URLSearchParams): string {
  const given = query.getAll('return');
  if (given.length === 0) return '/portal/';
  const [path = ''] = given;
  const isPage = /^\/portal\/[A-Za-z0-9\-._~!$&'()*+,;=:@%/?]*$/.test(path) && path.length <= 2000;
  const leadsElsewhere =
    /\/\/|\/\.{1,2}(?:\/|$|\?)|%2e|%2f|%5c/i.test(path) || path.startsWith('/portal/auth');
  if (given.length > 1 || !isPage || leadsElsewhere)
    throw new ProblemError('query_invalid', { detail: 'return is not a page of the portal' });
  return path;
}

/** A session that waits for a fresh proof from the identity provider. */
interface AwaitedProof {
  readonly sessionId: string;
  readonly userId: string;
  readonly begunAtMs: number;
}

/**
 * Records that the identity provider has just authenticated the session's person. An earlier authentication
 * doesn't count. Returns a problem if there is no proof.
 */
async function noteVouchedProof(
  database: Database,
  { subject, authenticatedAtMs }: VouchedPerson,
  { sessionId, userId, begunAtMs }: AwaitedProof,
  nowMs: number,
): Promise<StepUpProblem | undefined> {
  if ((await findSubject(database, subject))?.userId !== userId) return 'other-person';
  if (authenticatedAtMs === undefined) return 'proof-not-dated';
  const provedAtMs = pastTime(authenticatedAtMs, nowMs);
  if (provedAtMs === undefined || provedAtMs < begunAtMs - clockDifferenceMs) return 'proof-not-fresh';
  const { numUpdatedRows } = await database
    .updateTable('person_sessions')
    .set({ password_proved_at_ms: provedAtMs })
    .where('session_id', '=', sessionId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numUpdatedRows === 1n ? undefined : 'sign-in-expired';
}

/** Converts the provider's time to our clock: never later than now; undefined if it lies in the future. */
function pastTime(timeMs: number | undefined, nowMs: number): number | undefined {
  if (timeMs === undefined || timeMs > nowMs + clockDifferenceMs) return undefined;
  return Math.min(timeMs, nowMs);
}

/** Maximum difference of the provider's clock, which counts whole seconds. */
const clockDifferenceMs = 60_000;
