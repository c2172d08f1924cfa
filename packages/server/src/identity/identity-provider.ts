import type { Configuration as Client } from 'openid-client';
import type { Configuration } from '../configuration/load.ts';
import { sessionHoursMax } from './sessions.ts';
import { emailSchema } from './texts.ts';

/** A company's own identity provider (OpenID Connect Core 1.0), with the authorization code flow and PKCE. */
export interface IdentityProvider {
  /** What the button on the sign-in page calls it. */
  readonly name: string;
  /**
   * The first half of a sign-in, or of a fresh proof: where to send the browser, and what to keep until it comes back. For a
   * fresh proof the provider is to ask the person again, whatever session it has.
   */
  begin(
    redirectUri: string,
    purpose: ProviderPurpose,
  ): Promise<{ readonly url: string; readonly pending: PendingProof }>;
  /**
   * The second half.
   *
   * @param answer the query that the browser came back with
   * @throws ProviderRefusal when the provider does not vouch for anybody
   */
  finish(pending: PendingProof, answer: string): Promise<VouchedPerson>;
}

/** What the provider is asked for. */
export type ProviderPurpose = 'sign-in' | 'step-up';

/** What is kept while the browser is at the provider. */
export interface PendingProof {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Whom the provider vouches for. */
export interface VouchedPerson {
  /** The issuer and its name for the person, which stays the same when the email address changes. */
  readonly subject: string;
  readonly name: string | undefined;
  readonly email: string;
  /** When the provider has asked the person who it is (`auth_time`); undefined when it does not say. */
  readonly authenticatedAtMs: number | undefined;
}

/** The provider does not vouch for anybody, or cannot be reached. */
export class ProviderRefusal extends Error {
  readonly isUnreachable: boolean;

  constructor(message: string, options: { readonly isUnreachable: boolean; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.isUnreachable = options.isUnreachable;
  }
}

/** Whether the settings name a provider. */
export function hasIdentityProvider(settings: Configuration): boolean {
  const { oidcIssuer, oidcClientId, oidcClientSecret } = settings;
  return oidcIssuer !== undefined && oidcClientId !== undefined && oidcClientSecret !== undefined;
}

/** The provider of the settings; undefined when there is none. Nothing is asked of it before somebody comes. */
export function openIdentityProvider({
  oidcIssuer,
  oidcClientId,
  oidcClientSecret,
  oidcName,
}: Configuration): IdentityProvider | undefined {
  if (oidcIssuer === undefined || oidcClientId === undefined || oidcClientSecret === undefined)
    return undefined;
  let discovered: Promise<Client> | undefined;
  const client = (): Promise<Client> => {
    discovered ??= discover(oidcIssuer, oidcClientId, oidcClientSecret.reveal()).catch((cause: unknown) => {
      discovered = undefined;
      throw new ProviderRefusal('the identity provider could not be asked', { isUnreachable: true, cause });
    });
    return discovered;
  };
  return {
    name: oidcName,
    begin: async (redirectUri, purpose) => begin(await client(), redirectUri, purpose),
    finish: async (pending, answer) => finish(await client(), pending, answer),
  };
}

const timeoutSeconds = 10;

async function discover(issuer: string, clientId: string, clientSecret: string): Promise<Client> {
  const { allowInsecureRequests, discovery } = await import('openid-client');
  const url = new URL(issuer);
  // The settings allow http on this machine only.
  const execute = url.protocol === 'http:' ? [allowInsecureRequests] : [];
  return discovery(url, clientId, clientSecret, undefined, { execute, timeout: timeoutSeconds });
}

async function begin(
  client: Client,
  redirectUri: string,
  purpose: ProviderPurpose,
): Promise<{ readonly url: string; readonly pending: PendingProof }> {
  const {
    buildAuthorizationUrl,
    calculatePKCECodeChallenge,
    randomNonce,
    randomPKCECodeVerifier,
    randomState,
  } = await import('openid-client');
  const pending = {
    redirectUri,
    state: randomState(),
    nonce: randomNonce(),
    codeVerifier: randomPKCECodeVerifier(),
  };
  const url = buildAuthorizationUrl(client, {
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await calculatePKCECodeChallenge(pending.codeVerifier),
    code_challenge_method: 'S256',
    ...freshnessOf[purpose],
  });
  return { url: url.href, pending };
}

/**
 * `max_age` has the provider say when it asked the person, and ask again whom it has not asked for so long (OpenID Connect
 * Core 1.0 section 3.1.2.1). For a fresh proof `prompt` is for those that know only that.
 */
const freshnessOf: Readonly<Record<ProviderPurpose, Readonly<Record<string, string>>>> = {
  'sign-in': { max_age: String(sessionHoursMax * 3600) },
  'step-up': { max_age: '0', prompt: 'login' },
};

async function finish(
  client: Client,
  { redirectUri, state, nonce, codeVerifier }: PendingProof,
  answer: string,
): Promise<VouchedPerson> {
  const { authorizationCodeGrant } = await import('openid-client');
  const tokens = await authorizationCodeGrant(client, new URL(`${redirectUri}?${answer}`), {
    pkceCodeVerifier: codeVerifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  }).catch((cause: unknown) => {
    throw new ProviderRefusal('the identity provider has not vouched for anybody', {
      isUnreachable: false,
      cause,
    });
  });
  const claims = tokens.claims();
  const { email: given, email_verified: isVerified, name } = claims ?? ({} as Record<string, unknown>);
  // An address that nobody has checked may be that of somebody else. One with other letters than those of people's addresses
  // here may become that of somebody else when it is brought into the form in which those are kept (K for the Kelvin sign).
  const { data: email } = emailSchema.safeParse(given);
  if (claims === undefined || email === undefined || isVerified !== true)
    throw new ProviderRefusal('the identity provider does not vouch for an email address', {
      isUnreachable: false,
    });
  return {
    subject: `${claims.iss} ${claims.sub}`,
    name: typeof name === 'string' ? name : undefined,
    email,
    authenticatedAtMs: claims.auth_time === undefined ? undefined : claims.auth_time * 1000,
  };
}
