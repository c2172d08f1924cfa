import type { messageProfiles, SignatureParameters } from '../../src/on-web/messages.ts';

/** A request or a response, as any library can take it. */
export interface PlainMessage {
  readonly method?: string;
  readonly url?: string;
  readonly status?: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** A component: of a dictionary's member with `key`, of the request that a response answers with `req`. */
export interface CoveredPart {
  readonly name: string;
  readonly key?: string;
  readonly req?: true;
}

/** A message of one profile, and its signature, written down from the profile's source and not derived from our data. */
export interface InteropCase {
  readonly profile: keyof typeof messageProfiles;
  readonly request: PlainMessage;
  /** The signed message, if it is a response. */
  readonly response?: PlainMessage;
  readonly label: string;
  readonly components: readonly CoveredPart[];
  /** Those that `signMessage` covers only on request. */
  readonly others?: readonly string[];
  readonly parameters: readonly (keyof SignatureParameters)[];
  readonly keyid: string;
  readonly tag?: string;
  /** The digest of bodies. */
  readonly digest: 'sha-256' | 'sha-512';
}

const [method, targetUri, authority, path, query] = parts(
  '@method',
  '@target-uri',
  '@authority',
  '@path',
  '@query',
);
const [contentDigest, contentType] = parts('content-digest', 'content-type');
const json = ['Content-Type', 'application/json'] as const;

export const interopCases: readonly InteropCase[] = [
  {
    profile: 'adcp32',
    request: post('https://seller.example.com/adcp/create_media_buy', '{"budget":50000}'),
    label: 'sig1',
    components: [method, targetUri, authority, contentType, contentDigest],
    parameters: ['created', 'expires', 'nonce', 'keyid', 'alg', 'tag'],
    keyid: 'buyer-2026',
    tag: 'adcp/request-signing/v1',
    digest: 'sha-256',
  },
  {
    profile: 'agentPayments2025',
    request: get('https://shop.example.com/products/42'),
    label: 'sig2',
    components: [authority, path],
    parameters: ['created', 'expires', 'keyid', 'alg', 'nonce', 'tag'],
    keyid: 'primary-ed25519',
    tag: 'agent-payer-auth',
    digest: 'sha-256',
  },
  {
    profile: 'countersign',
    request: post('https://api.example.com/v1/payments?dry=1', '{"amount":1}', [
      ['Date', 'Tue, 20 Apr 2021 02:07:55 GMT'],
    ]),
    label: 'sig',
    components: [method, targetUri, contentDigest, part('date')],
    parameters: ['created', 'keyid', 'alg'],
    keyid: '6d1d5f1e-3c5b-4b9a-9d0e-3f1f1b9d3c11',
    digest: 'sha-256',
  },
  {
    profile: 'curl822',
    request: get('https://api.example.com:8443/5001/resource?action=read'),
    label: 'sig1',
    components: [method, authority, path, query],
    parameters: ['created', 'keyid', 'alg'],
    keyid: 'my-key-1',
    digest: 'sha-256',
  },
  {
    profile: 'fapi2Request01',
    request: post('https://bank.example.com/payments?psu=1', '{"amount":"100.00"}', [
      ['Authorization', 'DPoP 2YotnFZFEjr1zCsicMWpAA'],
      ['DPoP', 'eyJ0eXAiOiJkcG9wK2p3dCJ9.e30.c2ln'],
    ]),
    label: 'sig1',
    components: [method, targetUri, part('authorization'), part('dpop'), contentDigest],
    parameters: ['created', 'keyid', 'tag'],
    keyid: 'client-key-7',
    tag: 'fapi-2-request',
    digest: 'sha-256',
  },
  {
    profile: 'fapi2Response01',
    request: post('https://bank.example.com/payments?psu=1', '{"amount":"100.00"}'),
    response: { status: 201, headers: [json], body: '{"id":"p-1","status":"accepted"}' },
    label: 'sig1',
    components: [
      part('@status'),
      contentDigest,
      ofRequest(method),
      ofRequest(targetUri),
      ofRequest(contentDigest),
    ],
    parameters: ['created', 'keyid', 'tag'],
    keyid: 'bank-key-1',
    tag: 'fapi-2-response',
    digest: 'sha-256',
  },
  {
    profile: 'gnap',
    request: post('https://as.example.com/continue/80UPRY5NM33OMUKMKSKU', '{"interact_ref":"4IFWWIKYB"}', [
      ['Authorization', 'GNAP 80UPRY5NM33OMUKMKSKU'],
    ]),
    label: 'sig1',
    components: [method, targetUri, contentDigest, part('authorization')],
    parameters: ['created', 'keyid', 'nonce', 'tag'],
    keyid: 'gnap-key',
    tag: 'gnap',
    digest: 'sha-256',
  },
  {
    profile: 'mastodon45',
    request: post('https://social.example/users/bob/inbox', '{"type":"Follow"}'),
    label: 'sig1',
    components: [method, targetUri, contentDigest],
    parameters: ['created', 'keyid'],
    keyid: 'https://other.example/users/alice#main-key',
    digest: 'sha-256',
  },
  {
    profile: 'openPayments',
    request: post(
      'https://wallet.example.com/alice/incoming-payments',
      '{"walletAddress":"https://b.example"}',
      [
        ['Authorization', 'GNAP OZB8CDFONP219RP1LT0OS9M2PMHKUR64TB8N6BW7'],
        ['Content-Length', '37'],
      ],
    ),
    label: 'sig1',
    components: [
      method,
      targetUri,
      part('authorization'),
      contentDigest,
      part('content-length'),
      contentType,
    ],
    others: ['content-length', 'content-type'],
    parameters: ['keyid', 'created'],
    keyid: 'b1a2c3d4-0000-4000-8000-000000000001',
    digest: 'sha-512',
  },
  {
    profile: 'ucpRequest2026',
    request: post('https://shop.example.com/checkout-sessions?v=2', '{"line_items":[]}', [
      ['Idempotency-Key', '550e8400-e29b-41d4-a716-446655440000'],
      ['UCP-Agent', 'profile="https://platform.example/.well-known/ucp"'],
    ]),
    label: 'sig1',
    components: [
      method,
      authority,
      path,
      query,
      contentDigest,
      contentType,
      part('idempotency-key'),
      part('ucp-agent'),
    ],
    parameters: ['keyid'],
    keyid: 'platform-2026',
    digest: 'sha-256',
  },
  {
    profile: 'ucpResponse2026',
    request: get('https://shop.example.com/checkout-sessions/7'),
    response: { status: 200, headers: [json], body: '{"id":"7"}' },
    label: 'sig1',
    components: [part('@status'), contentDigest, contentType],
    parameters: ['created', 'keyid'],
    keyid: 'shop-2026',
    digest: 'sha-256',
  },
  {
    profile: 'webBotAuth01',
    request: get('https://news.example.com/article?id=9', [
      ['Signature-Agent', 'sig1="https://agent.example/keys", other="https://other.example/keys"'],
    ]),
    label: 'sig1',
    components: [authority, { name: 'signature-agent', key: 'sig1' }],
    parameters: ['created', 'keyid', 'alg', 'expires', 'nonce', 'tag'],
    keyid: 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U',
    tag: 'web-bot-auth',
    digest: 'sha-256',
  },
  {
    profile: 'webBotAuth2025',
    request: get('https://news.example.com/article?id=9', [['Signature-Agent', '"https://agent.example"']]),
    label: 'sig1',
    components: [authority, part('signature-agent')],
    parameters: ['created', 'keyid', 'alg', 'expires', 'nonce', 'tag'],
    keyid: 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U',
    tag: 'web-bot-auth',
    digest: 'sha-256',
  },
];

function part(name: string): CoveredPart {
  return { name };
}

function parts(...names: readonly string[]): readonly CoveredPart[] & Record<0 | 1 | 2 | 3 | 4, CoveredPart> {
  return names.map(part) as unknown as readonly CoveredPart[] & Record<0 | 1 | 2 | 3 | 4, CoveredPart>;
}

function ofRequest({ name }: CoveredPart): CoveredPart {
  return { name, req: true };
}

function get(url: string, headers: PlainMessage['headers'] = []): PlainMessage {
  return { method: 'GET', url, headers: [['Host', new URL(url).host], ...headers], body: '' };
}

function post(url: string, body: string, headers: PlainMessage['headers'] = []): PlainMessage {
  return { method: 'POST', url, headers: [['Host', new URL(url).host], json, ...headers], body };
}
