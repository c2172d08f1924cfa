import type { ProviderProblem, StepUpProblem } from '@countersign/contract';
import { ProblemError } from '@countersign/gate';
import { identityProviderCookie, readCookie, removeCookie, setCookie } from '../cookies.ts';
import {
  type Endpoint,
  endpoint,
  type PeopleAnswer,
  type PeopleParts,
  type PeopleRequest,
} from '../endpoint.ts';
import { afterFirstFactor } from '../finish-sign-in.ts';
import {
  type IdentityProvider,
  type PendingProof,
  ProviderRefusal,
  type VouchedPerson,
} from '../identity-provider.ts';
import { earlierEndedLetter } from '../mail/letters.ts';
import { keepOnce, takeOnce } from '../one-time.ts';
import type { PersonRecord } from '../persons.ts';
import { beginAttempt } from '../sign-in-attempts.ts';
import { joinVouched } from './joining-vouched.ts';
import { type AwaitedProof, noteVouchedProof, pastTime } from './vouched-proof.ts';

/** How long somebody may stay at the identity provider. */
const providerMinutes = 10;

/** Sign-in through the company's own identity provider, and fresh proofs by it. */
export const identityProviderEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: 'oidc/start',
    needs: 'nothing',
    answer: async (request, _input, parts) => {
      const provider = providerOf(parts);
      await beginAttempt(request, parts, undefined).then((attempt) => attempt.takeBack());
      const returnTo = returnPath(request.query);
      return orTell(request, parts, signInPage, () => start(request, parts, provider, { returnTo }));
    },
  }),
  endpoint({
    method: 'GET',
    path: 'oidc/step-up',
    needs: 'nothing',
    answer: async (request, _input, parts) => {
      const provider = providerOf(parts);
      const { session, nowMs } = request;
      // A page is opened here, not read by a program: that there is no session, it tells.
      if (session === undefined) return led(request, stepUpPage, 'sign-in-expired');
      const { sessionId, userId } = session;
      const stepUp = { sessionId, userId, begunAtMs: nowMs };
      return orTell(request, parts, stepUpPage, () => start(request, parts, provider, { stepUp }));
    },
  }),
  endpoint({
    method: 'GET',
    path: 'oidc/callback',
    needs: 'nothing',
    isReachedFromElsewhere: true,
    answer: async (request, _input, parts) => {
      const provider = providerOf(parts);
      const pending = await takePending(request, parts);
      if (pending === undefined) return led(request, signInPage, 'sign-in-expired');
      const { stepUp } = pending;
      return orTell(request, parts, stepUp ? stepUpPage : signInPage, async () => {
        const vouched = await provider.finish(pending, request.query.toString());
        return stepUp
          ? led(request, stepUpPage, await noteVouchedProof(parts.database, vouched, stepUp, request.nowMs))
          : signIn(request, parts, provider, vouched, pending.returnTo);
      });
    },
  }),
];

/** What the browser was sent to the provider for. */
interface Errand {
  /** The page to go to after a sign-in. */
  readonly returnTo?: string;
  /** Instead of a sign-in, a fresh proof for this session: its cookie does not come along on the way back. */
  readonly stepUp?: AwaitedProof;
}

type Pending = PendingProof & Errand;

const signInPage = '/portal/sign-in';
/** The page that tells how a fresh proof ended, in a window of its own. */
const stepUpPage = '/portal/step-up';

async function start(
  request: PeopleRequest,
  { database }: PeopleParts,
  provider: IdentityProvider,
  errand: Errand,
): Promise<PeopleAnswer> {
  const { baseUrl, nowMs, setCookies } = request;
  const purpose = errand.stepUp === undefined ? 'sign-in' : 'step-up';
  const { url, pending } = await provider.begin(`${baseUrl}/portal/auth/oidc/callback`, purpose);
  const kept: Pending = { ...pending, ...errand };
  const times = { nowMs, expiresAtMs: nowMs + providerMinutes * 60_000 };
  const token = await keepOnce(database, 'identity-provider', JSON.stringify(kept), times);
  // The provider leads back from its own site: a Strict cookie would not come along.
  setCookies.push(setCookie(identityProviderCookie, token, providerMinutes * 60, 'Lax'));
  return { status: 302, location: url };
}

async function takePending(
  { request, setCookies, nowMs }: PeopleRequest,
  { database }: PeopleParts,
): Promise<Pending | undefined> {
  const token = readCookie(request.headers.cookie, identityProviderCookie);
  setCookies.push(removeCookie(identityProviderCookie));
  const kept = token && (await takeOnce(database, 'identity-provider', token, nowMs));
  return kept ? (JSON.parse(kept) as Pending) : undefined;
}

async function signIn(
  request: PeopleRequest,
  parts: PeopleParts,
  provider: IdentityProvider,
  vouched: VouchedPerson,
  returnTo = '/portal/',
): Promise<PeopleAnswer> {
  const joined = await joinVouched(request, parts, vouched);
  if (joined === undefined) return led(request, signInPage, 'person-unknown');
  const { person, hasEndedEarlier } = joined;
  if (hasEndedEarlier) tellOfEnd(request, parts, provider, person);
  const vouchedAtMs = pastTime(vouched.authenticatedAtMs, request.nowMs);
  const { body } = (await afterFirstFactor(request, parts, person, { vouchedAtMs })) as {
    readonly body: { readonly next: string };
  };
  const page = body.next === 'portal' ? returnTo : signInPage;
  return { status: 302, location: request.baseUrl + (hasEndedEarlier ? earlierEndedPage : page) };
}

/** The page that tells a person that what could sign in as it before has ended. */
const earlierEndedPage = '/portal/settings/profile?earlier-sign-in=ended';

/** By letter, besides the page: who had set up what has ended may have been the person itself. */
function tellOfEnd(
  { requestId, nowMs }: PeopleRequest,
  { mailer, serviceName, inBackground, logger }: PeopleParts,
  { name: providerName }: IdentityProvider,
  { userId, name, email }: PersonRecord,
): void {
  logger.warn(
    { requestId, userId },
    'what could sign in as a person before its email was proved has ended, because the identity provider vouches for it now',
  );
  const letter = earlierEndedLetter({ email, name, providerName, serviceName, atMs: nowMs });
  inBackground(() => mailer.send(letter));
}

/** A browser is on its way here, not a program: what goes wrong, a page tells. */
async function orTell(
  request: PeopleRequest,
  { logger }: PeopleParts,
  page: string,
  work: () => Promise<PeopleAnswer>,
): Promise<PeopleAnswer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) throw error;
    const { requestId } = request;
    // The cause may hold what the provider has sent: its name and code are enough.
    const cause = error.cause instanceof Error ? nameOf(error.cause) : undefined;
    logger.warn({ requestId, reason: error.message, cause }, 'a proof through the identity provider failed');
    return led(request, page, error.isUnreachable ? 'provider-unavailable' : 'provider-refused');
  }
}

function nameOf(error: Error): string {
  return 'code' in error ? `${error.name} ${String(error.code)}` : error.name;
}

function led(
  { baseUrl }: PeopleRequest,
  page: string,
  problem: ProviderProblem | StepUpProblem | undefined,
): PeopleAnswer {
  const query = problem === undefined ? '' : `?problem=${problem}`;
  return { status: 302, location: baseUrl + page + query };
}

function providerOf({ identityProvider }: PeopleParts): IdentityProvider {
  if (identityProvider === undefined) throw new ProblemError('not_found');
  return identityProvider;
}

/**
 * Where to go after the sign-in: a page of the portal, and nothing else. What begins with one slash and `portal/` cannot
 * name another host; the rest are characters of a path and a query, so that no browser reads it in another way.
 */
function returnPath(query: URLSearchParams): string {
  const given = query.getAll('return');
  if (given.length === 0) return '/portal/';
  const [path = ''] = given;
  const isPage = /^\/portal\/[A-Za-z0-9\-._~!$&'()*+,;=:@%/?]*$/.test(path) && path.length <= 2000;
  const leadsElsewhere =
    /\/\/|\/\.{1,2}(?:\/|$|\?)|%2e|%2f|%5c/i.test(path) || path.startsWith('/portal/auth');
  if (given.length > 1 || !isPage || leadsElsewhere)
    throw new ProblemError('query_invalid', { detail: 'return is no page of the portal' });
  return path;
}
