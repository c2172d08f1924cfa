import assert from 'node:assert/strict';
import { createHash, createPrivateKey } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  createSignature,
  defineProfile,
  MemoryMessageGuard,
  type MessageProfile,
  messageProfiles,
  type MessageSigningKey,
  type MessageVerification,
  type MessageVerifyingKey,
  readComponentIdentifier,
  type RequestMessage,
  type SignatureParameters,
} from '../../src/on-web/messages.ts';
import { componentValue } from '../../src/rfc9421/component-value.ts';
import { readMessage } from '../../src/rfc9421/message.ts';
import { coveredComponents, messageBase } from '../../src/rfc9421/message-base.ts';
import { type InnerList, parseDictionary, serializeMember } from '../../src/rfc9421/structured-fields.ts';
import { type MessagesPlatform, platforms } from './platforms.ts';
import { type Disagreements, readVectors, skip, type SuiteCase, testSuite, vectorNames } from './suites.ts';

type AdcpKey = Readonly<Record<string, string>>;

interface AdcpVector {
  readonly reference_now: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  readonly verifier_capability: { readonly covers_content_digest: 'required' | 'either' | 'forbidden' };
  readonly jwks_ref?: readonly string[];
  readonly jwks_override?: { readonly keys: readonly AdcpKey[] };
  readonly test_harness_state?: {
    readonly replay_cache_entries?: readonly unknown[];
    readonly replay_cache_per_keyid_cap_hit?: unknown;
    readonly revocation_list?: { readonly revoked_kids: readonly string[] };
  };
  readonly expected_signature_base?: string;
  readonly expected_outcome: {
    readonly success: boolean;
    readonly error_code?: string;
    readonly verified_label?: string;
  };
}

const folders = ['positive', 'negative', 'profile-3.2/positive', 'profile-3.2/negative'];

function vectorIds(): readonly string[] {
  return folders.flatMap((folder) => vectorNames(`adcp/${folder}`).map((name) => `${folder}/${name}`));
}

function vector(id: string): AdcpVector {
  return readVectors(`adcp/${id}.json`) as AdcpVector;
}

// The profile of a verifier's capability: 3.2 requires the digest of every body, 3.1 let verifiers choose.

const { adcp32 } = messageProfiles;
const withoutDigest = adcp32.components.required.filter(({ identifier }) => identifier !== 'content-digest');
const profiles: Readonly<Record<'required' | 'either' | 'forbidden', MessageProfile>> = {
  required: adcp32,
  either: { ...adcp32, components: { required: withoutDigest, others: 'any' } },
  forbidden: { ...adcp32, components: { required: withoutDigest, others: 'none' } },
};

/** Our words for the suite's codes. */
const meanings: Readonly<Record<string, readonly string[]>> = {
  request_signature_required: ['signature_missing'],
  request_signature_header_malformed: ['signature_malformed', 'message_malformed', 'digest_malformed'],
  request_signature_params_incomplete: ['parameters_invalid'],
  request_signature_tag_invalid: ['signature_not_selected'],
  request_signature_alg_not_allowed: ['algorithm_not_allowed'],
  request_signature_window_invalid: ['signature_expired', 'parameters_invalid'],
  request_signature_components_incomplete: ['components_invalid'],
  request_signature_components_unexpected: ['components_invalid'],
  // Which keys there are, may be used and are revoked is the caller's to say.
  request_signature_key_unknown: ['signature_invalid, no key was tried'],
  request_signature_key_purpose_invalid: ['signature_invalid, no key was tried'],
  request_signature_key_revoked: ['signature_invalid, no key was tried'],
  request_signature_rate_abuse: ['guard_full'],
  request_signature_invalid: ['signature_invalid'],
  request_signature_digest_mismatch: ['digest_mismatch'],
  request_signature_replayed: ['signature_replayed'],
  request_target_uri_malformed: ['message_malformed'],
};

function expectedOf({
  expected_outcome: { success, error_code: code, verified_label: label },
}: AdcpVector): readonly string[] {
  return success ? [`accepted ${label ?? 'sig1'}`] : meanings[code!]!;
}

/** The vectors of 3.1 have base64url without padding in `Signature`; of it alone: `Content-Digest` is signed as it is. */
function translated(text: string): string {
  return text.replaceAll(/:([A-Za-z0-9_-]+):/g, (_, bytes: string) => {
    return `:${Buffer.from(bytes, 'base64url').toString('base64')}:`;
  });
}

function isOf32(id: string): boolean {
  return id.startsWith('profile-3.2/');
}

function requestOf({ request }: AdcpVector, change: (signature: string) => string): RequestMessage {
  const { method, url, headers, body } = request;
  return {
    method,
    targetUri: url,
    headers: Object.entries(headers).map(
      ([name, value]) => [name, name === 'Signature' ? change(value) : value] as const,
    ),
    body: new TextEncoder().encode(body),
  };
}

function adcpKeys(): readonly AdcpKey[] {
  return (readVectors('adcp/keys.json') as { readonly keys: readonly AdcpKey[] }).keys;
}

/** The key that a caller may use for requests, if there is one; it counts how often one is tried. */
async function eligibleKey(
  { jwks_ref: ids = [], jwks_override: override, test_harness_state: state }: AdcpVector,
  keyid: string | undefined,
  platform: MessagesPlatform,
  tried: () => void,
): Promise<MessageVerifyingKey | undefined> {
  const known = override?.keys ?? adcpKeys().filter(({ kid }) => ids.includes(kid!));
  const jwk = known.find(({ kid }) => kid === keyid);
  if (jwk === undefined || jwk['adcp_use'] !== 'request-signing') return undefined;
  if (state?.revocation_list?.revoked_kids.includes(keyid!) === true) return undefined;
  try {
    const key = await platform.verifyingKey(publicMembers(jwk));
    const verifies: MessageVerifyingKey['verifies'] = (base, signature) => {
      tried();
      return key.verifies(base, signature);
    };
    return { ...key, verifies };
  } catch (error) {
    assert.ok(error instanceof TypeError);
    return undefined;
  }
}

function publicMembers(jwk: AdcpKey): AdcpKey {
  const others = Object.entries(jwk).filter(([name]) => !name.startsWith('_') && !name.startsWith('$'));
  return Object.fromEntries(others);
}

/** A guard in the state that the vector asks for. */
async function guardOf(
  { test_harness_state: state }: AdcpVector,
  platform: MessagesPlatform,
): Promise<MemoryMessageGuard> {
  const isFull = state?.replay_cache_per_keyid_cap_hit !== undefined;
  const guard = new MemoryMessageGuard({
    // A message has two entries: its base and its nonce.
    ...(isFull && { entriesMax: 2, ownerShareMax: 1 }),
  });
  if (state?.replay_cache_entries === undefined && !isFull) return guard;
  const first = vector('positive/001-basic-post');
  assert.equal(
    await judge(first, requestOf(first, translated), profiles.either, platform, guard),
    'accepted sig1',
  );
  return guard;
}

async function judge(
  of: AdcpVector,
  request: RequestMessage,
  profile: MessageProfile,
  platform: MessagesPlatform,
  guard?: MemoryMessageGuard,
): Promise<string> {
  let tries = 0;
  const verification: MessageVerification = {
    profile: defineProfile(profile),
    keysFor: ({ keyid }) => eligibleKey(of, keyid, platform, () => tries++),
    guard: guard ?? (await guardOf(of, platform)),
    nowSeconds: () => of.reference_now,
  };
  const outcome = await platform.verifyMessage(request, verification);
  if (outcome.ok) return `accepted ${outcome.label}`;
  return outcome.code === 'signature_invalid' && tries === 0
    ? 'signature_invalid, no key was tried'
    : outcome.code;
}

// The vectors, with lawful signatures.

const notNormal = {
  ours: 'signature_invalid',
  reason:
    'RFC 9421 section 2.2.2: @target-uri is the target URI as it is; AdCP normalizes it first, which is up to the caller',
};
const halfSigned = {
  ours: 'signature_missing',
  reason:
    'RFC 9421 section 3.2 has no name for half a signature; AdCP forbids to treat it as unsigned, so the caller must look at the fields',
};
const differs: Disagreements = {
  'positive/002-post-with-content-digest': {
    ours: 'digest_malformed',
    reason:
      'RFC 9530 section 2, RFC 8941 section 3.3.5: the digest itself is base64url, which no byte sequence can be',
  },
  'positive/005-default-port-stripped': notNormal,
  'positive/006-dot-segment-path': notNormal,
  'positive/008-percent-encoded-path': notNormal,
  'positive/009-percent-encoded-unreserved-decoded': notNormal,
  'positive/012-ipv6-authority-default-port-stripped': notNormal,
  'negative/019-signature-without-signature-input': halfSigned,
  'negative/020-rate-abuse': {
    ours: 'signature_invalid',
    reason:
      'AdCP step 9a asks a full guard before the signature; RFC 9421 has no such order, and ours asks it last: only what is proved counts against a client',
  },
  'negative/022-multi-valued-content-type': {
    ours: 'signature_invalid',
    reason:
      'RFC 9421 section 2.1 combines lines without regard for what a field means; AdCP forbids a list here',
  },
  'negative/023-multi-valued-content-digest': {
    ours: 'signature_invalid',
    reason:
      'AdCP looks at digests before the signature; RFC 9421 has no such order, and ours reads them after it: see below',
  },
  'negative/024-unquoted-string-param': {
    ours: 'parameters_invalid',
    reason:
      'RFC 8941 section 3.1.2: a token is lawful syntax there, but RFC 9421 section 2.3 wants a string, so the parameter is wrong',
  },
  'profile-3.2/negative/002-multiple-trailing-dots': {
    ours: 'signature_invalid',
    reason: 'RFC 3986 section 3.2.2: a registered name may have empty labels; AdCP refuses them',
  },
};

for (const platform of platforms) {
  testSuite(`AdCP's vectors, signatures translated to Base64, ${platform.name}`, {
    total: 43,
    differs,
    cases: () =>
      vectorIds().map((id) => {
        const of = vector(id);
        const request = requestOf(of, isOf32(id) ? (text) => text : translated);
        const profile = profiles[of.verifier_capability.covers_content_digest];
        return { id, expected: expectedOf(of), outcome: () => judge(of, request, profile, platform) };
      }),
  });

  testSuite(`AdCP's vectors with URLs that the caller normalized, ${platform.name}`, {
    total: 11,
    cases: () =>
      vectorIds()
        .filter((id) => id.includes('positive/') && vector(id).expected_signature_base !== undefined)
        .filter((id) => id !== 'positive/002-post-with-content-digest')
        .map((id) => {
          const of = vector(id);
          const request = requestOf(of, isOf32(id) ? (text) => text : translated);
          const profile = profiles[of.verifier_capability.covers_content_digest];
          const normal = { ...request, targetUri: normalUri(of) };
          return { id, expected: 'accepted sig1', outcome: () => judge(of, normal, profile, platform) };
        }),
  });

  testSuite(`AdCP's vectors of 3.1 without a signed digest, by 3.2, ${platform.name}`, {
    total: 11,
    cases: () =>
      vectorNames('adcp/positive')
        .map((name) => ({ id: `positive/${name}`, of: vector(`positive/${name}`) }))
        .filter(({ of }) => of.verifier_capability.covers_content_digest === 'either')
        .map(({ id, of }) => ({
          id,
          // Two with the tag, neither of which covers enough.
          expected: id.includes('/004-') ? 'signature_not_selected' : 'components_invalid',
          outcome: () => judge(of, requestOf(of, translated), adcp32, platform),
        })),
  });

  testSuite(`AdCP's Ed25519 signatures, made by us, ${platform.name}`, {
    total: 11,
    cases: () =>
      vectorIds()
        .filter(
          (id) => id.includes('positive/') && inputOf(vector(id)).parameters.get('alg')!.value === 'ed25519',
        )
        .filter((id) => !id.includes('/004-'))
        .map((id) => {
          const of = vector(id);
          return {
            id,
            expected: isOf32(id)
              ? of.request.headers['Signature']!
              : translated(of.request.headers['Signature']!),
            outcome: async () => {
              const { items, parameters } = inputOf(of);
              return signatureOf({ ...unsigned(of), targetUri: normalUri(of) }, items.map(serializeMember), {
                parameters,
                key: await signingKey('test-ed25519-2026', platform),
              });
            },
          };
        }),
  });
}

function inputOf({ request }: AdcpVector): InnerList {
  return parseDictionary(request.headers['Signature-Input']!)!.get('sig1') as InnerList;
}

function unsigned(of: AdcpVector): RequestMessage & { readonly headers: readonly [string, string][] } {
  const headers = Object.entries(of.request.headers).filter(([name]) => !name.startsWith('Signature'));
  return { ...requestOf(of, (text) => text), headers };
}

function normalUri({ expected_signature_base: base }: AdcpVector): string {
  return /^"@target-uri": (.*)$/m.exec(base!)![1]!;
}

async function signingKey(keyid: string, platform: MessagesPlatform): Promise<MessageSigningKey> {
  const jwk = adcpKeys().find(({ kid }) => kid === keyid)!;
  const { kty, crv, x, _private_d_for_test_only: d } = jwk;
  const key = createPrivateKey({ format: 'jwk', key: { kty, crv, x, d } as JsonWebKey });
  return platform.signingKey(key.export({ format: 'pem', type: 'pkcs8' }));
}

async function signatureOf(
  request: RequestMessage,
  components: readonly string[],
  { parameters, key }: { readonly parameters: InnerList['parameters']; readonly key: MessageSigningKey },
): Promise<string> {
  const values = Object.fromEntries([...parameters].map(([name, { value }]) => [name, value]));
  const { headers } = await createSignature(request, {
    label: 'sig1',
    components,
    parameters: values,
    key,
  });
  return headers.Signature;
}

// Signature bases.

testSuite("AdCP's signature bases", {
  total: 15,
  differs: Object.fromEntries(
    ['005-default-port-stripped', '006-dot-segment-path', '008-percent-encoded-path']
      .concat(['009-percent-encoded-unreserved-decoded', '012-ipv6-authority-default-port-stripped'])
      .map((name) => [`positive/${name}`, { ours: 'another "@target-uri"', reason: notNormal.reason }]),
  ),
  cases: () =>
    vectorIds()
      .filter((id) => vector(id).expected_signature_base !== undefined)
      .map((id) => ({
        id,
        expected: 'the same',
        outcome: () => {
          const of = vector(id);
          const message = readMessage(requestOf(of, translated));
          assert.ok(typeof message === 'object');
          const input = inputOf(of);
          const ours = messageBase(input, coveredComponents(input), message).text.split('\n');
          const theirs = of.expected_signature_base!.split('\n');
          assert.equal(ours.length, theirs.length);
          const others = ours.filter((line, index) => line !== theirs[index]);
          return others.length === 0
            ? 'the same'
            : `another ${others.map((line) => line.slice(0, line.indexOf(':'))).join(', ')}`;
        },
      })),
});

// The originals.

/** True for a signature that is no lawful byte sequence. */
function isBase64Url(text: string | undefined): boolean {
  return text !== undefined && translated(text) !== text;
}

test("AdCP's other vectors have lawful signatures, mostly placeholders, or none", { skip }, () => {
  const others = vectorIds()
    .map((id) => vector(id).request.headers['Signature'])
    .filter((text) => !isBase64Url(text));
  const lengths = others.map((text) => {
    const member = text === undefined ? undefined : parseDictionary(text)!.get('sig1');
    if (member === undefined) return 'none';
    assert.ok(member.type === 'item' && member.value.type === 'bytes');
    return member.value.value.length;
  });
  assert.deepEqual(
    { ...Object.groupBy(lengths, String) },
    {
      64: Array.from({ length: 2 }, () => 64),
      // Zeros; the suite counts their characters wrong.
      66: Array.from({ length: 19 }, () => 66),
      none: Array.from({ length: 3 }, () => 'none'),
    },
  );
});

/** Refused before their signature is read. */
const refusedEarlier: Readonly<Record<string, string>> = {
  'negative/019-signature-without-signature-input': 'signature_missing',
  'negative/026-non-ascii-host': 'message_malformed',
};

for (const platform of platforms) {
  testSuite(`AdCP's vectors as they are, in base64url without padding, ${platform.name}`, {
    total: 19,
    cases: () =>
      vectorIds()
        .filter((id) => isBase64Url(vector(id).request.headers['Signature']))
        .map((id) => ({
          id,
          expected: refusedEarlier[id] ?? 'signature_malformed',
          outcome: () => {
            const of = vector(id);
            const original = of.request.headers['Signature']!;
            assert.equal(parseDictionary(original), undefined);
            assert.ok(parseDictionary(translated(original)));
            const profile = profiles[of.verifier_capability.covers_content_digest];
            return judge(
              of,
              requestOf(of, (text) => text),
              profile,
              platform,
            );
          },
        })),
  });

  describe(`beside AdCP's vectors, ${platform.name}`, { skip }, () => {
    test('a digest that is there twice is malformed, with a valid signature', async () => {
      const of = vector('negative/023-multi-valued-content-digest');
      const { items, parameters } = inputOf(of);
      const request = unsigned(of);
      const signed = await signatureOf(request, items.map(serializeMember), {
        parameters,
        key: await signingKey('test-ed25519-2026', platform),
      });
      const headers = [
        ...request.headers,
        ['Signature-Input', of.request.headers['Signature-Input']!] as const,
        ['Signature', signed] as const,
      ];
      assert.equal(await judge(of, { ...request, headers }, adcp32, platform), 'digest_malformed');
    });

    test('a full guard rejects a valid signature', async () => {
      const of = vector('positive/010-percent-encoded-slash-preserved');
      const guard = await guardOf(vector('negative/020-rate-abuse'), platform);
      const first = vector('positive/001-basic-post');
      const other = { ...parametersOf(of), nonce: 'AnotherNonceOf22Characters' };
      const key = await signingKey('test-ed25519-2026', platform);
      const { headers } = await createSignature(unsigned(of), {
        label: 'sig1',
        components: inputOf(of).items.map(serializeMember),
        parameters: other,
        key,
      });
      const lines = [...unsigned(of).headers, ...(Object.entries(headers) as [string, string][])];
      const request = { ...unsigned(of), headers: lines };
      assert.equal(await judge(of, request, profiles.either, platform, guard), 'guard_full');
      assert.equal(
        await judge(first, requestOf(first, translated), profiles.either, platform, guard),
        'signature_replayed',
      );
    });

    test('a JWK whose alg is not for its curve is refused, and one without its y', async () => {
      const [jwk] = vector('negative/025-jwk-alg-crv-mismatch').jwks_override!.keys;
      const { alg, ...others } = publicMembers(jwk!);
      assert.equal(alg, 'EdDSA');
      await assert.rejects(async () => platform.verifyingKey(publicMembers(jwk!)), TypeError);
      await assert.rejects(async () => platform.verifyingKey(others), TypeError);
      const ecKey = adcpKeys().find(({ kty }) => kty === 'EC')!;
      const mismatch = { ...publicMembers(ecKey), alg: 'EdDSA' };
      await assert.rejects(async () => platform.verifyingKey(mismatch), TypeError);
      assert.equal((await platform.verifyingKey(publicMembers(ecKey))).algorithm, 'ecdsa-p256-sha256');
    });
  });
}

function parametersOf(of: AdcpVector): SignatureParameters {
  return Object.fromEntries([...inputOf(of).parameters].map(([name, { value }]) => [name, value]));
}

// Canonical URLs.

interface UrlCase {
  readonly name: string;
  readonly input_url: string;
  readonly expected_target_uri?: string;
  readonly expected_authority?: string;
  readonly reject?: boolean;
}

function componentsOfUrl(targetUri: string): string {
  const message = readMessage({ method: 'GET', targetUri, headers: [] });
  if (typeof message === 'string') return 'refused';
  const [uri, authority] = ['@target-uri', '@authority'].map((name) =>
    componentValue(readComponentIdentifier(name), message),
  );
  return `${uri} of ${authority}`;
}

const asItIs = 'RFC 9421 section 2.2.2: @target-uri is the target URI as it is; AdCP normalizes it';
const notAscii = 'RFC 3986 section 2: a URI is ASCII; the caller converts an internationalized name';
const rootDot =
  'RFC 9421 section 2.2.3 and RFC 9110 section 4.2.3 lower the case and omit the port; a last dot stays';
const emptyLabel = 'RFC 3986 section 3.2.2: a registered name may have empty labels; AdCP refuses them';
testSuite("AdCP's canonical URLs", {
  total: 37,
  cases: () =>
    (readVectors('adcp/canonicalization.json') as { readonly cases: readonly UrlCase[] }).cases.map(
      ({ name, input_url: url, expected_target_uri: uri, expected_authority: authority, reject }) => ({
        id: name,
        expected: reject === true ? 'refused' : `${uri!} of ${authority!}`,
        outcome: () => componentsOfUrl(url),
      }),
    ),
  differs: {
    'host-lowercase': { ours: 'https://Seller.Example.COM/p of seller.example.com', reason: asItIs },
    'dns-root-dot-stripped': { ours: 'https://example.com./p of example.com.', reason: rootDot },
    'dns-root-dot-with-port-stripped': {
      ours: 'https://example.com.:8443/p of example.com.:8443',
      reason: rootDot,
    },
    'idn-to-punycode': { ours: 'refused', reason: notAscii },
    'idn-mixed-case-to-punycode': { ours: 'refused', reason: notAscii },
    'idn-u-label-root-dot-stripped': { ours: 'refused', reason: notAscii },
    'idn-a-label-root-dot-stripped': {
      ours: 'https://xn--bcher-kva.example./p of xn--bcher-kva.example.',
      reason: rootDot,
    },
    'multiple-trailing-dots-rejected': {
      ours: 'https://example.com../p of example.com..',
      reason: emptyLabel,
    },
    'internal-empty-dns-label-rejected': {
      ours: 'https://example..com/p of example..com',
      reason: emptyLabel,
    },
    'ipv6-host-hex-lowercased': { ours: 'https://[2001:DB8::1]/p of [2001:db8::1]', reason: asItIs },
    'userinfo-stripped': {
      ours: 'refused',
      reason: 'RFC 9110 section 4.2.4: a recipient should treat user information as an error',
    },
    'default-port-https-stripped': {
      ours: 'https://seller.example.com:443/adcp/create_media_buy of seller.example.com',
      reason: asItIs,
    },
    'default-port-http-stripped': {
      ours: 'http://seller.example.com:80/p of seller.example.com',
      reason: asItIs,
    },
    'dot-segment-collapsed': {
      ours: 'https://seller.example.com/adcp/./create_media_buy of seller.example.com',
      reason: asItIs,
    },
    'double-dot-segment-collapsed': {
      ours: 'https://seller.example.com/a/b/../c of seller.example.com',
      reason: asItIs,
    },
    'dot-segment-with-consecutive-slashes': {
      ours: 'https://seller.example.com/a/.//b of seller.example.com',
      reason: asItIs,
    },
    'double-dot-segment-with-consecutive-slashes': {
      ours: 'https://seller.example.com/a//../b of seller.example.com',
      reason: asItIs,
    },
    'empty-path-with-authority-becomes-slash': {
      ours: 'https://seller.example.com?x=1 of seller.example.com',
      reason: 'RFC 9421 section 2.2.2: the target URI is its text; section 2.2.6 normalizes "@path" alone',
    },
    'scheme-lowercase': {
      ours: 'HTTPS://seller.example.com/adcp/create_media_buy of seller.example.com',
      reason: 'RFC 9421 section 2.2.2: the target URI is its text; section 2.2.4 normalizes "@scheme" alone',
    },
    'percent-encoded-hex-uppercased': {
      ours: 'https://seller.example.com/path%2fhere of seller.example.com',
      reason: asItIs,
    },
    'percent-encoded-unreserved-tilde-decoded': {
      ours: 'https://seller.example.com/%7Efoo of seller.example.com',
      reason: asItIs,
    },
    'percent-encoded-unreserved-alpha-decoded': {
      ours: 'https://seller.example.com/%41%42C of seller.example.com',
      reason: asItIs,
    },
    'fragment-stripped': {
      ours: 'refused',
      reason: 'RFC 9110 section 7.1: a target URI has no fragment, so a text with one is none',
    },
  },
});

// The policy for bodies: facts, of which each becomes a request.

interface PolicyCase {
  readonly id: string;
  readonly endpoint_profile: '3.1' | '3.2';
  readonly mode: string;
  readonly has_body: boolean;
  readonly signature_present: boolean;
  readonly signature_header_state?: 'malformed_pair';
  readonly covers_content_digest?: boolean;
  readonly digest_matches_body?: boolean;
  readonly cryptographic_signature_valid?: boolean;
  readonly fallback_auth_valid: boolean;
  readonly expected: { readonly action: string; readonly error_code?: string };
}

function digestOf(body: string): string {
  return `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
}

async function policyRequest(facts: PolicyCase, platform: MessagesPlatform): Promise<RequestMessage> {
  const body = facts.has_body ? '{"plan_id":"plan_001"}' : '';
  const delivered = digestOf(facts.digest_matches_body === false ? 'another body' : body);
  const signedDigest =
    facts.cryptographic_signature_valid === false ? digestOf('an earlier body') : delivered;
  const request = {
    method: facts.has_body ? 'POST' : 'GET',
    targetUri: 'https://seller.example.com/adcp/create_media_buy',
    body: new TextEncoder().encode(body),
  };
  const type: readonly (readonly [string, string])[] = facts.has_body
    ? [['Content-Type', 'application/json']]
    : [];
  const of = vector('positive/001-basic-post');
  const { headers } = await createSignature(
    { ...request, headers: [...type, ['Content-Digest', signedDigest]] },
    {
      label: 'sig1',
      components: [
        '@method',
        '@target-uri',
        '@authority',
        ...(facts.has_body ? ['content-type'] : []),
        ...(facts.covers_content_digest === true ? ['content-digest'] : []),
      ],
      parameters: parametersOf(of),
      key: await signingKey('test-ed25519-2026', platform),
    },
  );
  const lines = (Object.entries(headers) as [string, string][]).filter(
    ([name]) =>
      facts.signature_present && (facts.signature_header_state === undefined || name === 'Signature'),
  );
  return { ...request, headers: [...type, ['Content-Digest', delivered], ...lines] };
}

function policyCases(): readonly PolicyCase[] {
  return (readVectors('adcp/body-integrity-policy.json') as { readonly cases: readonly PolicyCase[] }).cases;
}

/** True where the answer is that of another authentication. */
function isFallback({ expected: { action }, fallback_auth_valid: isValid }: PolicyCase): boolean {
  return action === 'reject_unauthenticated' || (isValid && action !== 'reject');
}

for (const platform of platforms) {
  testSuite(`AdCP's policy for bodies, ${platform.name}`, {
    total: 12,
    cases: () =>
      policyCases()
        .filter((facts) => !isFallback(facts))
        .map((facts): SuiteCase => ({
          id: facts.id,
          expected:
            facts.expected.error_code === undefined ? 'accepted sig1' : meanings[facts.expected.error_code]!,
          outcome: async () =>
            judge(
              vector('positive/001-basic-post'),
              await policyRequest(facts, platform),
              facts.endpoint_profile === '3.2' ? adcp32 : profiles.either,
              platform,
            ),
        })),
    differs: { 'warn-for-malformed-header-pair-hard-rejects': halfSigned },
    outOfScopeTotal: 5,
    outOfScope: () =>
      policyCases()
        .filter(isFallback)
        .map(({ id }) => ({ id, reason: 'what to do without a valid signature is up to the caller' })),
  });
}
