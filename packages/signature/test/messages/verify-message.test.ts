import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  createSignature,
  defineProfile,
  type HttpMessage,
  MemoryMessageGuard,
  type MessageProfile,
  messageProfiles,
  type MessageVerification,
  type MessageVerifyingKey,
  type RequestMessage,
  signingKey,
  signMessage,
  verifyingKey,
  verifyMessage,
} from '../../src/on-node/messages.ts';

const pair = generateKeyPairSync('ed25519');
const signing = signingKey(pair.privateKey);
const verifying = verifyingKey(pair.publicKey);
const now = 1_790_000_000;

const plain: MessageProfile = {
  id: 'plain',
  title: 'For tests',
  message: 'request',
  components: {
    required: [
      { identifier: '@method' },
      { identifier: '@target-uri' },
      { identifier: 'content-digest', when: 'body' },
    ],
    others: 'any',
  },
  parameters: { created: 'required', keyid: 'allowed', alg: 'allowed', nonce: 'allowed', tag: 'allowed' },
  algorithms: ['ed25519'],
  time: { maxAgeSeconds: 300, maxFutureSeconds: 60 },
  replay: 'base',
  digests: ['sha-256'],
};

const request: RequestMessage = {
  method: 'POST',
  targetUri: 'https://api.example.com/v1/payments?to=7',
  headers: [['Content-Type', 'application/json']],
  body: new TextEncoder().encode('{"amount":1}'),
};

/** Adds header lines. */
function plus<Message extends HttpMessage>(message: Message, lines: object): Message {
  return { ...message, headers: [...(message.headers as [string, string][]), ...Object.entries(lines)] };
}

async function signedBy(profile: MessageProfile, message: HttpMessage = request): Promise<HttpMessage> {
  const { headers } = await signMessage(message, {
    profile: defineProfile(profile),
    key: signing,
    keyid: 'key-1',
    created: now,
  });
  return plus(message, headers);
}

async function outcome(
  message: HttpMessage,
  profile: MessageProfile,
  settings: Partial<MessageVerification> = {},
): Promise<string> {
  const result = await verifyMessage(message, {
    profile: defineProfile(profile),
    keysFor: () => verifying,
    guard: new MemoryMessageGuard(),
    nowSeconds: () => now,
    ...settings,
  });
  return result.ok ? 'ok' : result.code;
}

describe('what a verified message proves', () => {
  test('the body, if its digest is covered, and says so', async () => {
    const message = await signedBy(plain);
    const verified = await verifyMessage(message, {
      profile: defineProfile(plain),
      keysFor: () => verifying,
      guard: new MemoryMessageGuard(),
      nowSeconds: () => now,
    });
    assert.ok(verified.ok);
    assert.equal(verified.coversBody, true);
    assert.equal(
      await outcome({ ...message, body: new TextEncoder().encode('{"amount":9}') }, plain),
      'digest_mismatch',
    );
    assert.equal(await outcome({ ...message, body: undefined }, plain), 'digest_mismatch');
  });

  test('not the body, if only a digest in the trailers is covered', async () => {
    const profile: MessageProfile = {
      ...plain,
      components: {
        required: [
          { identifier: '@method' },
          { identifier: '@target-uri' },
          { identifier: '"content-digest";tr' },
        ],
        others: 'any',
      },
    };
    assert.deepEqual(defineProfile(profile).leavesOpen, ['body']);
    const trailers = [['Content-Digest', 'sha-256=:AAAA:']] as [string, string][];
    const message = await signedBy(profile, { ...request, trailers });
    const verified = await verifyMessage(message, {
      profile: defineProfile(profile),
      keysFor: () => verifying,
      guard: new MemoryMessageGuard(),
      nowSeconds: () => now,
    });
    assert.ok(verified.ok);
    assert.equal(verified.coversBody, false);
  });

  test('a response belongs to its request only if method and target URI of the request are covered', () => {
    const binding = (...identifiers: string[]): readonly string[] =>
      defineProfile({
        ...messageProfiles.ucpResponse2026,
        components: {
          required: ['@status', ...identifiers].map((identifier) => ({ identifier })),
          others: 'any',
        },
      }).binds;
    assert.deepEqual(binding('"accept";req'), ['status']);
    assert.deepEqual(binding('"@method";req'), ['status']);
    assert.deepEqual(binding('"@method";req', '"@target-uri";req'), ['status', 'request']);
    assert.deepEqual(binding('"@method";req', '"@authority";req', '"@path";req', '"@query";req'), [
      'status',
      'request',
    ]);
  });

  test('cookies only with the parameter bs: lines that are combined could be divided elsewhere', async () => {
    const response = {
      status: 200,
      headers: [
        ['Set-Cookie', 'a=1; Expires=Wed, 01 Jan 2030'],
        ['Set-Cookie', 'b=2'],
      ],
    } as const;
    await assert.rejects(
      createSignature(response, { label: 'sig', components: ['set-cookie'], key: signing }),
      /"set-cookie" needs the parameter bs/,
    );
    const { signatureBase } = await createSignature(response, {
      label: 'sig',
      components: ['"set-cookie";bs'],
      key: signing,
    });
    assert.match(signatureBase, /^"set-cookie";bs: :[\w+/=]+:, :[\w+/=]+:\n/);
  });
});

describe('replays', () => {
  test('are rejected after a restart, as long as the signature was made before it', async () => {
    const profile: MessageProfile = {
      ...plain,
      parameters: { ...plain.parameters, expires: 'required' },
      time: { maxFutureSeconds: 60, maxLifeSeconds: 86_400 },
    };
    const lines = await signMessage(request, {
      profile: defineProfile(profile),
      key: signing,
      created: now - 5,
      expires: now + 80_000,
    });
    const message = plus(request, lines.headers);
    const atStart = new MemoryMessageGuard();
    assert.equal(await outcome(message, profile, { guard: atStart }), 'ok');
    const later = { nowSeconds: () => now + 40_000 };
    assert.equal(await outcome(message, profile, { ...later, guard: atStart }), 'signature_replayed');
    const restarted = new MemoryMessageGuard({ horizonSeconds: now + 60 });
    assert.equal(await outcome(message, profile, { ...later, guard: restarted }), 'recently_restarted');
    const { headers } = await signMessage(request, {
      profile: defineProfile(profile),
      key: signing,
      created: now + 39_990,
      expires: now + 80_000,
    });
    assert.equal(await outcome(plus(request, headers), profile, { ...later, guard: restarted }), 'ok');
  });

  test('are rejected under another profile too', async () => {
    const guard = new MemoryMessageGuard();
    const message = await signedBy(plain);
    const other: MessageProfile = { ...plain, id: 'other', algorithms: ['ed25519', 'ecdsa-p256-sha256'] };
    assert.equal(await outcome(message, plain, { guard }), 'ok');
    assert.equal(await outcome(message, other, { guard }), 'signature_replayed');
  });

  test('are rejected under profiles that accept for longer, and by other rules', async () => {
    const guard = new MemoryMessageGuard();
    const message = await signedBy({ ...plain, replay: 'nonce or base' });
    const longer: MessageProfile = { ...plain, time: { maxAgeSeconds: 3600, maxFutureSeconds: 60 } };
    assert.equal(await outcome(message, { ...plain, replay: 'nonce or base' }, { guard }), 'ok');
    assert.equal(await outcome(message, longer, { guard }), 'signature_replayed');
    // The first profile's time is over, the other's is not.
    const late = { guard, nowSeconds: () => now + 1000 };
    assert.equal(await outcome(message, longer, late), 'signature_replayed');
  });

  test('are rejected when the same nonce comes with other times', async () => {
    const guard = new MemoryMessageGuard();
    const profile: MessageProfile = {
      ...plain,
      parameters: { ...plain.parameters, nonce: 'required' },
      replay: 'nonce',
    };
    const sign = async (created: number): Promise<HttpMessage> => {
      const { headers } = await signMessage(request, {
        profile: defineProfile(profile),
        key: signing,
        created,
        nonce: 'the-challenge',
      });
      return plus(request, headers);
    };
    assert.equal(await outcome(await sign(now), profile, { guard }), 'ok');
    assert.equal(await outcome(await sign(now - 1), profile, { guard }), 'signature_replayed');
  });

  test('are told by the key: the nonce of another client with the same keyid is its own', async () => {
    const guard = new MemoryMessageGuard();
    const profile: MessageProfile = {
      ...plain,
      parameters: { ...plain.parameters, nonce: 'required' },
      replay: 'nonce',
    };
    const other = generateKeyPairSync('ed25519');
    const sign = async (key: typeof signing): Promise<HttpMessage> => {
      const { headers } = await signMessage(request, {
        profile: defineProfile(profile),
        key,
        keyid: 'same',
        created: now,
        nonce: 'one-nonce',
      });
      return plus(request, headers);
    };
    assert.equal(await outcome(await sign(signing), profile, { guard }), 'ok');
    const keysFor = (): MessageVerifyingKey => verifyingKey(other.publicKey);
    assert.equal(await outcome(await sign(signingKey(other.privateKey)), profile, { guard, keysFor }), 'ok');
    assert.equal(await outcome(await sign(signing), profile, { guard }), 'signature_replayed');
  });

  test('of an agent without a nonce are let pass, as its profile says; one with a nonce passes once', async () => {
    const profile = messageProfiles.webBotAuth01;
    const agent = plus(request, { 'Signature-Agent': 'sig="https://agent.example/keys"' });
    const guard = new MemoryMessageGuard();
    const sign = async (components: readonly string[], nonce?: string): Promise<HttpMessage> => {
      const { headers } = await createSignature(agent, {
        label: 'sig',
        components,
        parameters: {
          created: now,
          expires: now + 60,
          keyid: 'k',
          ...(nonce !== undefined && { nonce }),
          tag: 'web-bot-auth',
        },
        key: signing,
      });
      return plus(agent, headers);
    };
    const without = await sign(['@authority', '"signature-agent";key="sig"']);
    assert.equal(await outcome(without, profile, { guard }), 'ok');
    assert.equal(await outcome(without, profile, { guard }), 'ok');
    const once = await sign(['@authority', '"signature-agent";key="sig"'], 'n');
    assert.equal(await outcome(once, profile, { guard }), 'ok');
    assert.equal(await outcome(once, profile, { guard }), 'signature_replayed');
  });
});

describe('the guard of messages', () => {
  const used = (id: string, more: object = {}) => ({
    ids: [id],
    owner: 'one',
    created: now,
    acceptedUntil: now + 10,
    ...more,
  });
  const codeOf = (refusal: { readonly code: string } | undefined): string => refusal?.code ?? 'ok';

  test('forgets a second when it has passed by both clocks, and rejects what it has forgotten', () => {
    let ms = 0;
    const guard = new MemoryMessageGuard({ monotonicMs: () => ms });
    assert.equal(codeOf(guard.use(used('a'), now)), 'ok');
    ms = 2000;
    // The wall clock jumps ahead.
    assert.equal(codeOf(guard.use(used('b', { acceptedUntil: now + 5000 }), now + 1000)), 'ok');
    assert.equal(guard.size, 2);
    ms = 13_000;
    assert.equal(codeOf(guard.use(used('c', { acceptedUntil: now + 5000 }), now + 1000)), 'ok');
    assert.equal(guard.size, 2);
    ms = 15_000;
    // The wall clock goes back: 'a' would be accepted again.
    assert.equal(codeOf(guard.use(used('a'), now)), 'recently_restarted');
  });

  test('rejects when it is full, or when an owner has used its share, and evicts nothing', () => {
    const guard = new MemoryMessageGuard({ entriesMax: 4, ownerShareMax: 0.5 });
    assert.equal(codeOf(guard.use(used('a'), now)), 'ok');
    assert.equal(codeOf(guard.use(used('b'), now)), 'ok');
    const third = guard.use(used('c'), now);
    assert.equal(codeOf(third), 'guard_full');
    assert.equal(third?.retryAfterSeconds, 11);
    assert.equal(codeOf(guard.use(used('c', { owner: 'two' }), now)), 'ok');
    assert.equal(codeOf(guard.use(used('d', { owner: 'two' }), now)), 'ok');
    assert.equal(codeOf(guard.use(used('e', { owner: 'three' }), now)), 'guard_full');
    assert.equal(codeOf(guard.use(used('a'), now)), 'signature_replayed');
  });

  test('refuses options that have no effect, and a clock that tells no time', () => {
    assert.throws(() => new MemoryMessageGuard({ entriesMax: 0 }), RangeError);
    assert.throws(() => new MemoryMessageGuard({ ownerShareMax: 2 }), RangeError);
    assert.throws(() => new MemoryMessageGuard({ horizonSeconds: Number.NaN }), TypeError);
    assert.equal(codeOf(new MemoryMessageGuard().use(used('a'), Number.NaN)), 'guard_unavailable');
  });
});

describe('hostile messages', () => {
  const withInput = (input: string, signature = 'sig=:AAAA:'): HttpMessage =>
    plus(request, { 'Signature-Input': input, Signature: signature });

  test('that cover more than 64 components are rejected before any is read', async () => {
    const names = Array.from({ length: 65 }, (_, index) => `"@query-param";name="p${index}"`);
    assert.equal(
      await outcome(withInput(`sig=(${names.join(' ')});created=${now}`), plain),
      'components_invalid',
    );
  });

  test('with more than eight signatures of the kind that counts are rejected', async () => {
    const labels = Array.from({ length: 9 }, (_, index) => `s${index}`);
    const message = plus(request, {
      'Signature-Input': labels.map((label) => `${label}=("@method");created=${now}`).join(', '),
      Signature: labels.map((label) => `${label}=:AAAA:`).join(', '),
    });
    assert.equal(await outcome(message, { ...plain, select: { complete: true } }), 'signature_ambiguous');
  });

  test('may name a request target only in one of its four forms', async () => {
    for (const requestTarget of ['/other', '*', 'api.example.com:443'])
      assert.equal(await outcome({ ...request, requestTarget }, plain), 'message_malformed', requestTarget);
  });

  test('with long white space, folded lines and long structured fields are decided', async () => {
    const message = await signedBy(plain);
    assert.equal(await outcome(plus(message, { X: `a${' '.repeat(200_000)}b` }), plain), 'ok');
    assert.equal(await outcome(plus(message, { X: `a${'\r\n b'.repeat(50_000)}` }), plain), 'ok');
    const profile: MessageProfile = { ...plain, fieldTypes: { x: 'dictionary' } };
    const covered = `sig=("@method" "@target-uri" "content-digest" "x";key="a");created=${now}`;
    const long = plus(withInput(covered), {
      'Content-Digest': 'sha-256=:AAAA:',
      X: `a="${'b'.repeat(70_000)}"`,
    });
    assert.equal(await outcome(long, profile), 'components_invalid');
  });

  test('get reasons that hold none of their unusual or long texts', async () => {
    for (const input of [
      `sig=("<img src=x onerror=alert(1)>");created=${now}`,
      `sig=("${'a'.repeat(10_000)}");created=${now}`,
      `sig=("@method" "x";${'k'.repeat(5000)});created=${now}`,
    ]) {
      const result = await verifyMessage(withInput(input), {
        profile: defineProfile(plain),
        keysFor: () => verifying,
        guard: new MemoryMessageGuard(),
        nowSeconds: () => now,
      });
      assert.ok(!result.ok);
      assert.ok(result.reason.length < 300 && !/[<>]/.test(result.reason), result.reason);
    }
  });

  test('with members that are no signatures beside the one that counts are verified', async () => {
    const message = await signedBy(plain);
    const others = plus(message, { 'Signature-Input': 'other=1', Signature: 'other="x"' });
    assert.equal(await outcome(others, plain), 'ok');
    assert.equal(await outcome(plus(message, { 'Signature-Input': 'sig=()' }), plain), 'signature_malformed');
  });

  test('whose keys took so long to fetch that the signature is too old are rejected', async () => {
    let seconds = now;
    const keysFor = async (): Promise<MessageVerifyingKey> => {
      seconds = now + 301;
      return verifying;
    };
    assert.equal(
      await outcome(await signedBy(plain), plain, { keysFor, nowSeconds: () => seconds }),
      'created_expired',
    );
  });

  test('have no authority but a host and a port', async () => {
    for (const targetUri of [
      'https://:443/p',
      'https://[::1/p',
      'https://fe80::1/p',
      'https://a:443:443/',
      'https://a:0443/',
      'https://a:99999/',
      'https://user@a/',
      'https://a,b/',
      'https://a/p#f',
      'ftp://a/',
    ])
      assert.equal(await outcome({ ...request, targetUri }, plain), 'message_malformed', targetUri);
    const path = { label: 'sig', components: ['@scheme', '@authority', '@path', '@query'], key: signing };
    const { signatureBase } = await createSignature(
      { method: 'GET', targetUri: 'HTTPS://A.example:443', headers: [] },
      path,
    );
    assert.ok(
      signatureBase.startsWith('"@scheme": https\n"@authority": a.example\n"@path": /\n"@query": ?\n'),
    );
  });

  test('may have fields whose names only look like others', async () => {
    const { headers } = await createSignature(plus(request, { 'X-Key': 'right' }), {
      label: 'sig',
      components: ['x-key'],
      key: signing,
    });
    const message = plus(plus(request, { 'X-Key': 'right', 'x-\u212aey': 'wrong' }), headers);
    const profile: MessageProfile = {
      ...plain,
      components: { required: [{ identifier: 'x-key' }], others: 'none' },
      parameters: {},
      time: { neverExpires: true },
      replay: 'off',
    };
    assert.equal(await outcome(message, profile), 'ok');
  });
});

describe('signing by a profile', () => {
  test('is refused for what the profile would reject', async () => {
    const adcp = messageProfiles.adcp32;
    const sign = (profile: MessageProfile, more: object, message: HttpMessage = request): Promise<unknown> =>
      signMessage(message, {
        profile: defineProfile(profile),
        key: signing,
        keyid: 'k',
        created: now,
        ...more,
      });
    await assert.rejects(sign(messageProfiles.curl822, { label: 'x' }), /signature_not_selected/);
    await assert.rejects(sign(adcp, { tag: 'foo' }), /signature_not_selected/);
    await assert.rejects(sign(adcp, { nonce: 'a' }), /parameters_invalid/);
    await assert.rejects(sign(adcp, { expires: now + 301 }), /parameters_invalid/);
    await assert.rejects(sign(adcp, { expires: now - 1 }), /parameters_invalid/);
    const wrong = plus(request, { 'Content-Digest': 'sha-256=:AAAA:' });
    await assert.rejects(sign(plain, {}, wrong), /digest_mismatch/);
    await assert.rejects(
      sign(plain, {}, plus(request, { 'Content-Digest': 'md5=:AAAA:' })),
      /digest_missing/,
    );
  });

  test('computes a digest that is only asked for', async () => {
    const { headers } = await signMessage(request, {
      profile: defineProfile(messageProfiles.curl822),
      key: signing,
      keyid: 'k',
      created: now,
      others: ['content-digest'],
    });
    assert.match(headers['Content-Digest']!, /^sha-256=:/);
  });
});
