import type { Configuration as Client } from 'openid-client';
import type { Configuration } from '../configuration/load.ts';
import { sessionHoursMax } from './sessions.ts';
import { emailSchema } from './body-schemas.ts';

/** A company's own identity provider (OpenID Connect Core 1.0), used with the authorization code flow and PKCE. */
export interface IdentityProvider {
  /** The label of the button on the sign-in page. */
  readonly name: string;
  /**
   * Returns where to send the browser, and what to keep until it comes back. For a step-up, the provider has to ask the
   * person again whatever session it has.
   */
  begin(
    redirectUri: string,
    purpose: ProviderPurpose,
  ): Promise<{ readonly url: string; readonly pending: PendingProof }>;
  /**
   * Redeems what the browser came back with.
   *
   * @param answer the query of the callback
   * @throws ProviderRefusal
   */
  finish(pending: PendingProof, answer: string): Promise<VouchedPerson>;
}

export type ProviderPurpose = 'sign-in' | 'step-up';

/** What to keep while the browser is at the provider. */
export interface PendingProof {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** A person whom the provider has identified. */
export interface VouchedPerson {
  /** The issuer and its name for the person, which survives a change of email address. */
  readonly subject: string;
  readonly name: string | undefined;
  readonly email: string;
  /** When the provider last authenticated the person (`auth_time`); undefined when it doesn't say. */
  readonly authenticatedAtMs: number | undefined;
}

/** The provider identified nobody, or cannot be reached. */
export class ProviderRefusal extends Error {
  readonly isUnreachable: boolean;

  constructor(message: string, options: { readonly isUnreachable: boolean; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.isUnreachable = options.isUnreachable;
  }
}

/** Returns the configured provider, if any. It is first contacted when somebody signs in. */
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
      throw new ProviderRefusal('the identity provider could not be reached', { isUnreachable: true, cause });
    });
    return discovered;
  };
  return {
    name: oidcName,
    begin: async (redirectUri, purpose) => begin(await client(), redirectUri, purpose),
    finish: async (pending, answer) => finish(await client(), pending, answer),
  };
}

/** Reads what the provider, if there is one, publishes about itself. Rejects if that fails. */
export async function checkIdentityProvider(configuration: Configuration): Promise<void> {
  await openIdentityProvider(configuration)?.begin('https://localhost/', 'sign-in');
}

const timeoutSeconds = 10;

async function discover(issuer: string, clientId: string, clientSecret: string): Promise<Client> {
  const { allowInsecureRequests, discovery } = await import('openid-client');
  const url = new URL(issuer);
  // The configuration allows http on this machine only.
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
 * `max_age` makes the provider say when it authenticated the person, and ask again after that long (OpenID Connect Core
 * 1.0 section 3.1.2.1). A step-up adds `prompt` for providers that know only that.
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
    throw new ProviderRefusal('the identity provider did not identify anyone', {
      isUnreachable: false,
      cause,
    });
  });
  const claims = tokens.claims();
  const { email: given, email_verified: isVerified, name } = claims ?? ({} as Record<string, unknown>);
  // An unverified address may be somebody else's. So may one with unusual characters once it is in canonical form: the
  // Kelvin sign becomes a k.
  const { data: email } = emailSchema.safeParse(given);
  if (claims === undefined || email === undefined || isVerified !== true)
    throw new ProviderRefusal('the identity provider did not vouch for an email address', {
      isUnreachable: false,
    });
  return {
    subject: `${claims.iss} ${claims.sub}`,
    name: typeof name === 'string' ? name : undefined,
    email,
    authenticatedAtMs: claims.auth_time === undefined ? undefined : claims.auth_time * 1000,
  };
}
