import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import { NetworkWhitelist, parseAddress } from '@countersign/contract/network';
import {
  contentDigest,
  createSigner,
  createVerificationKey,
  MemoryReplayGuard,
} from '@countersign/signature/node';
import { rulesFrom } from '@countersign/signature/profile';
import {
  createAuthorizer,
  createLimits,
  type FailedRequest,
  type HandedOver,
  ordinaryRoute,
  type RegisteredClient,
  type Registry,
  type RequestRecord,
  type RouteRule,
  RouteTable,
  type UnseenBody,
  type Verdict,
} from '../../src/index.ts';

const baseUrl = 'https://shop.example.test';
const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const signer = createSigner({ keyid: 'shop', privateKey: pair.privateKey });
const client: RegisteredClient = {
  clientId: 'shop',
  accountId: 'account_1',
  name: 'Shop',
  status: 'active',
  profile: 'countersign',
  allowExplanations: false,
  keys: [
    {
      ...createVerificationKey(pair.publicKey.export({ type: 'spki', format: 'pem' })),
      keyId: 'key_1',
      fingerprint: 'SHA256:1',
      isPending: false,
      endsAtMs: Date.UTC(2100, 0, 1),
    },
  ],
  network: NetworkWhitelist.fromTexts(['198.51.100.0/24']),
  roles: ['api-user', 'auditor'],
  permissions: new Set(['orders:read', 'orders:write'] as const),
};
const rules: readonly RouteRule[] = [
  {
    ...ordinaryRoute,
    path: '/orders/**',
    methods: ['GET', 'POST'],
    upstream: 'api',
    permission: { kind: 'by method', resource: 'orders' },
  },
  {
    ...ordinaryRoute,
    path: '/users',
    methods: undefined,
    upstream: 'api',
    permission: { kind: 'one', permission: 'users:write' },
  },
  {
    ...ordinaryRoute,
    path: '/watched',
    methods: undefined,
    upstream: 'api',
    permission: undefined,
    mode: 'observe',
  },
];

interface Scene {
  readonly records: RequestRecord[];
  readonly failures: FailedRequest[];
  readonly usedKeys: string[];
  readonly decide: (change?: Partial<Sent>) => Promise<Verdict>;
}

interface Sent {
  readonly method: string;
  readonly target: string;
  /** The request that the client signs and sends. */
  readonly sentBody: string;
  /** The request that the proxy hands over; the sent one by default. */
  readonly body: HandedOver['body'];
  readonly headers: readonly string[];
  readonly host: string;
  readonly source: string;
  readonly isSigned: boolean;
  /** A request that was sent before. */
  readonly again: HandedOver;
}

function scene(
  unseenBody: UnseenBody = 'refuse',
  limits: Partial<Parameters<typeof createLimits>[0]> = {},
): Scene {
  const records: RequestRecord[] = [];
  const failures: FailedRequest[] = [];
  const usedKeys: string[] = [];
  const table = RouteTable.from(rules);
  assert.ok(table instanceof RouteTable);
  const registry = {
    clientById: (id: string) => (id === 'shop' ? client : undefined),
    isReading: () => false,
    isUnread: () => false,
    isFresh: () => true,
  };
  const none = NetworkWhitelist.fromTexts([]);
  const settings = {
    clientRequestsPerMinuteMax: 0,
    clientRequestsBurstMax: 1,
    addressFailuresPerMinuteMax: 0,
    ...limits,
  };
  const authorize = createAuthorizer({
    name: 'test',
    unseenBody,
    clients: {
      registry: registry as unknown as Registry,
      guard: new MemoryReplayGuard({ monotonicMs: () => 0 }),
      rules: rulesFrom({}),
    },
    baseUrls: [baseUrl],
    routingOf: () => ({ table, profiles: undefined }),
    bodyBytesMax: 1000,
    ...createLimits(settings, none, () => 0, undefined),
    observer: {
      answered: (record, { failed, isAccepted, sender }) => {
        records.push(record);
        if (failed) failures.push(failed);
        if (isAccepted) usedKeys.push(sender.key!.keyId);
      },
      unparsable: () => undefined,
      failed: (error) => assert.fail(error as Error),
    },
    problemTypeBase: 'https://api.example.test/docs/errors',
    nowMs: Date.now,
    isStopping: () => false,
  });
  return {
    records,
    failures,
    usedKeys,
    decide: (change = {}) => authorize(change.again ?? handedOver(change)),
  };
}

function handedOver(change: Partial<Sent> = {}): HandedOver {
  const { method = 'GET', target = '/orders/1', sentBody = '', host = 'shop.example.test' } = change;
  const { headers = [], source = '198.51.100.7', isSigned = true } = change;
  const signed: Record<string, string> = isSigned
    ? { ...signer.sign({ method, url: baseUrl + target, body: sentBody }).headers }
    : {};
  return {
    head: {
      method,
      url: target,
      rawHeaders: ['Host', host, ...Object.entries(signed).flat(), ...headers],
      httpVersion: '1.1',
    },
    source: { address: parseAddress(source), text: source },
    body: change.body ?? (sentBody === '' ? 'none' : Buffer.from(sentBody)),
  };
}

function codeOf(verdict: Verdict): string {
  if (verdict.allowed) return 'allowed';
  const document = JSON.parse(Buffer.from(verdict.body).toString()) as { code: string; status: number };
  assert.equal(document.status, verdict.status);
  return document.code;
}

describe('a request that is allowed', () => {
  test('tells the upstream who called, and nothing else', async () => {
    const { decide, records, usedKeys } = scene();
    const verdict = await decide();
    assert.ok(verdict.allowed);
    const headers = Object.fromEntries(verdict.headers);
    assert.match(headers['Countersign-Request-Id']!, /^request_/);
    assert.deepEqual(headers, {
      'Countersign-Request-Id': records[0]!.requestId,
      'Countersign-Client-Id': 'shop',
      'Countersign-Account': 'account_1',
      'Countersign-Roles': 'api-user, auditor',
      'Countersign-Key': 'key_1',
    });
    assert.deepEqual(verdict.answerHeaders, [['Client-Key-Retire-At', 'Fri, 01 Jan 2100 00:00:00 GMT']]);
    assert.deepEqual(usedKeys, ['key_1']);
  });

  test("is logged with the client's address and the authorizer", async () => {
    const { decide, records } = scene();
    await decide({ method: 'POST', sentBody: '{}' });
    const { outcome, status, method, path, sourceAddress, clientId, authorizer, isBodyUnchecked } =
      records[0]!;
    assert.deepEqual(
      [outcome, status, method, path, sourceAddress, clientId, authorizer, isBodyUnchecked],
      ['accepted', 200, 'POST', '/orders/1', '198.51.100.7', 'shop', 'test', undefined],
    );
  });

  test('has a body whose bytes were compared', async () => {
    const { decide } = scene();
    assert.equal(codeOf(await decide({ method: 'POST', sentBody: '{"a":1}' })), 'allowed');
    const changed = { method: 'POST', sentBody: '{"a":1}', body: Buffer.from('{"a":2}') };
    assert.equal(codeOf(await decide(changed)), 'digest_mismatch');
  });
});

describe('a request that is refused', () => {
  const cases: readonly (readonly [string, Partial<Sent> & { readonly isRepeated?: true }, string])[] = [
    ['unsigned', { isSigned: false }, 'signature_missing'],
    ['for a host that is not ours', { host: 'evil.example' }, 'request_malformed'],
    ['with two hosts', { headers: ['Host', 'shop.example.test'] }, 'request_malformed'],
    ['in absolute-form for another place', { target: 'https://evil.example/orders/1' }, 'request_malformed'],
    ['from a network that is not listed', { source: '203.0.113.9' }, 'network_not_allowed'],
    ['without the permission', { target: '/users' }, 'permission_denied'],
    ['for no route', { target: '/admin' }, 'not_found'],
    ['for a method without a route', { method: 'DELETE' }, 'method_not_allowed'],
    ['for a path that servers read differently', { target: '/orders/a%2Fb' }, 'path_ambiguous'],
    [
      'whose Connection names a field of ours',
      { headers: ['Connection', 'close, Countersign-Client-Id'] },
      'request_malformed',
    ],
    ['that upgrades', { headers: ['Upgrade', 'websocket'] }, 'upgrade_refused'],
    ['with too large a body', { method: 'POST', sentBody: 'x'.repeat(1001) }, 'body_too_large'],
    [
      'with a body in another coding',
      { method: 'POST', body: 'unseen', headers: ['Transfer-Encoding', 'gzip'] },
      'request_malformed',
    ],
    ['that came before', { method: 'POST', sentBody: 'once', isRepeated: true }, 'signature_replayed'],
  ];
  for (const [what, { isRepeated, ...sent }, code] of cases) {
    test(`${what}: ${code}, with no identity, and recorded`, async () => {
      const { decide, records, failures, usedKeys } = scene();
      const change = isRepeated ? { again: handedOver(sent) } : sent;
      if (isRepeated) assert.equal(codeOf(await decide(change)), 'allowed');
      const before = records.length;
      const verdict = await decide(change);
      assert.equal(codeOf(verdict), code);
      assert.ok(!verdict.allowed);
      const names = verdict.headers.map(([name]) => name);
      assert.deepEqual(
        names.filter((name) => name.startsWith('Countersign-')),
        [],
      );
      assert.ok(names.includes('Content-Type') && names.includes('Request-Id'));
      assert.deepEqual(
        records.slice(before).map(({ outcome }) => outcome),
        [code],
      );
      assert.equal(records[before]!.sourceAddress, sent.source ?? '198.51.100.7');
      if (records[before]!.path !== '') assert.equal(failures.at(-1)?.code, code);
      // Routes are looked up for proven clients only.
      const isProved = ['not_found', 'method_not_allowed', 'path_ambiguous', 'upgrade_refused'].includes(
        code,
      );
      assert.equal(usedKeys.length, before + (isProved ? 1 : 0));
    });
  }

  test('in absolute-form below the base URL it is the same request', async () => {
    const { decide } = scene();
    const { head, ...rest } = handedOver();
    const absolute = { ...rest, head: { ...head, url: `${baseUrl}/orders/1` } };
    assert.equal(codeOf(await decide({ again: absolute })), 'allowed');
  });

  test('counts against its address', async () => {
    const { decide } = scene('refuse', { addressFailuresPerMinuteMax: 1 });
    assert.equal(codeOf(await decide({ isSigned: false })), 'signature_missing');
    const verdict = await decide();
    assert.equal(codeOf(verdict), 'too_many_failures');
    assert.equal(codeOf(await decide({ source: '198.51.100.8' })), 'allowed');
  });

  test('is told the rate limit of its client', async () => {
    const { decide } = scene('refuse', { clientRequestsPerMinuteMax: 1 });
    const allowed = await decide();
    assert.ok(allowed.allowed);
    assert.ok(allowed.answerHeaders.some(([name]) => name === 'RateLimit'));
    const verdict = await decide({ target: '/orders/2' });
    assert.equal(codeOf(verdict), 'rate_limited');
    assert.ok(!verdict.allowed && verdict.headers.some(([name]) => name === 'Retry-After'));
  });
});

describe('a body that the proxy keeps', () => {
  const kept: readonly (readonly [string, Partial<Sent>])[] = [
    ['announced by its length', { headers: ['Content-Length', '2'], body: 'none' }],
    ['announced as chunked', { headers: ['Transfer-Encoding', 'chunked'], body: 'none' }],
    ['not announced', { body: 'unseen' }],
    ['handed over in part', { headers: ['Content-Length', '3'], body: Buffer.from('{}') }],
  ];
  for (const method of ['POST', 'GET']) {
    for (const [how, change] of kept) {
      const sent = { method, sentBody: '{}', ...change };
      test(`${method}, ${how}: refused, unless the configuration says otherwise`, async () => {
        assert.equal(codeOf(await scene().decide(sent)), 'body_unseen');
        assert.equal(codeOf(await scene().decide({ ...sent, isSigned: false })), 'signature_missing');
        const { decide, records } = scene('unchecked');
        assert.equal(codeOf(await decide(sent)), 'allowed');
        assert.equal(records[0]!.isBodyUnchecked, true);
      });

      test(`${method}, ${how}: its verified digest is handed on for the upstream to compare`, async () => {
        const { decide, records } = scene('digest');
        const verdict = await decide(sent);
        assert.ok(verdict.allowed);
        const digests = verdict.headers.filter(([name]) => name === 'Countersign-Content-Digest');
        assert.deepEqual(digests, [['Countersign-Content-Digest', contentDigest(Buffer.from('{}'))]]);
        assert.equal(records[0]!.isBodyUnchecked, undefined);
      });
    }
  }

  test('that the signature does not cover is refused where it is announced', async () => {
    const change = { method: 'POST', headers: ['Content-Length', '2'], body: 'none' } as const;
    for (const choice of ['refuse', 'digest', 'unchecked'] as const)
      assert.equal(codeOf(await scene(choice).decide(change)), 'components_invalid');
  });

  test('that the signature does not cover fails the comparison where it is not announced', async () => {
    const verdict = await scene('digest').decide({ body: 'unseen' });
    assert.ok(verdict.allowed);
    const digest = Object.fromEntries(verdict.headers)['Countersign-Content-Digest'];
    assert.equal(digest, contentDigest(new Uint8Array(0)));
  });

  test('and announces as too large is refused', async () => {
    const change = {
      method: 'POST',
      sentBody: '{}',
      headers: ['Content-Length', '1001'],
      body: 'none',
    } as const;
    assert.equal(codeOf(await scene('unchecked').decide(change)), 'body_too_large');
  });

  test('spends the signature', async () => {
    const { decide } = scene('digest');
    const again = handedOver({ method: 'POST', sentBody: '{}', body: 'unseen' });
    assert.equal(codeOf(await decide({ again })), 'allowed');
    assert.equal(codeOf(await decide({ again })), 'signature_replayed');
  });

  test('is not refused on a route that only observes, and the refusal is noted', async () => {
    const { decide, records } = scene();
    const verdict = await decide({ method: 'POST', target: '/watched', sentBody: '{}', body: 'unseen' });
    assert.ok(verdict.allowed);
    assert.deepEqual(
      verdict.headers.map(([name]) => name),
      ['Countersign-Request-Id'],
    );
    assert.deepEqual([records[0]!.outcome, records[0]!.isObserved], ['body_unseen', true]);
  });
});
