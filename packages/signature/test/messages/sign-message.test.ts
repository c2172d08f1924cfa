import assert from 'node:assert/strict';
import { messageAlgorithms } from '../../src/messages/algorithms.ts';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  acceptMessageSignature,
  type BoundPart,
  createSignature,
  defineProfile,
  type DefinedProfile,
  type HttpMessage,
  MemoryMessageGuard,
  type MessageAlgorithm,
  messageProfiles,
  MessageSigningError,
  type MessageSigningKey,
  type MessageVerifyingKey,
  type ProfiledSignature,
  readRequestedSignatures,
  type RequestMessage,
  type ResponseMessage,
  type SignatureParameters,
} from '../../src/on-web/messages.ts';
import { signingKeyOf, verifyingKeyOf } from './fresh-keys.ts';
import { platforms, withLines } from './platforms.ts';
import {
  anythingRequest,
  anythingResponse,
  linesOf,
  nowSeconds,
  requestBody,
  requests,
  responses,
  verifyAt,
  withFields,
} from './profile-examples.ts';

const [onNode, onWeb] = platforms as [(typeof platforms)[0], (typeof platforms)[0]];
const keyid = 'https://client.example/keys#1';

const readyKeys = new Map<string, MessageVerifyingKey>();

/** Examining an RSA key takes longer than verifying with it. */
async function readyKey(algorithm: MessageAlgorithm, platform = onNode): Promise<MessageVerifyingKey> {
  const name = `${algorithm} ${platform.name}`;
  const key = readyKeys.get(name) ?? (await verifyingKeyOf(algorithm, platform));
  readyKeys.set(name, key);
  return key;
}

async function signed<Of extends HttpMessage>(
  message: Of,
  profile: DefinedProfile,
  algorithm: MessageAlgorithm = profile.profile.algorithms[0]!,
  options: Partial<ProfiledSignature> = {},
  platform = onNode,
): Promise<Of> {
  const key = await signingKeyOf(algorithm, platform);
  const { headers } = await platform.signMessage(message, {
    profile,
    key,
    keyid,
    created: nowSeconds,
    ...options,
  });
  return { ...message, headers: withLines(linesOf(message), headers) };
}

/** Changes of one part each. A change that a message does not have is left out. */
const changesOf: Readonly<Record<BoundPart, (message: HttpMessage) => readonly HttpMessage[]>> = {
  method: (message) =>
    'method' in message
      ? ['DELETE', message.method.toLowerCase()].map((method) => ({ ...message, method }))
      : [],
  authority: (message) => {
    if (!('method' in message)) return [];
    const targetUri = message.targetUri.replace('api.example', 'api.example.org');
    const port = message.targetUri.replace('api.example', 'api.example:8443');
    return [
      withFields({ ...message, targetUri }, { Host: 'api.example.org' }),
      { ...message, targetUri: port },
    ];
  },
  path: (message) => {
    if (!('method' in message)) return [];
    return ['/orders/', '/Orders', '/%6Frders', '//orders'].map((path) => ({
      ...message,
      targetUri: message.targetUri.replace('/orders', path),
    }));
  },
  query: (message) => {
    if (!('method' in message)) return [];
    const [start, query] = message.targetUri.split('?') as [string, string?];
    const queries = ['', '?', '?other=1', `?${query ?? ''}&more=1`];
    return queries
      .filter((text) => text !== (query === undefined ? '' : `?${query}`))
      .map((text) => ({ ...message, targetUri: start + text }));
  },
  body: (message) => {
    const body = (message.body ?? new Uint8Array(0)) as Uint8Array<ArrayBuffer>;
    const longer = Uint8Array.from([...body, 0x20]);
    if (body.length === 0) return [{ ...message, body: longer }];
    return [longer, body.slice(1), body.with(3, body[3]! ^ 1), undefined].map((other) => ({
      ...message,
      body: other,
    }));
  },
  status: (message) => ('status' in message ? [{ ...message, status: 299 }] : []),
  request: (message) => {
    if (!('status' in message)) return [];
    const { request, ...others } = message;
    return [
      others,
      { ...message, request: { ...request!, method: 'PATCH' } },
      { ...message, request: { ...request!, targetUri: `${request!.targetUri}x` } },
    ];
  },
};

const changeRefusals = new Set(['signature_invalid', 'components_invalid', 'digest_mismatch']);

for (const [name, shipped] of Object.entries(messageProfiles)) {
  const profile = defineProfile(shipped);
  const examples: Readonly<Record<string, HttpMessage>> =
    shipped.message === 'request' ? requests : responses;

  describe(`a message of ${name}`, () => {
    for (const algorithm of shipped.algorithms) {
      test(`signed with ${algorithm} on either platform is verified on either, once`, async () => {
        for (const message of Object.values(examples)) {
          for (const signer of platforms) {
            const received = await signed(message, profile, algorithm, {}, signer);
            for (const verifier of platforms) {
              const guard = new MemoryMessageGuard();
              const key = await readyKey(algorithm, verifier);
              const outcome = await verifyAt(verifier, received, profile, key, guard);
              assert.ok(outcome.ok, JSON.stringify(outcome));
              assert.deepEqual(
                [outcome.label, outcome.key, outcome.keyid],
                [shipped.select?.label ?? 'sig', key, keyid],
              );
              if (shipped.replay === 'off') continue;
              const again = await verifyAt(verifier, received, profile, key, guard);
              assert.equal(again.ok ? 'ok' : again.code, 'signature_replayed');
            }
          }
        }
      });
    }

    const [algorithm] = shipped.algorithms as [MessageAlgorithm];

    for (const part of profile.binds)
      test(`whose ${part} was changed is rejected`, async () => {
        let changes = 0;
        for (const message of Object.values(examples)) {
          const received = await signed(message, profile);
          for (const other of changesOf[part](received)) {
            changes++;
            const outcome = await verifyAt(onWeb, other, profile, await readyKey(algorithm, onWeb));
            assert.ok(!outcome.ok, JSON.stringify(other));
            assert.ok(changeRefusals.has(outcome.code), outcome.code);
          }
        }
        assert.ok(changes >= Object.keys(examples).length);
      });

    for (const part of profile.leavesOpen)
      test(`whose ${part} was changed is still verified, as the profile says`, async () => {
        const message = examples['PUT with a query and a body'] ?? examples['200 with a body']!;
        const received = await signed(message, profile);
        for (const other of changesOf[part](received)) {
          const outcome = await verifyAt(onNode, other, profile, await readyKey(algorithm));
          assert.ok(outcome.ok, JSON.stringify(outcome));
        }
      });

    test('with another value, or without one, of any covered field is rejected', async () => {
      for (const message of Object.values(examples)) {
        const received = await signed(message, profile);
        const key = await readyKey(algorithm);
        const outcome = await verifyAt(onNode, received, profile, key);
        assert.ok(outcome.ok);
        for (const { identifier } of outcome.covered) {
          if (identifier.name.startsWith('@') || identifier.req) continue;
          for (const value of [undefined, '', 'other', 'a=1, b=2']) {
            const other = withFields(received, { [identifier.name]: value });
            const refusal = await verifyAt(onNode, other, profile, key);
            assert.ok(
              !refusal.ok && changeRefusals.has(refusal.code),
              `${identifier.text}: ${String(value)}`,
            );
          }
        }
      }
    });

    test('with another parameter, component or signature than were signed is rejected', async () => {
      const message = Object.values(examples)[1]!;
      const received = await signed(message, profile);
      const lines = new Map(linesOf(received));
      const [input, signature] = [lines.get('Signature-Input')!, lines.get('Signature')!];
      const others = [
        { 'Signature-Input': input.replace(/created=\d+/, `created=${nowSeconds - 1}`) },
        { 'Signature-Input': input.replace(keyid, `${keyid}0`) },
        { 'Signature-Input': input.replace(/;nonce="./, ';nonce="!') },
        { 'Signature-Input': input.replace(/expires=\d+/, `expires=${nowSeconds + 299}`) },
        { 'Signature-Input': input.replace(/\(("[^ ]+) ("[^ )]+)/, '($2 $1') },
        { Signature: signature.replace(/=:(.)/, (_, first: string) => `=:${first === 'A' ? 'B' : 'A'}`) },
        { Signature: signature.replace(/=:.*:/, '=::') },
      ].filter((one) => one.Signature !== signature && one['Signature-Input'] !== input);
      assert.ok(others.length >= 4);
      for (const fields of others) {
        const other = withFields(received, fields as Record<string, string>);
        const outcome = await verifyAt(onNode, other, profile, await readyKey(algorithm));
        assert.ok(!outcome.ok, JSON.stringify(fields));
        assert.ok(changeRefusals.has(outcome.code) || fields['Signature-Input'], outcome.code);
      }
    });

    test('by another key, or by a key for another algorithm, is rejected', async () => {
      const received = await signed(Object.values(examples)[0]!, profile);
      const own = await readyKey(algorithm);
      const other = { ...own, verifies: () => false };
      const names = Object.keys(messageAlgorithms) as MessageAlgorithm[];
      const foreign = names.find((one) => !profile.profile.algorithms.includes(one))!;
      const elsewhere = { ...own, algorithm: foreign, verifies: () => true };
      for (const key of [other, elsewhere]) {
        const outcome = await verifyAt(onNode, received, profile, key);
        assert.equal(outcome.ok ? 'ok' : outcome.code, 'signature_invalid');
      }
    });
  });
}

/** Returns the message of a MessageSigningError. */
async function signingError(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof MessageSigningError, `a MessageSigningError, not ${String(error)}`);
    return error.message;
  }
  assert.fail('it was signed');
}

const post = requests['POST with a body']!;
const gnap = defineProfile(messageProfiles.gnap);
const curl = defineProfile(messageProfiles.curl822);
const adcp = defineProfile(messageProfiles.adcp32);
const agent = defineProfile(messageProfiles.webBotAuth01);

/** Signs by a profile on both platforms, and returns the one message of both errors. */
async function bothErrors(
  profile: DefinedProfile,
  options: Partial<ProfiledSignature> | Readonly<Record<string, unknown>>,
  message: HttpMessage = post,
): Promise<string> {
  const algorithm = profile.profile.algorithms[0]!;
  const messages = await Promise.all(
    platforms.map((platform) =>
      signingError(signed(message, profile, algorithm, options as Partial<ProfiledSignature>, platform)),
    ),
  );
  assert.equal(messages[0], messages[1]);
  return messages[0]!;
}

describe('signing by a profile is refused', () => {
  test('without a keyid that is required', async () => {
    assert.equal(await bothErrors(curl, { keyid: undefined }), 'curl-8.22 needs a keyid.');
  });

  test('with a parameter that the profile does not have', async () => {
    const bare = defineProfile({
      ...messageProfiles.curl822,
      parameters: { created: 'required' },
      time: { maxAgeSeconds: 300, maxFutureSeconds: 60 },
    });
    for (const [name, value] of [
      ['keyid', 'k'],
      ['nonce', 'n'],
      ['expires', nowSeconds + 10],
      ['tag', 't'],
    ] as const)
      assert.equal(
        await bothErrors(bare, { keyid: undefined, [name]: value }),
        `curl-8.22 has no parameter "${name}".`,
      );
  });

  test('with a created, where the profile has none', async () => {
    const timeless = defineProfile({
      ...messageProfiles.curl822,
      parameters: { expires: 'required', keyid: 'required' },
      time: {},
      replay: 'off',
    });
    assert.equal(
      await bothErrors(timeless, { created: nowSeconds, expires: nowSeconds + 10 }),
      'curl-8.22 has no parameter "created".',
    );
  });

  test('with a tag that does not select the signature', async () => {
    for (const tag of ['other', 'GNAP', '']) assert.match(await bothErrors(gnap, { tag }), /tag/);
  });

  test('with a label that does not select the signature', async () => {
    assert.match(await bothErrors(curl, { label: 'sig2' }), /label/);
  });

  test('with what is no label', async () => {
    for (const label of ['', 'Sig', '1', 'a b', 'a=b', 'sig\r\nX: y'])
      assert.match(await bothErrors(gnap, { label }), /^The label must be lower-case letters/);
  });

  test('with a nonce of a length that the profile refuses', async () => {
    assert.match(await bothErrors(gnap, { nonce: '' }), /nonce/);
    assert.match(await bothErrors(adcp, { nonce: 'x'.repeat(21) }), /nonce/);
    assert.match(await bothErrors(gnap, { nonce: 'x'.repeat(257) }), /nonce/);
  });

  test('with times that the profile refuses', async () => {
    assert.match(await bothErrors(gnap, { expires: nowSeconds }), /expires/);
    assert.match(await bothErrors(gnap, { expires: nowSeconds - 1 }), /expires/);
    assert.match(await bothErrors(adcp, { expires: nowSeconds + 301 }), /expires/);
  });

  test('with a time that is no whole number of at most 15 digits', async () => {
    for (const created of [1.5, -1, -nowSeconds])
      assert.equal(await bothErrors(gnap, { created }), '"created" must be whole Unix seconds.');
    for (const created of [1e15, 1e20, 1e21]) await bothErrors(gnap, { created });
  });

  test('with a text that no structured string can hold', async () => {
    for (const name of ['keyid', 'nonce'])
      for (const text of ['é', 'a\nb', 'a\r\nX: y', '\0', '\x7f', '\u{1F600}'])
        assert.equal(await bothErrors(gnap, { [name]: text }), `"${name}" must be visible ASCII and spaces.`);
  });

  test('with a key for an algorithm that the profile does not have', async () => {
    const key = await signingKeyOf('ecdsa-p256-sha256', onWeb);
    for (const platform of platforms)
      assert.equal(
        await signingError(platform.signMessage(post, { profile: curl, key, keyid })),
        'curl-8.22 has no signatures by ecdsa-p256-sha256: use a key for ed25519 or hmac-sha256.',
      );
  });

  test('without a field that must be covered', async () => {
    assert.equal(
      await bothErrors(
        defineProfile(messageProfiles.fapi2Request01),
        {},
        withFields(post, { Authorization: undefined }),
      ),
      'The message cannot be signed: "authorization" is not in the message.',
    );
    assert.equal(
      await bothErrors(agent, {}, withFields(post, { 'Signature-Agent': 'other="x"' })),
      'The message cannot be signed: "signature-agent";key="sig" is not a member of the field, read as a dictionary.',
    );
  });

  test('without the request that a response answers', async () => {
    const { request: _, ...response } = responses['200 with a body']!;
    assert.equal(
      await bothErrors(defineProfile(messageProfiles.fapi2Response01), {}, response),
      'The message cannot be signed: "@method";req needs the request that the response answers.',
    );
  });

  test('of a message of the other kind, with a TypeError', async () => {
    const response = defineProfile(messageProfiles.ucpResponse2026);
    await assert.rejects(signed(post, response), TypeError);
    await assert.rejects(signed(responses['200 with a body']!, curl), TypeError);
  });

  test('of a message that nobody can send', async () => {
    for (const other of [
      { ...post, targetUri: '/orders' },
      { ...post, targetUri: 'https://api.example/a b' },
      { ...post, targetUri: 'https://api.example/orders#fragment' },
      { ...post, targetUri: 'https://user@api.example/orders' },
      { ...post, targetUri: 'ftp://api.example/orders' },
      { ...post, method: 'PO ST' },
      { ...post, method: '' },
    ])
      assert.match(await bothErrors(gnap, {}, other), /^The message cannot be sent: /);
  });

  test('with other components, where the profile has none', async () => {
    const closed = defineProfile(messageProfiles.countersign);
    assert.match(
      await bothErrors(closed, { others: ['authorization'] }),
      /^By countersign, .*"authorization" must not be covered\.$/,
    );
  });

  test('with what is no component', async () => {
    for (const other of ['Bad-Name', 'two words', '"x";other', '@method" "@path', ''])
      assert.notEqual(await bothErrors(gnap, { others: [other] }), '', other);
    for (const other of ['@nothing', 'x-missing', '"date";key="a"', '"@query-param";name="x"'])
      assert.match(await bothErrors(gnap, { others: [other] }), /^The message cannot be signed: /, other);
  });

  test('with an argument of a wrong type, with a TypeError', async () => {
    const key = await signingKeyOf('ed25519', onNode);
    for (const options of [
      undefined,
      null,
      {},
      { profile: messageProfiles.gnap, key, keyid },
      { profile: gnap, keyid },
      { profile: gnap, key: {}, keyid },
      { profile: gnap, key: { ...key, algorithm: 'toString' }, keyid },
      { profile: gnap, key, keyid: 5 },
      { profile: gnap, key, keyid: null },
      { profile: gnap, key, keyid, nonce: 5 },
      { profile: gnap, key, keyid, tag: 5 },
      { profile: gnap, key, keyid, label: 5 },
      { profile: gnap, key, keyid, created: '1' },
      { profile: gnap, key, keyid, created: Number.NaN },
      { profile: gnap, key, keyid, others: 5 },
      { profile: gnap, key: { ...key, sign: () => 'text' }, keyid },
    ])
      for (const platform of platforms)
        await assert.rejects(platform.signMessage(post, options as unknown as ProfiledSignature), TypeError);
  });

  test('when the key fails, with the error of the key', async () => {
    const failure = new Error('the vault is sealed');
    const key: MessageSigningKey = { algorithm: 'ed25519', sign: () => Promise.reject(failure) };
    for (const platform of platforms)
      await assert.rejects(platform.signMessage(post, { profile: gnap, key, keyid }), failure);
  });
});

describe('signing by a profile', () => {
  test('writes the parameters that the profile has, in their order', async () => {
    const received = await signed(post, adcp, 'ed25519', { nonce: 'n'.repeat(22) });
    assert.equal(
      new Map(linesOf(received)).get('Signature-Input'),
      'sig=("@method" "@target-uri" "@authority" "content-type" "content-digest")' +
        `;created=${nowSeconds};expires=${nowSeconds + 300};keyid="${keyid}";alg="ed25519"` +
        `;nonce="${'n'.repeat(22)}";tag="adcp/request-signing/v1"`,
    );
  });

  test('adds the digest that is missing, and keeps one that is there', async () => {
    const digest = `sha-512=:${createHash('sha512').update(requestBody).digest('base64')}:`;
    const key = await signingKeyOf('ed25519', onNode);
    for (const platform of platforms) {
      const added = await platform.signMessage(post, { profile: gnap, key, keyid });
      const hash = await crypto.subtle.digest('SHA-256', requestBody);
      assert.equal(added.headers['Content-Digest'], `sha-256=:${Buffer.from(hash).toString('base64')}:`);
      const kept = await platform.signMessage(withFields(post, { 'Content-Digest': digest }), {
        profile: gnap,
        key,
        keyid,
      });
      assert.equal(kept.headers['Content-Digest'], undefined);
      assert.ok(kept.signatureBase.includes(`\n"content-digest": ${digest}\n`));
      const without = await platform.signMessage(requests['GET']!, { profile: gnap, key, keyid });
      assert.equal(without.headers['Content-Digest'], undefined);
    }
  });

  test('makes another nonce of 256 bits each time', async () => {
    const nonces = await Promise.all(
      [1, 2, 3].map(async () => {
        const lines = new Map(linesOf(await signed(post, gnap)));
        return /;nonce="([^"]+)"/.exec(lines.get('Signature-Input')!)![1]!;
      }),
    );
    assert.equal(new Set(nonces).size, 3);
    for (const nonce of nonces) assert.equal(Buffer.from(nonce, 'base64').length, 32);
  });

  test('covers others after what is required, in the order of the caller', async () => {
    const received = await signed(post, gnap, 'ed25519', {
      others: ['date', '@method', '"x-request-id";bs'],
    });
    assert.match(
      new Map(linesOf(received)).get('Signature-Input')!,
      /^sig=\("@target-uri" "content-digest" "authorization" "date" "@method" "x-request-id";bs\);/,
    );
    assert.equal((await verifyAt(onNode, received, gnap, await readyKey('ed25519'))).ok, true);
    assert.match(await bothErrors(gnap, { others: ['date', '"date"'] }), /covered twice/);
  });

  test('announces the algorithm where the caller asks for it, and the profile has alg', async () => {
    const fapi = defineProfile(messageProfiles.fapi2Request01);
    for (const [alg, written] of [
      [undefined, undefined],
      [false, undefined],
      [true, 'ed25519'],
    ] as const) {
      const received = await signed(post, fapi, 'ed25519', alg === undefined ? {} : { alg });
      const outcome = await verifyAt(onNode, received, fapi, await readyKey('ed25519'));
      assert.equal(outcome.ok ? outcome.alg : outcome.reason, written);
    }
    assert.equal(await bothErrors(gnap, { alg: true }), 'gnap-rfc9635 has no parameter "alg".');
    for (const platform of platforms)
      assert.match(
        await signingError(signed(post, fapi, 'PS256', { alg: true }, platform)),
        /PS256, which has no registered name/,
      );
  });

  test('covers of several components the one that the caller lists', async () => {
    const received = await signed(post, agent, 'ed25519', {
      others: ['@target-uri', '"signature-agent";key="sig1"'],
    });
    assert.match(
      new Map(linesOf(received)).get('Signature-Input')!,
      /^sig=\("@target-uri" "signature-agent";key="sig1"\);/,
    );
    const key = await readyKey('ed25519');
    assert.equal((await verifyAt(onNode, received, agent, key)).ok, true);
  });

  test('takes any of the tags of the profile', async () => {
    const payments = defineProfile(messageProfiles.agentPayments2025);
    for (const tag of [undefined, 'agent-browser-auth', 'agent-payer-auth']) {
      const received = await signed(post, payments, 'ed25519', tag === undefined ? {} : { tag });
      const outcome = await verifyAt(onNode, received, payments, await readyKey('ed25519'));
      assert.equal(outcome.ok && outcome.tag, tag ?? 'agent-browser-auth');
    }
  });

  test('escapes quotes and backslashes of a keyid', async () => {
    const odd = '"a\\b" c';
    const received = await signed(post, gnap, 'ed25519', { keyid: odd });
    const outcome = await verifyAt(onWeb, received, gnap, await readyKey('ed25519', onWeb));
    assert.equal(outcome.ok && outcome.keyid, odd);
  });

  for (const what of ['options', 'message', 'body'] as const)
    test(`is not changed by what the caller does to its ${what} meanwhile`, async () => {
      for (const platform of platforms) {
        const key = await signingKeyOf('ed25519', platform);
        const options = { profile: gnap, key, keyid: 'first', nonce: 'first', created: nowSeconds };
        const body = Uint8Array.from(requestBody);
        const message: RequestMessage = { ...post, body };
        const signing = platform.signMessage(message, options);
        if (what === 'options')
          Object.assign(options, { keyid: 'second', nonce: 'second', created: nowSeconds - 1 });
        if (what === 'message')
          Object.assign(message, { method: 'DELETE', targetUri: 'https://evil.example/', headers: [] });
        if (what === 'body') body.fill(0);
        const { headers } = await signing;
        const received = { ...post, headers: withLines(linesOf(post), headers) };
        const outcome = await verifyAt(platform, received, gnap, await readyKey('ed25519', platform));
        assert.ok(outcome.ok, JSON.stringify(outcome));
        assert.deepEqual([outcome.keyid, outcome.nonce, outcome.created], ['first', 'first', nowSeconds]);
      }
    });
});

describe('a second signature', () => {
  test('with a label that the message has is refused', async () => {
    const received = await signed(post, gnap);
    assert.equal(
      await bothErrors(gnap, {}, received),
      'The message has a signature with the label "sig": choose another one.',
    );
    const [input, signature] = ['Signature-Input', 'Signature'].map((name) =>
      new Map(linesOf(received)).get(name)!,
    );
    for (const fields of [
      { 'Signature-Input': input!, Signature: signature!.replace('sig=', 'other=') },
      { 'Signature-Input': input!.replace('sig=', 'other='), Signature: signature! },
    ])
      assert.match(
        await bothErrors(gnap, {}, withFields(post, fields)),
        /has a signature with the label "sig"/,
      );
  });

  test('next to fields that nobody could read is refused', async () => {
    const received = await signed(post, gnap);
    const [input, signature] = ['Signature-Input', 'Signature'].map((name) =>
      new Map(linesOf(received)).get(name)!,
    );
    for (const fields of [
      { 'Signature-Input': input, Signature: undefined },
      { 'Signature-Input': undefined, Signature: signature },
      { 'Signature-Input': 'not a dictionary', Signature: signature },
      { 'Signature-Input': `${input!}, ${input!}`, Signature: signature },
      { 'Signature-Input': input, Signature: 'sig="text"' },
    ])
      await bothErrors(gnap, { label: 'other' }, withFields(post, fields));
  });

  test('with another label leaves both verified, each by its profile', async () => {
    for (const platform of platforms) {
      const once = await signed(post, gnap, 'ed25519', {}, platform);
      const twice = await signed(once, adcp, 'ecdsa-p256-sha256', { label: 'adcp' }, platform);
      const thrice = await signed(twice, curl, 'hmac-sha256', {}, platform);
      for (const [profile, algorithm, label] of [
        [gnap, 'ed25519', 'sig'],
        [adcp, 'ecdsa-p256-sha256', 'adcp'],
        [curl, 'hmac-sha256', 'sig1'],
      ] as const) {
        const key = await readyKey(algorithm, platform);
        const outcome = await verifyAt(platform, thrice, profile, key);
        assert.equal(outcome.ok ? outcome.label : outcome.reason, label);
      }
    }
  });

  test('may cover the first one', async () => {
    const once = await signed(post, gnap);
    const twice = await signed(once, curl, 'ed25519', {
      others: ['"signature";key="sig"', '"signature-input";key="sig"'],
    });
    const key = await readyKey('ed25519');
    assert.equal((await verifyAt(onNode, twice, curl, key)).ok, true);
    const text = new Map(linesOf(once)).get('Signature')!;
    const other = text.replace(/=:(.)/, (_, first: string) => `=:${first === 'A' ? 'B' : 'A'}`);
    const lines = linesOf(twice).map(([name, value]) => [name, value === text ? other : value] as const);
    const refusal = await verifyAt(onNode, { ...twice, headers: lines }, curl, key);
    assert.equal(refusal.ok ? 'ok' : refusal.code, 'signature_invalid');
  });
});

const fieldTypes = {
  'example-dict': 'dictionary',
  'example-list': 'list',
  'example-item': 'item',
} as const;

const rich: RequestMessage = {
  method: 'POST',
  targetUri: 'https://API.example:443/a/b?id=7&q=two+words&q2=%C3%A9&empty',
  headers: [
    ['Host', 'api.example'],
    ['Example-Dict', '  a=1,    b=2;x=1;y=2,   c=(a   b   c), d  '],
    ['Example-List', 'a,b;x'],
    ['Example-Item', '  5 ;x'],
    ['Twice', '  one, two '],
    ['TWICE', 'three'],
    ['Content-Digest', 'sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:'],
    ['Latin', 'caf\u00e9'],
    ['Folded', 'a\r\n  b'],
    ['Empty', ''],
    ['__Proto__', 'p'],
  ],
  trailers: [
    ['Expires', 'Wed, 9 Nov 2022 07:28:00 GMT'],
    ['Example-Dict', 't=1'],
  ],
  body: requestBody,
};
const answer: ResponseMessage = {
  status: 200,
  headers: [['Example-Dict', 'r=1']],
  trailers: [['Checksum', 'x']],
  request: rich,
};

/** Each component parameter, with its line in the signature base. */
const components: readonly (readonly [message: HttpMessage, identifier: string, value: string])[] = [
  [rich, '@method', 'POST'],
  [rich, '@target-uri', rich.targetUri],
  [rich, '@authority', 'api.example'],
  [rich, '@scheme', 'https'],
  [rich, '@request-target', '/a/b?id=7&q=two+words&q2=%C3%A9&empty'],
  [rich, '@path', '/a/b'],
  [rich, '@query', '?id=7&q=two+words&q2=%C3%A9&empty'],
  [rich, '"@query-param";name="id"', '7'],
  [rich, '"@query-param";name="q"', 'two%20words'],
  [rich, '"@query-param";name="q2"', '%C3%A9'],
  [rich, '"@query-param";name="empty"', ''],
  [rich, 'twice', 'one, two, three'],
  [
    rich,
    '"twice";bs',
    `:${Buffer.from('one, two').toString('base64')}:, :${Buffer.from('three').toString('base64')}:`,
  ],
  [rich, 'example-dict', 'a=1,    b=2;x=1;y=2,   c=(a   b   c), d'],
  [rich, '"example-dict";sf', 'a=1, b=2;x=1;y=2, c=(a b c), d'],
  [rich, '"example-list";sf', 'a, b;x'],
  [rich, '"example-dict";key="a"', '1'],
  [rich, '"example-dict";key="b"', '2;x=1;y=2'],
  [rich, '"example-dict";key="c"', '(a b c)'],
  [rich, '"example-dict";key="d"', '?1'],
  [rich, '"example-dict";key="a";sf', '1'],
  [rich, '"content-digest";key="sha-256"', ':X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:'],
  [rich, '"latin";bs', ':Y2Fm6Q==:'],
  [rich, 'folded', 'a b'],
  [rich, 'empty', ''],
  [rich, '__proto__', 'p'],
  [rich, '"expires";tr', 'Wed, 9 Nov 2022 07:28:00 GMT'],
  [rich, '"expires";tr;bs', `:${Buffer.from('Wed, 9 Nov 2022 07:28:00 GMT').toString('base64')}:`],
  [rich, '"example-dict";tr', 't=1'],
  [rich, '"example-dict";key="t";tr', '1'],
  [answer, '@status', '200'],
  [answer, 'example-dict', 'r=1'],
  [answer, '"checksum";tr', 'x'],
  [answer, '"@method";req', 'POST'],
  [answer, '"@authority";req', 'api.example'],
  [answer, '"@query-param";req;name="id"', '7'],
  [answer, '"@query-param";name="id";req', '7'],
  [answer, '"example-dict";req;key="a"', '1'],
  [answer, '"example-dict";sf;req', 'a=1, b=2;x=1;y=2, c=(a b c), d'],
  [answer, '"expires";req;tr', 'Wed, 9 Nov 2022 07:28:00 GMT'],
  [
    answer,
    '"twice";bs;req',
    `:${Buffer.from('one, two').toString('base64')}:, :${Buffer.from('three').toString('base64')}:`,
  ],
];

describe('a signature without a profile', () => {
  for (const [message, identifier, value] of components)
    test(`covers ${identifier} of a ${'status' in message ? 'response' : 'request'}`, async () => {
      const written = identifier.startsWith('"') ? identifier : `"${identifier}"`;
      for (const platform of platforms) {
        const key = await signingKeyOf('ed25519', platform);
        const { headers, signatureBase } = await createSignature(message, {
          label: 'x',
          components: [identifier],
          parameters: { created: nowSeconds },
          key,
          fieldTypes,
        });
        assert.equal(
          signatureBase,
          `${written}: ${value}\n"@signature-params": (${written});created=${nowSeconds}`,
        );
        assert.equal(headers['Signature-Input'], `x=(${written});created=${nowSeconds}`);
        const received = {
          ...message,
          // Its digest is not the body's.
          ...(identifier.includes('content-digest') && {
            body: new TextEncoder().encode('{"hello": "world"}'),
          }),
          headers: withLines(linesOf(message), headers),
        };
        const profile = 'status' in message ? anythingResponse : anythingRequest;
        const outcome = await verifyAt(platform, received, profile, await readyKey('ed25519', platform));
        assert.ok(outcome.ok, JSON.stringify(outcome));
        assert.deepEqual(
          outcome.covered.map((one) => [one.identifier.text, one.value]),
          [[written, value]],
        );
      }
    });

  test('covers nothing, or everything at once', async () => {
    const key = await signingKeyOf('ed25519', onNode);
    const none = await createSignature(rich, { label: 'x', components: [], key });
    assert.equal(none.signatureBase, '"@signature-params": ()');
    const all = components
      .filter(([message]) => message === rich)
      // Another text of the same component.
      .filter(([, identifier]) => identifier !== '"example-dict";key="a";sf');
    const { signatureBase } = await createSignature(rich, {
      label: 'x',
      components: all.map(([, identifier]) => identifier),
      key,
      fieldTypes,
    });
    assert.deepEqual(
      signatureBase.split('\n').slice(0, -1),
      all.map(([, text, value]) => `${text.startsWith('"') ? text : `"${text}"`}: ${value}`),
    );
  });

  test('writes parameters in the order in which they are given', async () => {
    const key = await signingKeyOf('ed25519', onNode);
    const { headers } = await createSignature(rich, {
      label: 'x',
      components: ['@method'],
      parameters: { tag: 't', nonce: 'n', alg: 'ed25519', keyid: 'k', expires: 2, created: 1 },
      key,
    });
    assert.equal(
      headers['Signature-Input'],
      'x=("@method");tag="t";nonce="n";alg="ed25519";keyid="k";expires=2;created=1',
    );
  });

  /** What cannot be covered. */
  const uncoverable: readonly (readonly [message: HttpMessage, identifier: string, says: RegExp])[] = [
    [rich, 'missing', /"missing" is not in the message/],
    [rich, '"missing";bs', /is not in the message/],
    [rich, '"missing";sf', /is not in the message/],
    [rich, '"host";tr', /"host";tr is not in the message/],
    [rich, 'expires', /"expires" is not in the message/],
    [rich, '"twice";sf', /of an unknown type: name it in fieldTypes/],
    [rich, '"constructor";sf', /is not in the message/],
    [rich, '"__proto__";sf', /of an unknown type: name it in fieldTypes/],
    [rich, '"example-dict";key="e"', /is not a member of the field/],
    [rich, '"example-dict";key="__proto__"', /is not a member of the field/],
    [rich, '"latin";key="a"', /is not a member of the field/],
    [rich, 'latin', /is not ASCII without line breaks/],
    [rich, '"x";bs;sf', /asks for bytes and for a structured field at once/],
    [rich, '"x";bs;key="a"', /asks for bytes and for a structured field at once/],
    [rich, '"x";bs=?0', /of another type/],
    [rich, '"x";key', /of another type/],
    [rich, '"x";key=1', /of another type/],
    [rich, '"x";other', /parameter/],
    [rich, '"x";name="y"', /parameter/],
    [rich, '"@method";tr', /parameter/],
    [rich, '"@method";key="x"', /parameter/],
    [rich, '"@method";name="x"', /parameter/],
    [rich, '"@method";req', /"@method";req needs a response/],
    [rich, '"host";req', /"host";req needs a response/],
    [rich, '@status', /"@status" needs a response/],
    [rich, '@query-param', /lacks the parameter/],
    [rich, '"@query-param";name="none"', /is not in the query/],
    [rich, '"@query-param";name="Q"', /is not in the query/],
    [rich, '@signature-params', /is not a derived component/],
    [rich, '@constructor', /is not a derived component/],
    [rich, '', /lower case/],
    [rich, 'Host', /lower case/],
    [rich, '"host" "date"', /is not a component identifier/],
    [rich, '"host', /is not a component identifier/],
    [answer, '@method', /is part of a request; of a response, add the parameter req/],
    [answer, '"@status";req', /needs a response/],
    [answer, '"missing";req', /is not in the message/],
    [{ ...answer, request: undefined }, '"@method";req', /needs the request that the response answers/],
    [
      { ...rich, targetUri: 'https://api.example/?a=1&a=2' },
      '"@query-param";name="a"',
      /is in the query more than once/,
    ],
    [{ ...rich, targetUri: 'https://api.example/?a=%FF' }, '"@query-param";name="a"', /is not UTF-8/],
    [withFields(rich, { Wide: '\u0100' }), '"wide";bs', /above U\+00FF/],
    [withFields(rich, { Split: 'a\nb' }), 'split', /line breaks/],
    [
      withFields(rich, { 'Example-Dict': 'a=' }),
      '"example-dict";sf',
      /is not a structured field of the type/,
    ],
  ];
  for (const [message, identifier, says] of uncoverable)
    test(`cannot cover ${identifier || 'nothing'}: ${says.source}`, async () => {
      const key = await signingKeyOf('ed25519', onNode);
      const content = { label: 'x', components: ['host', identifier], key, fieldTypes };
      const withHost = 'status' in message ? withFields(message, { Host: 'h' }) : message;
      assert.match(await signingError(createSignature(withHost, content)), says);
    });

  test('cannot cover a component twice, in whatever order its parameters are', async () => {
    const key = await signingKeyOf('ed25519', onNode);
    for (const twice of [
      ['@method', '"@method"'],
      ['"example-dict";key="t";tr', '"example-dict";tr;key="t"'],
    ])
      assert.equal(
        await signingError(createSignature(rich, { label: 'x', components: twice, key })),
        'The message cannot be signed: a component is covered twice.',
      );
  });

  test('cannot have a parameter that RFC 9421 does not define, or announce another algorithm', async () => {
    const key = await signingKeyOf('ed25519', onNode);
    const create = (parameters: unknown): Promise<unknown> =>
      createSignature(rich, {
        label: 'x',
        components: ['@method'],
        parameters: parameters as SignatureParameters,
        key,
      });
    for (const name of ['keyId', 'constructor', 'toString', '__proto__x'])
      assert.equal(await signingError(create({ [name]: 'x' })), `No parameter is called "${name}".`);
    assert.equal(
      await signingError(create(JSON.parse('{"__proto__": "x"}'))),
      'No parameter is called "__proto__".',
    );
    for (const alg of ['ecdsa-p256-sha256', 'EdDSA', ''])
      assert.match(await signingError(create({ alg })), /^The key signs with ed25519/);
    for (const parameters of [
      { created: '1' },
      { expires: null },
      { keyid: 5 },
      { nonce: null },
      { tag: [] },
    ])
      await assert.rejects(create(parameters), TypeError);
  });

  test('never announces PS256, which has no registered name', async () => {
    const key = await signingKeyOf('PS256', onNode);
    await signingError(
      createSignature(rich, { label: 'x', components: ['@method'], parameters: { alg: 'PS256' }, key }),
    );
  });

  test('that announces PS256 all the same is rejected', async () => {
    const fapi = defineProfile(messageProfiles.fapi2Request01);
    const request = withFields(requests['GET']!, { DPoP: undefined });
    const input = `("@method" "@target-uri" "authorization");created=${nowSeconds};alg="PS256";tag="fapi-2-request"`;
    const base = [
      '"@method": GET',
      `"@target-uri": ${request.targetUri}`,
      `"authorization": ${new Map(linesOf(request)).get('Authorization')!}`,
      `"@signature-params": ${input}`,
    ].join('\n');
    for (const platform of platforms) {
      const signature = await (await signingKeyOf('PS256', platform)).sign(new TextEncoder().encode(base));
      const received = withFields(request, {
        'Signature-Input': `sig=${input}`,
        Signature: `sig=:${Buffer.from(signature).toString('base64')}:`,
      });
      const outcome = await verifyAt(platform, received, fapi, await readyKey('PS256', platform));
      assert.equal(outcome.ok ? 'ok' : outcome.code, 'algorithm_not_allowed');
    }
  });

  test('of a number that is too long for a structured field is refused', async () => {
    const key = await signingKeyOf('ed25519', onNode);
    for (const name of ['created', 'expires'])
      await signingError(
        createSignature(rich, { label: 'x', components: [], parameters: { [name]: 1e15 }, key }),
      );
  });

  test('needs arguments of their types', async () => {
    const key = await signingKeyOf('ed25519', onNode);
    for (const content of [
      undefined,
      null,
      {},
      { label: 'x', components: ['@method'] },
      { label: 5, components: ['@method'], key },
      { label: 'x', components: '@method', key },
      { label: 'x', components: [5], key },
      { label: 'x', components: ['@method'], key: { sign: key.sign } },
      { label: 'x', components: ['@method'], key: { algorithm: 'ed25519' } },
      { label: 'x', components: ['@method'], key: { algorithm: 'ed25519', sign: () => [1] } },
    ])
      await assert.rejects(createSignature(rich, content as never), TypeError);
    for (const message of [undefined, null, 'GET', {}, { method: 5 }, { ...rich, headers: undefined }])
      await assert.rejects(createSignature(message as never, { label: 'x', components: [], key }), TypeError);
  });
});

describe('Accept-Signature', () => {
  for (const [name, shipped] of Object.entries(messageProfiles)) {
    if (shipped.message !== 'request') continue;
    const profile = defineProfile(shipped);
    for (const [what, request] of Object.entries(requests))
      test(`of ${name} is answered by a signature that it verifies: ${what}`, async () => {
        const asked = readRequestedSignatures(acceptMessageSignature(profile, request));
        const [{ label, components: covered, parameters, chosen }, ...more] = asked as [
          NonNullable<typeof asked>[0],
        ];
        assert.equal(more.length, 0);
        // Times are the signer's choice; a keyid and a nonce are the signer's too, unless the server asks for certain ones.
        const times: SignatureParameters = { created: nowSeconds, expires: nowSeconds + 60 };
        const asks = Object.entries(parameters).filter(([, value]) => value !== undefined);
        const content: SignatureParameters = {
          ...Object.fromEntries(chosen.map((time) => [time, times[time]])),
          ...(shipped.parameters.keyid === 'required' && { keyid }),
          ...(shipped.parameters.nonce === 'required' && { nonce: 'n'.repeat(32) }),
          ...Object.fromEntries(asks),
        };
        const algorithm = (parameters.alg ?? shipped.algorithms[0]!) as MessageAlgorithm;
        for (const platform of platforms) {
          const withDigest = covered.includes('"content-digest"')
            ? withFields(request, {
                'Content-Digest': await sha256Of(request.body as Uint8Array<ArrayBuffer>),
              })
            : request;
          const { headers } = await createSignature(withDigest, {
            label,
            components: covered,
            parameters: content,
            key: await signingKeyOf(algorithm, platform),
          });
          const received = { ...withDigest, headers: withLines(linesOf(withDigest), headers) };
          const outcome = await verifyAt(platform, received, profile, await readyKey(algorithm, platform));
          assert.ok(outcome.ok, JSON.stringify(outcome));
        }
      });
  }

  test('is written as in RFC 9421 section 5.1', () => {
    assert.equal(
      acceptMessageSignature(adcp, post),
      'sig=("@method" "@target-uri" "@authority" "content-type" "content-digest")' +
        ';created;expires;alg="ed25519";tag="adcp/request-signing/v1"',
    );
    assert.equal(
      acceptMessageSignature(adcp, requests['GET']!, { nonce: 'a"b', keyid: 'k' }),
      'sig=("@method" "@target-uri" "@authority")' +
        ';created;expires;keyid="k";alg="ed25519";nonce="a\\"b";tag="adcp/request-signing/v1"',
    );
    assert.equal(
      acceptMessageSignature(curl, requests['GET with a query']!),
      'sig1=("@method" "@authority" "@path" "@query");created;alg="ed25519"',
    );
    assert.equal(
      acceptMessageSignature(agent, requests['GET']!),
      'sig=("@authority" "signature-agent";key="sig");created;expires;tag="web-bot-auth"',
    );
  });

  test('is not written for a request that nobody could send', () => {
    for (const request of [
      { ...post, method: '' },
      { ...post, targetUri: '/orders' },
    ])
      assert.throws(() => acceptMessageSignature(gnap, request), TypeError);
  });

  test('names a tag that needs escapes so that it is read again', () => {
    const tag = 'a"b\\c';
    const odd = defineProfile({ ...messageProfiles.gnap, select: { tag } });
    const asked = readRequestedSignatures(acceptMessageSignature(odd, post));
    assert.equal(asked?.[0]?.parameters.tag, tag);
  });

  test('never holds a line break, whatever the nonce and the keyid', () => {
    for (const name of ['nonce', 'keyid']) {
      let text = '';
      try {
        text = acceptMessageSignature(gnap, post, { [name]: 'a\r\nSet-Cookie: x' });
      } catch (error) {
        assert.ok(error instanceof TypeError);
      }
      assert.doesNotMatch(text, /[\r\n]/);
    }
  });

  test('never holds a line break, whatever the tag', () => {
    let text = '';
    try {
      const odd = defineProfile({ ...messageProfiles.gnap, select: { tag: 'a\r\nSet-Cookie: x' } });
      text = acceptMessageSignature(odd, post);
    } catch (error) {
      // It may be refused.
      assert.ok(error instanceof TypeError);
    }
    assert.doesNotMatch(text, /[\r\n]/);
  });

  for (const text of [
    'sig',
    'sig=',
    'sig=1',
    'sig="@method"',
    'sig=:AAAA:',
    'sig=("@method"',
    'sig=("@method"))',
    'sig=("@method""@path")',
    'sig=(@method)',
    'sig=(method)',
    'sig=(1)',
    'sig=("Host")',
    'sig=("@method";other)',
    'sig=("x";bs;sf)',
    'sig=("x";key=1)',
    'sig=("@method"), sig=("@path")',
    'sig=("@method"),',
    ', sig=("@method")',
    'SIG=("@method")',
    'sig=("@method");created="1',
    'sig=("@method");created="1"',
    'sig=("@method");created=1.5',
    'sig=("@method");created=?0',
    'sig=("@method");keyid',
    'sig=("@method");keyid=token',
    'sig=("@method");nonce=:AAAA:',
    'sig=("@method");tag=1',
    'sig=("@method") tag="x"',
    'sig=("é")',
    'sig=("@method")\r\nX: y',
    `sig=(${'"@method" '.repeat(2000)})`,
  ])
    test(`that is malformed is not read: ${text.slice(0, 40)}`, () => {
      // A member that is no list of components may be skipped.
      assert.deepEqual(readRequestedSignatures(text) ?? [], []);
    });

  test('of several signatures is read in order, with values and without', () => {
    const asked = readRequestedSignatures(
      'sig1=("@method" "example-dict";key="a" "@query-param";name="x");created;keyid="k";tag="app-123", ' +
        'sig2=();nonce="n";created=1618884473;alg="ed25519"',
    );
    assert.deepEqual(
      asked?.map(({ parameters, ...others }) => ({
        ...others,
        parameters: Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined)),
      })),
      [
        {
          label: 'sig1',
          components: ['"@method"', '"example-dict";key="a"', '"@query-param";name="x"'],
          parameters: { keyid: 'k', tag: 'app-123' },
          chosen: ['created'],
        },
        {
          label: 'sig2',
          components: [],
          parameters: { nonce: 'n', created: 1_618_884_473, alg: 'ed25519' },
          chosen: [],
        },
      ],
    );
    assert.deepEqual(readRequestedSignatures(''), []);
  });
});

async function sha256Of(body: Uint8Array<ArrayBuffer>): Promise<string> {
  return `sha-256=:${Buffer.from(await crypto.subtle.digest('SHA-256', body)).toString('base64')}:`;
}
