import type { ClientAuth, Configuration as Client, ServerMetadata } from 'openid-client';
import type { Configuration } from '../../configuration/load.ts';
import { longestSession } from './session-limits.ts';
import { type Claims, preferredEmail, readEmail } from './vouched-email.ts';

/** A company's own identity provider (OpenID Connect Core 1.0), used with the authorization code flow and PKCE. */
export interface IdentityProvider {
  /** The label of the button on the sign-in page. */
  readonly name: string;
  /**
   * Returns where to send the browser, and the state to keep until it comes back. For a step-up, the provider
   * must ask the person again, whatever session it has.
   */
  begin(
    redirectUri: string,
    purpose: ProviderPurpose,
  ): Promise<{ readonly url: string; readonly pending: PendingProof }>;
  /**
   * Redeems the result that the browser brought back.
   *
   * @param answer the query of the callback
   * @throws ProviderRefusal
   */
  finish(pending: PendingProof, answer: string): Promise<VouchedPerson>;
}

export type ProviderPurpose = 'sign-in' | 'step-up';

/** The state to keep while the browser is at the provider. */
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
  /** When the provider last authenticated the person (`auth_time`); undefined if it doesn't say. */
  readonly authenticatedAtMs: number | undefined;
}

/** The provider identified no person, or cannot be reached. */
export class ProviderRefusal extends Error {
  readonly isUnreachable: boolean;

  constructor(message: string, options: { readonly isUnreachable: boolean; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.isUnreachable = options.isUnreachable;
  }
}

/** Returns the configured provider, if any. It is first contacted by a sign-in. */
export function openIdentityProvider({
  oidcIssuer,
  oidcClientId,
  oidcClientSecret,
  oidcName,
  oidcTrustEmailAddresses,
}: Configuration): IdentityProvider | undefined {
  if (oidcIssuer === undefined || oidcClientId === undefined || oidcClientSecret === undefined)
    return undefined;
  let discovered: Promise<Client> | undefined;
  const client = (): Promise<Client> => {
    discovered ??= discover(oidcIssuer, oidcClientId, oidcClientSecret.reveal()).catch((cause: unknown) => {
      discovered = undefined;
      if (cause instanceof ProviderRefusal) throw cause;
      throw new ProviderRefusal('the identity provider could not be reached', { isUnreachable: true, cause });
    });
    return discovered;
  };
  return {
    name: oidcName,
    begin: async (redirectUri, purpose) => begin(await client(), redirectUri, purpose),
    finish: async (pending, answer) => finish(await client(), pending, answer, oidcTrustEmailAddresses),
  };
}

/** Reads the metadata that the provider publishes, if there is a provider. Rejects if that fails. */
export async function checkIdentityProvider(configuration: Configuration): Promise<void> {
  await openIdentityProvider(configuration)?.begin('https://localhost/', 'sign-in');
}

const timeoutSeconds = 10;

async function discover(issuer: string, clientId: string, clientSecret: string): Promise<Client> {
  const {
    allowInsecureRequests,
    ClientSecretBasic,
    ClientSecretPost,
    discovery,
    enableNonRepudiationChecks,
  } = await import('openid-client');
  const url = new URL(issuer);
  const methods = { basic: ClientSecretBasic(clientSecret), post: ClientSecretPost(clientSecret) };
  const authenticate: ClientAuth = (server, ...request) => methods[methodOf(server)](server, ...request);
  const execute = [
    // Also check the signature of ID tokens, not only that they came over TLS.
    enableNonRepudiationChecks,
    // The configuration allows http only on this machine.
    ...(url.protocol === 'http:' ? [allowInsecureRequests] : []),
  ];
  const client = await discovery(url, clientId, undefined, authenticate, {
    execute,
    timeout: timeoutSeconds,
  });
  const server = client.serverMetadata();
  methodOf(server);
  if (server.jwks_uri === undefined)
    throw new ProviderRefusal('the identity provider publishes no keys (jwks_uri)', { isUnreachable: false });
  return client;
}

/**
 * Chooses how this service authenticates when it redeems a code. A provider that does not list its methods
 * supports `client_secret_basic` (OpenID Connect Discovery 1.0 section 3).
 */
function methodOf({
  token_endpoint_auth_methods_supported: supported = ['client_secret_basic'],
}: Readonly<Pick<ServerMetadata, 'token_endpoint_auth_methods_supported'>>): 'basic' | 'post' {
  if (supported.includes('client_secret_basic')) return 'basic';
  if (supported.includes('client_secret_post')) return 'post';
  throw new ProviderRefusal(
    'the identity provider supports neither client_secret_basic nor client_secret_post',
    { isUnreachable: false },
  );
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
 * `max_age` makes the provider say when it authenticated the person, and ask again after that time (OpenID
 * Connect Core 1.0 section 3.1.2.1). A step-up adds `prompt` for providers that only know that.
 */
const freshnessOf: Readonly<Record<ProviderPurpose, Readonly<Record<string, string>>>> = {
  'sign-in': { max_age: String(longestSession.hours * 3600) },
  'step-up': { max_age: '0', prompt: 'login' },
};

async function finish(
  client: Client,
  { redirectUri, state, nonce, codeVerifier }: PendingProof,
  answer: string,
  trustsAddresses: boolean,
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
  const claims = tokens.claims()!;
  const person = await vouchedPerson(claims, trustsAddresses, () =>
    askUserInfo(client, tokens.access_token, claims.sub),
  );
  return {
    ...person,
    subject: `${claims.iss} ${claims.sub}`,
    authenticatedAtMs: claims.auth_time === undefined ? undefined : claims.auth_time * 1000,
  };
}

/**
 * Returns the person's name and address from the ID token, or from userinfo if the ID token has no address or
 * does not say whether it is verified: many providers omit such claims from ID tokens. Rejects an address that
 * either of them calls unverified.
 */
async function vouchedPerson(
  idToken: Claims,
  trustsAddresses: boolean,
  ask: () => Promise<Claims | undefined>,
): Promise<Pick<VouchedPerson, 'name' | 'email'>> {
  const inToken = readEmail(idToken, trustsAddresses);
  const isOpen = inToken.standing === 'missing' || inToken.standing === 'trusted';
  const userInfo = isOpen ? await ask() : undefined;
  const inUserInfo = userInfo && readEmail(userInfo, trustsAddresses);
  const email = preferredEmail(inUserInfo ? [inToken, inUserInfo] : [inToken]);
  if (email !== undefined) return { email, name: (userInfo && nameIn(userInfo)) ?? nameIn(idToken) };
  const further = inUserInfo && 'problem' in inUserInfo ? `; at userinfo, ${inUserInfo.problem}` : '';
  const problem = 'problem' in inToken ? `in the ID token, ${inToken.problem}` : '';
  throw new ProviderRefusal(
    `the identity provider did not vouch for an email address: ${problem}${further}`,
    { isUnreachable: false },
  );
}

function nameIn({ name }: Claims): string | undefined {
  return typeof name === 'string' ? name : undefined;
}

/**
 * Requests further claims (OpenID Connect Core 1.0 section 5.3); undefined if the provider has no endpoint for
 * that.
 */
async function askUserInfo(
  client: Client,
  accessToken: string,
  subject: string,
): Promise<Claims | undefined> {
  if (client.serverMetadata().userinfo_endpoint === undefined) return undefined;
  const { fetchUserInfo } = await import('openid-client');
  try {
    return await fetchUserInfo(client, accessToken, subject);
  } catch (cause) {
    throw new ProviderRefusal('the identity provider did not return the email address from userinfo', {
      isUnreachable: false,
      cause,
    });
  }
}
