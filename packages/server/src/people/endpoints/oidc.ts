import type { ProviderProblem } from '@countersign/contract';
import { ProblemError } from '../../upstream/upstream.ts';
import { identityProviderCookie, readCookie, removeCookie, setCookie } from '../cookies.ts';
import {
  type Endpoint,
  endpoint,
  type PeopleAnswer,
  type PeopleParts,
  type PeopleRequest,
} from '../endpoint.ts';
import { afterFirstFactor } from '../finish-sign-in.ts';
import { type IdentityProvider, type PendingProof, ProviderRefusal } from '../identity-provider.ts';
import { earlierEndedLetter } from '../mail/letters.ts';
import { keepOnce, takeOnce } from '../one-time.ts';
import type { PersonRecord } from '../persons.ts';
import { beginAttempt } from '../sign-in-attempts.ts';
import { joinVouched } from './joining-vouched.ts';

/** How long somebody may stay at the identity provider. */
const providerMinutes = 10;

/** Sign-in through the company's own identity provider. */
export const identityProviderEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: 'oidc/start',
    needs: 'nothing',
    answer: async (request, _input, parts) => {
      const provider = providerOf(parts);
      await beginAttempt(request, parts, undefined).then((attempt) => attempt.takeBack());
      const returnTo = returnPath(request.query);
      return orBackToSignIn(request, parts, () => start(request, parts, provider, returnTo));
    },
  }),
  endpoint({
    method: 'GET',
    path: 'oidc/callback',
    needs: 'nothing',
    isReachedFromElsewhere: true,
    answer: (request, _input, parts) =>
      orBackToSignIn(request, parts, () => comeBack(request, parts, providerOf(parts))),
  }),
];

interface Pending extends PendingProof {
  readonly returnTo: string;
}

async function start(
  request: PeopleRequest,
  { database }: PeopleParts,
  provider: IdentityProvider,
  returnTo: string,
): Promise<PeopleAnswer> {
  const { baseUrl, nowMs, setCookies } = request;
  const { url, pending } = await provider.begin(`${baseUrl}/portal/auth/oidc/callback`);
  const kept: Pending = { ...pending, returnTo };
  const times = { nowMs, expiresAtMs: nowMs + providerMinutes * 60_000 };
  const token = await keepOnce(database, 'identity-provider', JSON.stringify(kept), times);
  // The provider leads back from its own site: a Strict cookie would not come along.
  setCookies.push(setCookie(identityProviderCookie, token, providerMinutes * 60, 'Lax'));
  return { status: 302, location: url };
}

async function comeBack(
  request: PeopleRequest,
  parts: PeopleParts,
  provider: IdentityProvider,
): Promise<PeopleAnswer> {
  const { setCookies, nowMs, baseUrl } = request;
  const token = readCookie(request.request.headers.cookie, identityProviderCookie);
  setCookies.push(removeCookie(identityProviderCookie));
  const kept = token && (await takeOnce(parts.database, 'identity-provider', token, nowMs));
  if (!kept) return signInPage(request, 'sign-in-expired');
  const pending = JSON.parse(kept) as Pending;
  const vouched = await provider.finish(pending, request.query.toString());
  const joined = await joinVouched(request, parts, vouched);
  if (joined === undefined) return signInPage(request, 'person-unknown');
  const { person, hasEndedEarlier } = joined;
  if (hasEndedEarlier) tellOfEnd(request, parts, provider, person);
  const { body } = (await afterFirstFactor(request, parts, person)) as {
    readonly body: { readonly next: string };
  };
  const page = body.next === 'portal' ? pending.returnTo : '/portal/sign-in';
  return { status: 302, location: baseUrl + (hasEndedEarlier ? earlierEndedPage : page) };
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

/** A browser is on its way here, not a program: what goes wrong, the sign-in page tells. */
async function orBackToSignIn(
  request: PeopleRequest,
  { logger }: PeopleParts,
  work: () => Promise<PeopleAnswer>,
): Promise<PeopleAnswer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) throw error;
    const { requestId } = request;
    // The cause may hold what the provider has sent: its name and code are enough.
    const cause = error.cause instanceof Error ? nameOf(error.cause) : undefined;
    logger.warn(
      { requestId, reason: error.message, cause },
      'a sign-in through the identity provider failed',
    );
    return signInPage(request, error.isUnreachable ? 'provider-unavailable' : 'provider-refused');
  }
}

function nameOf(error: Error): string {
  return 'code' in error ? `${error.name} ${String(error.code)}` : error.name;
}

function signInPage({ baseUrl }: PeopleRequest, problem: ProviderProblem): PeopleAnswer {
  return { status: 302, location: `${baseUrl}/portal/sign-in?problem=${problem}` };
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
