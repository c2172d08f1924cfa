import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, sign as signBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  type BoundPart,
  defineProfile,
  type DefinedProfile,
  MemoryMessageGuard,
  type MessageAlgorithm,
  messageProfiles,
  type RequestMessage,
  verifyingKey,
  verifyMessage,
} from '@countersign/signature/messages/node';
import * as web from '../src/index.ts';
import * as node from '../src/node.ts';
import { adapters } from './adapters.ts';
import { headerOf, type Lab, openLab } from './lab.ts';

const api = 'https://api.example.test';
const pairs: Readonly<Record<string, { readonly publicKey: KeyObject; readonly privateKey: KeyObject }>> = {
  ed25519: generateKeyPairSync('ed25519'),
  'ecdsa-p256-sha256': generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'ecdsa-p384-sha384': generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
};
const pairOf = (algorithm: MessageAlgorithm): (typeof pairs)[string] => pairs[algorithm] ?? pairs['rsa']!;
const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' });
const profiles = Object.values(messageProfiles)
  .filter(({ message, id }) => message === 'request' && id !== 'countersign')
  .map((profile) => defineProfile(profile));
const named = (id: string): DefinedProfile => profiles.find(({ profile }) => profile.id === id)!;

/** Headers that some profile covers. */
const headers = new Map([
  ['authorization', 'Bearer 2YotnFZFEjr1zCsicMWpAA'],
  ['content-type', 'application/json'],
  ['idempotency-key', '"8e03978e"'],
  ['signature-agent', 'sig="https://agent.example/keys.json"'],
]);
const header = (name: string): string | undefined => headers.get(name);
const payment = { method: 'POST', url: `${api}/v1/payments?currency=EUR`, body: '{"amount":1}', header };

function messageOf(signed: node.SignedAttempt): RequestMessage {
  const all = new Map([...headers].map(([name, value]) => [name.toLowerCase(), value]));
  for (const [name, value] of Object.entries(signed.headers)) all.set(name.toLowerCase(), value);
  return { method: signed.method, targetUri: signed.url, headers: [...all], body: signed.body };
}

async function outcomeOf(
  message: RequestMessage,
  profile: DefinedProfile,
  algorithm: MessageAlgorithm,
  guard = new MemoryMessageGuard(),
): Promise<string> {
  const key = verifyingKey(pairOf(algorithm).publicKey, { algorithm });
  const result = await verifyMessage(message, {
    profile,
    keysFor: ({ keyid }) => (keyid === 'key-1' || keyid === undefined ? key : undefined),
    guard,
  });
  return result.ok ? 'accepted' : result.code;
}

/** What someone on the way could change. */
const changes: Readonly<Partial<Record<BoundPart, Partial<RequestMessage>>>> = {
  method: { method: 'PUT' },
  authority: { targetUri: payment.url.replace('api.', 'other.') },
  path: { targetUri: payment.url.replace('payments', 'refunds') },
  query: { targetUri: payment.url.replace('EUR', 'USD') },
  body: { body: new TextEncoder().encode('{"amount":2}') },
};

type Given = web.ProfileOptions & { readonly privateKey: KeyObject };

for (const [runtime, create] of [
  ['Node', (options: Given) => node.createRequestSigner(options)],
  [
    'Web Crypto',
    ({ privateKey, ...options }: Given) =>
      web.createRequestSigner({ ...options, privateKey: pemOf(privateKey) }),
  ],
] as const) {
  describe(`a client by another profile on ${runtime}`, () => {
    for (const defined of profiles) {
      const { id, algorithms } = defined.profile;
      for (const algorithm of algorithms.filter((name) => name !== 'hmac-sha256')) {
        it(`signs by ${id} with ${algorithm} what nobody can change`, async () => {
          const { privateKey } = pairOf(algorithm);
          const signer = create({ profile: id, clientId: 'key-1', privateKey, algorithm });
          await signer.ready();
          const message = messageOf(await signer.sign(payment));
          for (const part of defined.binds)
            assert.notEqual(
              await outcomeOf({ ...message, ...changes[part] }, defined, algorithm),
              'accepted',
              part,
            );
          assert.equal(await outcomeOf(message, defined, algorithm), 'accepted');
          const read = messageOf(await signer.sign({ method: 'get', url: `${api}/`, header }));
          assert.equal(await outcomeOf(read, defined, algorithm), 'accepted');
        });
      }
      it(`signs equal requests by ${id} differently`, async () => {
        const [algorithm] = algorithms as [MessageAlgorithm];
        const { privateKey } = pairOf(algorithm);
        const signer = create({ profile: id, clientId: 'key-1', privateKey, algorithm });
        const guard = new MemoryMessageGuard();
        const url = `${api}/equal/${runtime.length}/${id}`;
        const signed = await Promise.all(Array.from({ length: 5 }, () => signer.sign({ ...payment, url })));
        assert.equal(new Set(signed.map(({ signatureBase }) => signatureBase)).size, 5);
        for (const one of signed)
          assert.equal(await outcomeOf(messageOf(one), defined, algorithm, guard), 'accepted');
      });
    }

    it('signs with the only RSA algorithm of a profile, and says when there are several', async () => {
      const { privateKey } = pairs['rsa']!;
      const by = (profile: string): node.RequestSigner => create({ profile, clientId: 'key-1', privateKey });
      const fapi = await by('fapi-2-request-01').sign(payment);
      assert.equal(await outcomeOf(messageOf(fapi), named('fapi-2-request-01'), 'PS256'), 'accepted');
      const mastodon = await by('mastodon-4.5').sign(payment);
      assert.equal(
        await outcomeOf(messageOf(mastodon), named('mastodon-4.5'), 'rsa-v1_5-sha256'),
        'accepted',
      );
      await assert.rejects(by('gnap-rfc9635').ready(), {
        code: 'private_key_invalid',
        message: /rsa-v1_5-sha256 or rsa-pss-sha512 or PS256: set algorithm/,
      });
      await assert.rejects(by('curl-8.22').sign(payment), {
        code: 'private_key_invalid',
        message: /curl-8\.22 is signed with ed25519 or hmac-sha256, and this key is for rsa-v1_5-sha256/,
      });
    });

    it('is refused an algorithm that the key does not have', async () => {
      const { privateKey } = pairs['ed25519']!;
      const options = { profile: 'gnap-rfc9635', clientId: 'key-1', privateKey, algorithm: 'PS256' } as const;
      await assert.rejects(create(options).ready(), {
        code: 'private_key_invalid',
        message: /signs with ed25519, not with PS256/,
      });
    });
  });
}

describe('a request by another profile', () => {
  const signerBy = (
    options: Partial<web.ProfileOptions & Pick<node.SignerOptions, 'now' | 'sharedFolder'>>,
  ): node.RequestSigner =>
    node.createRequestSigner({
      profile: 'fapi-2-request-01',
      clientId: 'key-1',
      privateKey: pairs['ed25519']!.privateKey,
      ...options,
    });

  it('that lacks a header which must be covered says which, before it is sent', async () => {
    const sent: string[] = [];
    const fetch = (url: string): Promise<Response> => {
      sent.push(url);
      return Promise.resolve(new Response());
    };
    const cases: readonly (readonly [profile: string, body: string | undefined, says: RegExp])[] = [
      ['fapi-2-request-01', undefined, /by fapi-2-request-01 covers Authorization, which this request lacks/],
      ['ucp-request-2026-08', undefined, /covers Idempotency-Key, which this request lacks/],
      ['ucp-request-2026-08', '{}', /covers Content-Type/],
      ['web-bot-auth-01', undefined, /covers Signature-Agent,.*as an agent/],
    ];
    for (const [profile, body, message] of cases) {
      const signing = node.signingFetch(signerBy({ profile }), { fetch });
      const bytes = body === undefined ? null : new TextEncoder().encode(body);
      await assert.rejects(signing(`${api}/`, { method: 'POST', body: bytes }), {
        code: 'request_invalid',
        message,
      });
    }
    assert.deepEqual(sent, []);
  });

  it('is refused profiles that nobody has, for responses or of no library', async () => {
    const ready = (profile: unknown): Promise<void> => signerBy({ profile: profile as string }).ready();
    await assert.rejects(ready('fapi-3'), {
      code: 'request_invalid',
      message: /no profile "fapi-3".*gnap-rfc9635/,
    });
    await assert.rejects(ready('fapi-2-response-01'), { message: /for responses/ });
    for (const profile of [messageProfiles.gnap, {}, null, 7])
      await assert.rejects(ready(profile), { message: /a name, or what defineProfile returned/ });
  });

  it('is refused options that contradict each other', () => {
    const { privateKey } = pairs['ed25519']!;
    const create = (options: object): node.RequestSigner =>
      node.createRequestSigner({ privateKey, ...options } as node.SignerOptions);
    const agent = { signatureAgent: 'https://agent.example/keys.json' };
    assert.throws(() => create({ ...agent, profile: 'web-bot-auth-01' }), { code: 'request_invalid' });
    assert.throws(() => create({ clientId: 'key-1', tag: 'gnap' }), { message: /are for a profile/ });
    assert.throws(() => create({ profile: 'countersign', clientId: 'a' }), { message: /leave it out/ });
    assert.throws(() => create({ profile: 'gnap-rfc9635' }), { code: 'keyid_invalid' });
    assert.throws(() => create({ profile: 'gnap-rfc9635', clientId: 'a b' }), { code: 'keyid_invalid' });
    assert.throws(() => create({ profile: 'x', clientId: 'a', alsoCover: 'date' }), {
      message: /alsoCover must be a list/,
    });
  });

  it('covers more where the caller says so', async () => {
    const signer = signerBy({ profile: 'curl-8.22', alsoCover: ['content-digest', 'content-type'] });
    const message = messageOf(await signer.sign({ ...payment, url: `${api}/more` }));
    const changed = { ...message, body: new TextEncoder().encode('{"amount":2}') };
    assert.equal(await outcomeOf(changed, named('curl-8.22'), 'ed25519'), 'digest_mismatch');
    assert.equal(await outcomeOf(message, named('curl-8.22'), 'ed25519'), 'accepted');
    await assert.rejects(signer.sign({ method: 'GET', url: api }), { message: /covers Content-Type/ });
    await assert.rejects(signerBy({ alsoCover: ['Date'] }).ready(), {
      message: /alsoCover names no component/,
    });
    const strict = {
      ...messageProfiles.gnap,
      components: { ...messageProfiles.gnap.components, others: 'none' },
    } as const;
    const closed = signerBy({ profile: defineProfile(strict), alsoCover: ['content-type'] });
    await assert.rejects(closed.sign(payment), { code: 'request_invalid', message: /must not be covered/ });
  });

  it("has the tag that the caller chooses of the profile's", async () => {
    const tagged = signerBy({ profile: 'agent-payments-2025', tag: 'agent-payer-auth' });
    const signed = await tagged.sign(payment);
    assert.match(signed.headers['Signature-Input'], /;tag="agent-payer-auth"/);
    await assert.rejects(signerBy({ tag: 'other' }).sign(payment), { code: 'request_invalid' });
  });

  it('follows a profile of your own', async () => {
    const own = defineProfile({
      id: 'own-1',
      title: 'Our own',
      message: 'request',
      components: { required: [{ identifier: '@method' }, { identifier: '@target-uri' }], others: 'none' },
      parameters: { created: 'required', keyid: 'required' },
      algorithms: ['ed25519'],
      time: { maxAgeSeconds: 60, maxFutureSeconds: 4 },
      replay: 'base',
    });
    let nowMs = Date.now();
    const signer = signerBy({ profile: own, now: () => nowMs });
    const request = { method: 'GET', url: `${api}/own`, header };
    const signed = [await signer.sign(request), await signer.sign(request), await signer.sign(request)];
    for (const one of signed) assert.equal(await outcomeOf(messageOf(one), own, 'ed25519'), 'accepted');
    // No verifier would accept a fourth one now.
    await assert.rejects(signer.sign(request, { waitMsMax: 0 }), { code: 'too_many_equal_requests' });
    nowMs += 1000;
    await signer.sign(request);
  });

  it('has a second that no other process has used, where a folder records them', async () => {
    const sharedFolder = mkdtempSync(join(tmpdir(), 'countersign-profile-'));
    try {
      const nowMs = Date.now();
      const now = (): number => nowMs;
      const shared = { profile: 'curl-8.22', sharedFolder, now };
      const first = await signerBy(shared).sign({ ...payment, url: `${api}/shared` });
      const [file] = readdirSync(sharedFolder);
      assert.ok(file!.endsWith(`.${first.created}`));
      // As if another process had taken the next one.
      writeFileSync(join(sharedFolder, `${file!.slice(0, 33)}${first.created + 1}`), '');
      const second = await signerBy(shared).sign({ ...payment, url: `${api}/shared` });
      assert.equal(second.created, first.created + 2);
    } finally {
      rmSync(sharedFolder, { recursive: true });
    }
  });

  it('that could be repeated forever expires soon', async () => {
    const { headers: lines, created } = await signerBy({ profile: 'ucp-request-2026-08' }).sign(payment);
    assert.match(lines['Signature-Input'], new RegExp(`;created=${created};expires=${created + 300};`));
  });

  it("keeps the caller's Content-Digest where the profile has none", async () => {
    const digest = 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:';
    const callers = (name: string): string | undefined => (name === 'content-digest' ? digest : header(name));
    const curl = await signerBy({ profile: 'curl-8.22' }).sign({ ...payment, header: callers });
    assert.equal(curl.headers['Content-Digest'], digest);
    const fapi = await signerBy({}).sign({ ...payment, header: callers });
    assert.notEqual(fapi.headers['Content-Digest'], digest);
  });
});

describe('the key of another profile', () => {
  it('is followed in its file, also by RSASSA-PSS', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-profile-'));
    try {
      const privateKeyFile = join(folder, 'private.pem');
      writeFileSync(privateKeyFile, pemOf(pairs['rsa']!.privateKey));
      const options = {
        profile: 'gnap-rfc9635',
        clientId: 'key-1',
        algorithm: 'PS256',
        privateKeyFile,
      } as const;
      const signer = node.createRequestSigner(options);
      const first = messageOf(await signer.sign(payment));
      assert.equal(await outcomeOf(first, named('gnap-rfc9635'), 'PS256'), 'accepted');
      const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
      writeFileSync(privateKeyFile, pemOf(other.privateKey));
      const key = verifyingKey(other.publicKey, { algorithm: 'PS256' });
      const isByOther = async (): Promise<boolean> =>
        (
          await verifyMessage(messageOf(await signer.sign(payment)), {
            profile: named('gnap-rfc9635'),
            keysFor: () => key,
            guard: new MemoryMessageGuard(),
          })
        ).ok;
      // The file is looked at twice a second.
      while (!(await isByOther()));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is a function or a source that says its algorithm, or the option does', async () => {
    const { privateKey, publicKey } = pairs['ed25519']!;
    const sign = async (bytes: Uint8Array): Promise<Uint8Array> => signBytes(undefined, bytes, privateKey);
    const says = Object.assign(sign.bind(undefined), { algorithm: async () => 'ed25519' as const });
    const store: node.KeySource = {
      keyId: 'store',
      sign,
      publicKey: async () => publicKey.export({ type: 'spki', format: 'pem' }),
    };
    const base = { profile: 'gnap-rfc9635', clientId: 'key-1' } as const;
    for (const create of [node.createRequestSigner, web.createRequestSigner])
      for (const options of [
        { ...base, privateKey: says },
        { ...base, privateKey: sign, algorithm: 'ed25519' },
        { ...base, privateKey: store, algorithm: 'ed25519' },
      ] as const) {
        const message = messageOf(await create(options).sign(payment));
        assert.equal(await outcomeOf(message, named('gnap-rfc9635'), 'ed25519'), 'accepted');
      }
    const rsa = async (bytes: Uint8Array): Promise<Uint8Array> =>
      signBytes('sha256', bytes, { key: pairs['rsa']!.privateKey, padding: 6, saltLength: 32 });
    const signer = node.createRequestSigner({ ...base, privateKey: rsa, algorithm: 'PS256' });
    const message = messageOf(await signer.sign(payment));
    assert.equal(await outcomeOf(message, named('gnap-rfc9635'), 'PS256'), 'accepted');
  });

  it('may be one that is for RSASSA-PSS alone', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
    const key = verifyingKey(publicKey.export({ type: 'spki', format: 'pem' }), {
      algorithm: 'PS256',
    });
    for (const given of [privateKey, pemOf(privateKey)]) {
      const signer = node.createRequestSigner({
        profile: 'fapi-2-request-01',
        clientId: 'key-1',
        privateKey: given,
      });
      const { ok } = await verifyMessage(messageOf(await signer.sign(payment)), {
        profile: named('fapi-2-request-01'),
        keysFor: () => key,
        guard: new MemoryMessageGuard(),
      });
      assert.ok(ok);
    }
  });
});

for (const adapter of adapters)
  describe(`${adapter.name} by another profile`, () => {
    let lab: Lab;
    before(async () => {
      lab = await openLab();
      lab.respond = () => ({ status: 200 });
    });
    after(() => lab.close());
    beforeEach(() => (lab.received.length = 0));

    const options = {
      profile: 'ucp-request-2026-08',
      clientId: 'key-1',
      privateKey: pairs['ed25519']!.privateKey,
      idempotencyKeys: true,
    } as const;
    const outcomes = (): Promise<readonly string[]> =>
      Promise.all(
        lab.received.map(({ method, url, headers: lines, body }) =>
          outcomeOf({ method, targetUri: url, headers: lines, body }, named(options.profile), 'ed25519'),
        ),
      );

    it('covers the headers that it sends, and the key that it adds', async () => {
      const send = adapter.open(node.createRequestSigner(options), lab);
      const json = { 'Content-Type': 'application/json', 'UCP-Agent': 'profile="https://a.example/"' };
      await send({ method: 'POST', url: `${api}/checkout?a=1`, headers: json, body: '{"amount":1}' });
      await send({
        method: 'PUT',
        url: `${api}/checkout`,
        headers: { ...json, 'Idempotency-Key': '"7"' },
        body: '{}',
      });
      await send({ url: `${api}/checkout` });
      assert.deepEqual(await outcomes(), ['accepted', 'accepted', 'accepted']);
      assert.match(headerOf(lab.received[0]!, 'Signature-Input')!, /"idempotency-key" "ucp-agent"/);
      assert.match(headerOf(lab.received[0]!, 'Idempotency-Key')!, /^[0-9a-f-]{36}$/);
    });

    it('learns nothing from what any site answers', async () => {
      const signer = node.createRequestSigner({ ...options, throwsRefusals: false });
      const send = adapter.open(signer, lab);
      lab.respond = () => ({
        status: 401,
        headers: { 'Content-Type': 'application/problem+json' },
        body: JSON.stringify({
          type: 'https://evil.example/docs/errors#created_expired',
          code: 'created_expired',
          status: 401,
          serverTime: new Date(Date.now() + 80_000_000).toISOString(),
        }),
      });
      await send({ url: `${api}/hostile` }).catch(() => undefined);
      await send({ url: `${api}/after` }).catch(() => undefined);
      assert.deepEqual(await outcomes(), ['accepted', 'accepted']);
    });
  });
