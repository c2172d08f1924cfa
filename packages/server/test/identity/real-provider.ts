import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { baseUrl } from '@countersign/testing/running-service';
import Provider, { type Context } from 'oidc-provider';

/** How the provider differs from its defaults. */
export interface RealProviderOptions {
  readonly method?: 'client_secret_basic' | 'client_secret_post';
  /** The algorithm that signs ID tokens. */
  readonly algorithm?: 'RS256' | 'PS256' | 'ES256';
  /** Whether the ID token has the claims about the person, or userinfo alone, as the standard has it for the code flow. */
  readonly isEmailInIdToken?: boolean;
  /** What the provider knows about the person. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** A certified implementation of OpenID Connect, with one person who agrees to everything. */
export interface RealProvider {
  readonly issuer: string;
  /** How many times the person has been asked to sign in. */
  readonly logins: () => number;
  /** Opens an authorization request as the person's browser does, and returns where it is sent back to. */
  visit(url: string): Promise<string>;
  close(): Promise<void>;
}

/** Runs the provider for one client, `portal` with the secret `provider secret`. */
export async function runRealProvider(options: RealProviderOptions = {}): Promise<RealProvider> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = quietly(() => new Provider(issuer, configurationOf(options)));
  const callback = provider.callback();
  let logins = 0;
  server.on('request', (request, response) => {
    const isLogin = request.url?.startsWith('/interaction/') === true;
    if (isLogin) logins += 1;
    void (isLogin
      ? provider.interactionFinished(request, response, { login: { accountId: 'subject' } })
      : callback(request, response));
  });
  const cookies = new Map<string, string>();
  return {
    issuer,
    logins: () => logins,
    visit: (url) => follow(url, cookies),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** It warns that it keeps everything in memory, which is what a test wants. */
function quietly<Value>(make: () => Value): Value {
  const { warn } = console;
  console.warn = () => undefined;
  try {
    return make();
  } finally {
    console.warn = warn;
  }
}

function configurationOf({
  method = 'client_secret_basic',
  algorithm = 'RS256',
  isEmailInIdToken = false,
  claims = {},
}: RealProviderOptions): Readonly<Record<string, unknown>> {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  return {
    clients: [
      {
        client_id: 'portal',
        client_secret: 'provider secret',
        redirect_uris: [`${baseUrl}/portal/auth/oidc/callback`],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: method,
        id_token_signed_response_alg: algorithm,
      },
    ],
    clientAuthMethods: [method],
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'PS256', 'ES256'] },
    jwks: {
      keys: [
        { ...rsa, kid: 'rsa', use: 'sig' },
        { ...elliptic, kid: 'elliptic', use: 'sig' },
      ],
    },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: !isEmailInIdToken,
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, ...claims }),
    }),
    loadExistingGrant: agree,
    interactions: { url: (_context: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['a key for tests'] },
  };
}

async function agree({ oidc }: Context): Promise<unknown> {
  const { client, session, provider } = oidc;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope('openid email profile');
  await grant.save();
  return grant;
}

/** Follows redirects with cookies, until they lead to the service. */
async function follow(start: string, cookies: Map<string, string>): Promise<string> {
  let url = start;
  for (let hop = 0; hop < 10; hop += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`The provider answered ${answer.status}: ${await answer.text()}`);
    await answer.body?.cancel();
    url = new URL(location, url).href;
    if (url.startsWith(baseUrl)) return url;
  }
  throw new Error(`The provider leads round in circles: ${url}`);
}
