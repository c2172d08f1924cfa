import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A small OpenID Connect provider. The test decides what it says about the person. */
export interface OpenIdProvider {
  readonly issuer: string;
  /** Additional claims of the next ID token, which override the required ones. */
  claims: Record<string, unknown>;
  /** What userinfo says in addition to the subject; the provider has no userinfo while it is undefined. */
  userInfo: Record<string, unknown> | undefined;
  /** Overrides what it publishes about itself; undefined values are left out. Discovered once by each service. */
  metadata: Record<string, unknown>;
  /** The only way in which the client may authenticate; either if undefined. */
  method: 'basic' | 'post' | undefined;
  /** Whether ID tokens are signed with a key that it does not publish. */
  forgesSignatures: boolean;
  /** Answers an authorization request and returns where the browser is sent back to. */
  authorize(url: string): string;
  /** The form fields of the token requests so far. */
  readonly tokenRequests: URLSearchParams[];
  close(): Promise<void>;
}

/** Runs a provider for one client, `portal` with the secret `provider secret`. */
export async function runOpenIdProvider(): Promise<OpenIdProvider> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const codes = new Map<string, { nonce: string; challenge: string; redirectUri: string }>();
  const tokenRequests: URLSearchParams[] = [];
  let issuer = '';
  const server: Server = createServer((request, response) => {
    const json = (status: number, body: unknown): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.url === '/.well-known/openid-configuration') return json(200, metadata(issuer, provider));
    if (request.url === '/keys')
      return json(200, {
        keys: [{ ...publicKey.export({ format: 'jwk' }), kid: '1', use: 'sig', alg: 'RS256' }],
      });
    if (request.url === '/userinfo') {
      const isRight = request.headers.authorization === 'Bearer a';
      return isRight
        ? json(200, { sub: provider.claims['sub'], ...provider.userInfo })
        : json(401, { error: 'invalid_token' });
    }
    if (request.url?.startsWith('/authorize?')) {
      const Location = provider.authorize(`${issuer}${request.url}`);
      response.writeHead(302, { Location }).end();
      return undefined;
    }
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      const form = new URLSearchParams(text);
      tokenRequests.push(form);
      const code = codes.get(form.get('code') ?? '');
      codes.delete(form.get('code') ?? '');
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      const isRight = code?.challenge === challenge && code.redirectUri === form.get('redirect_uri');
      if (!isClient(request.headers.authorization, form, provider.method))
        return json(401, { error: 'invalid_client' });
      if (!isRight) return json(400, { error: 'invalid_grant' });
      const nowSeconds = Math.floor(Date.now() / 1000);
      const claims = {
        iss: issuer,
        aud: 'portal',
        iat: nowSeconds,
        exp: nowSeconds + 60,
        nonce: code.nonce,
        ...provider.claims,
      };
      const key = provider.forgesSignatures ? other.privateKey : privateKey;
      return json(200, { access_token: 'a', token_type: 'Bearer', id_token: idToken(claims, key) });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: OpenIdProvider = {
    issuer,
    claims: {},
    userInfo: undefined,
    metadata: {},
    method: undefined,
    forgesSignatures: false,
    tokenRequests,
    authorize: (url) => {
      const { searchParams } = new URL(url);
      const code = randomUUID();
      codes.set(code, {
        nonce: searchParams.get('nonce') ?? '',
        challenge: searchParams.get('code_challenge') ?? '',
        redirectUri: searchParams.get('redirect_uri') ?? '',
      });
      const answer = new URLSearchParams({ code, state: searchParams.get('state') ?? '', iss: issuer });
      return `${searchParams.get('redirect_uri')}?${answer}`;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return provider;
}

/** Checks `portal` and its secret (RFC 6749 section 2.3.1: form-encoded, then Basic; or in the form). */
function isClient(
  authorization: string | undefined,
  form: URLSearchParams,
  method: OpenIdProvider['method'],
): boolean {
  const basic = `Basic ${Buffer.from('portal:provider+secret').toString('base64')}`;
  if (authorization !== undefined) return method !== 'post' && authorization === basic;
  return (
    method !== 'basic' &&
    form.get('client_id') === 'portal' &&
    form.get('client_secret') === 'provider secret'
  );
}

function metadata(
  issuer: string,
  { userInfo, metadata: overrides }: OpenIdProvider,
): Record<string, unknown> {
  return {
    issuer,
    ...(userInfo && { userinfo_endpoint: `${issuer}/userinfo` }),
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    ...overrides,
  };
}

function idToken(claims: Record<string, unknown>, key: KeyObject): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'RS256', kid: '1', typ: 'JWT' })}.${part(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}
