import { createHash } from 'node:crypto';
import {
  defineProfile,
  type HttpMessage,
  MemoryMessageGuard,
  type MessageProfile,
  messageProfiles,
  type MessageVerifyingKey,
  type RequestMessage,
} from '../../src/on-web/messages.ts';
import { readMessage } from '../../src/rfc9421/message.ts';
import { coveredComponents, messageBase } from '../../src/rfc9421/message-base.ts';
import { type InnerList, parseDictionary } from '../../src/rfc9421/structured-fields.ts';
import { type MessagesPlatform, platforms } from './platforms.ts';
import {
  credulousKey,
  ed25519Jwk,
  keyVerdict,
  pointJwk,
  readVectors,
  spkiPem,
  type SuiteCase,
  testSuite,
  verdict,
} from './suites.ts';

interface Noted {
  readonly note: string;
}

interface BaseVector extends Noted {
  readonly in: {
    readonly method?: string;
    readonly authority?: string;
    readonly path?: string;
    readonly target_uri?: string;
    readonly status?: number;
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly signature_params_raw: string;
  readonly signing_base_b64: string;
}

interface CoverageVector extends Noted {
  readonly message_type?: 'request' | 'response';
  readonly covered_components: readonly string[];
  readonly expect_accept: boolean;
}

interface SignatureVector extends Noted {
  readonly signing_base_b64: string;
  readonly sig_hex: string;
  readonly expect_valid: boolean;
}

function idOf({ note }: Noted, index: number): string {
  return `[${index}] ${note}`;
}

function messageOf({ in: given }: BaseVector): HttpMessage {
  const headers = Object.entries(given.headers);
  if (given.status !== undefined) return { status: given.status, headers };
  return {
    method: given.method!,
    targetUri: given.target_uri ?? `https://${given.authority!}${given.path!}`,
    headers,
  };
}

function baseCases(vectors: readonly BaseVector[]): readonly SuiteCase[] {
  return vectors.map((vector, index) => ({
    id: idOf(vector, index),
    expected: Buffer.from(vector.signing_base_b64, 'base64').toString(),
    outcome: () => {
      const message = readMessage(messageOf(vector));
      if (typeof message === 'string') return message;
      const input = parseDictionary(`sig=${vector.signature_params_raw}`)!.get('sig') as InnerList;
      return messageBase(input, coveredComponents(input), message).text;
    },
  }));
}

/** Verifies a message with the given `Signature-Input`, and a signature that the credulous key accepts. */
async function judge(
  platform: MessagesPlatform,
  profile: MessageProfile,
  message: HttpMessage & { readonly headers: readonly (readonly [string, string])[] },
  input: string,
  { nowSeconds = 1500, key = credulousKey, signature = 'AAAA', keyid = 'key' } = {},
): Promise<string> {
  const headers = [
    ...message.headers,
    ['Signature-Input', `sig=${input}`] as const,
    ['Signature', `sig=:${signature}:`] as const,
  ];
  return verdict(
    platform,
    { ...message, headers },
    {
      profile: defineProfile(profile),
      keysFor: (claimed) => (claimed.keyid === keyid ? key : undefined),
      guard: new MemoryMessageGuard(),
      nowSeconds: () => nowSeconds,
    },
  );
}

function listed(components: readonly string[]): string {
  return `(${components.map((name) => `"${name}"`).join(' ')})`;
}

// Web Bot Auth.

interface AgentBattery {
  readonly wba_signing_base: readonly BaseVector[];
  readonly wba_coverage: readonly CoverageVector[];
  readonly wba_freshness: readonly (Noted & {
    readonly created: number;
    readonly expires: number;
    readonly now: number;
    readonly reason: string;
  })[];
  readonly wba_directory: readonly (Noted & {
    readonly directory: readonly Readonly<Record<string, string>>[];
    readonly keyid: string;
    readonly expect_accept: boolean;
  })[];
  readonly wba_directory_ssrf: readonly Noted[];
  readonly wba_ed25519_verify: readonly (SignatureVector & { readonly pk_hex: string })[];
}

function agents(): AgentBattery {
  return readVectors('algovoi/webbotauth_v0.json') as AgentBattery;
}

/** The message that the suite's bases are of. */
const agentRequest = {
  method: 'GET',
  targetUri: 'https://bot.example/',
  headers: [['Signature-Agent', '"https://directory.example/keys"']],
} as const;

function agentParameters(created: number, expires: number, keyid = 'key'): string {
  return `;created=${created};expires=${expires};keyid="${keyid}";alg="ed25519";tag="web-bot-auth"`;
}

testSuite("AlgoVoi's agents, bases", { total: 2, cases: () => baseCases(agents().wba_signing_base) });

testSuite("AlgoVoi's agents, fetching directories", {
  total: 0,
  cases: () => [],
  outOfScopeTotal: 10,
  outOfScope: () =>
    agents().wba_directory_ssrf.map((vector, index) => ({
      id: idOf(vector, index),
      reason: 'the caller fetches directories; the library does not',
    })),
});

/** What the suite's reasons are called here. */
const freshness: Readonly<Record<string, string>> = {
  ok: 'accepted',
  expired: 'signature_expired',
  not_yet_valid: 'created_in_future',
  expires_not_after_created: 'parameters_invalid',
};

for (const platform of platforms) {
  const profile = messageProfiles.webBotAuth2025;

  testSuite(`AlgoVoi's agents, covered components, ${platform.name}`, {
    total: 5,
    cases: () =>
      agents().wba_coverage.map((vector, index) => ({
        id: idOf(vector, index),
        expected: vector.expect_accept ? 'accepted' : 'components_invalid',
        outcome: () =>
          judge(
            platform,
            profile,
            agentRequest,
            listed(vector.covered_components) + agentParameters(1000, 2000),
          ),
      })),
  });

  testSuite(`AlgoVoi's agents, time, ${platform.name}`, {
    total: 7,
    cases: () =>
      agents().wba_freshness.map((vector, index) => ({
        id: idOf(vector, index),
        expected: freshness[vector.reason]!,
        outcome: () =>
          judge(
            platform,
            profile,
            agentRequest,
            `("@authority" "signature-agent")${agentParameters(vector.created, vector.expires)}`,
            { nowSeconds: vector.now },
          ),
      })),
    differs: {
      '[3] boundary: now == expires (expired)': {
        ours: 'accepted',
        reason: 'RFC 9421 section 1.1: expires is the time after which a signature is no longer accepted',
      },
    },
  });

  testSuite(`AlgoVoi's agents, keys of a directory, ${platform.name}`, {
    total: 4,
    cases: () =>
      agents().wba_directory.map((vector, index) => ({
        id: idOf(vector, index),
        expected: vector.expect_accept ? 'accepted' : 'signature_invalid',
        outcome: async () => {
          const jwk = vector.directory.find(({ kid }) => kid === vector.keyid);
          const read = jwk && (await platform.verifyingKey(jwk, { allowPublishedTestKeys: true }));
          // The suite has no signatures of them: only whether the key is tried.
          const key: MessageVerifyingKey = { ...credulousKey, ...(read && { algorithm: read.algorithm }) };
          return judge(
            platform,
            profile,
            agentRequest,
            `("@authority" "signature-agent")${agentParameters(1000, 2000, vector.keyid)}`,
            { key, keyid: read === undefined ? 'another key' : vector.keyid },
          );
        },
      })),
  });

  testSuite(`AlgoVoi's agents, signatures, ${platform.name}`, {
    total: 3,
    cases: () =>
      agents().wba_ed25519_verify.map((vector, index) => ({
        id: idOf(vector, index),
        expected: vector.expect_valid ? 'accepted' : 'signature_invalid',
        outcome: async () => {
          const base = Buffer.from(vector.signing_base_b64, 'base64').toString();
          const [, input, keyid] = /"@signature-params": (.*;keyid="([^"]+)".*)$/.exec(base)!;
          return judge(platform, profile, agentRequest, input!, {
            key: await platform.verifyingKey(ed25519Jwk(vector.pk_hex)),
            signature: Buffer.from(vector.sig_hex, 'hex').toString('base64'),
            keyid: keyid!,
          });
        },
      })),
  });
}

// FAPI.

interface FapiBattery {
  readonly fapi_signing_base: readonly BaseVector[];
  readonly fapi_required_coverage: readonly CoverageVector[];
  readonly fapi_content_digest: readonly (Noted & {
    readonly body_b64: string;
    readonly content_digest: string;
    readonly covered_components: readonly string[];
    readonly reason: string;
  })[];
  readonly fapi_alg: readonly (Noted & { readonly alg: string; readonly expect_accept: boolean })[];
  readonly fapi_ps256_verify: readonly (SignatureVector & { readonly pub_spki_hex: string })[];
  readonly fapi_es256_verify: readonly (Omit<SignatureVector, 'sig_hex'> & {
    readonly sig_raw_hex: string;
    readonly pub_uncompressed_hex: string;
  })[];
}

function fapi(): FapiBattery {
  return readVectors('algovoi/fapi_messagesigning_v0.json') as FapiBattery;
}

const body = '{"amount":"1250.00"}';
const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
const fapiRequest = {
  method: 'POST',
  targetUri: 'https://api.bank.example/payments',
  headers: [
    ['Authorization', 'Bearer token'],
    ['Content-Digest', digest],
  ],
  body: Buffer.from(body),
} as const satisfies RequestMessage;
const fapiResponse = {
  status: 200,
  headers: [['Content-Digest', digest]],
  body: Buffer.from(body),
  request: fapiRequest,
} as const;

const digestReasons: Readonly<Record<string, string>> = {
  ok: 'accepted',
  content_digest_mismatch: 'digest_mismatch',
  content_digest_not_covered: 'components_invalid',
  'content_digest_algorithm_not_allowed:md5': 'digest_missing',
};

/** The suite covers the digest alone. */
const digestOnly: MessageProfile = {
  ...messageProfiles.fapi2Request01,
  components: { required: [{ identifier: 'content-digest', when: 'body' }], others: 'any' },
  replay: 'off',
};

/** The response signature without its request, as the suite has it. */
const unboundResponse: MessageProfile = {
  ...messageProfiles.fapi2Response01,
  components: {
    required: messageProfiles.fapi2Response01.components.required.filter(
      ({ identifier }) => !String(identifier).includes(';req'),
    ),
    others: 'any',
  },
};

function coverageCases(platform: MessagesPlatform, response: MessageProfile): readonly SuiteCase[] {
  return fapi().fapi_required_coverage.map((vector, index) => ({
    id: idOf(vector, index),
    expected: vector.expect_accept ? 'accepted' : 'components_invalid',
    outcome: () => {
      const type = vector.message_type!;
      const isRequest = type === 'request';
      return judge(
        platform,
        isRequest ? messageProfiles.fapi2Request01 : response,
        isRequest ? fapiRequest : fapiResponse,
        `${listed(vector.covered_components)};created=1500;keyid="key";tag="fapi-2-${type}"`,
      );
    },
  }));
}

const unregistered = {
  ours: 'algorithm_not_allowed',
  reason:
    'RFC 9421 section 2.3: alg is a name of the registry of section 6.2, which has neither; such keys sign without alg',
};

testSuite("AlgoVoi's FAPI, bases", { total: 2, cases: () => baseCases(fapi().fapi_signing_base) });

for (const platform of platforms) {
  testSuite(`AlgoVoi's FAPI, covered components, ${platform.name}`, {
    total: 6,
    cases: () => coverageCases(platform, messageProfiles.fapi2Response01),
    differs: {
      '[4] response covers the mandated set': {
        ours: 'components_invalid',
        reason:
          'fapi-2_0-http-signatures-01: the signer of a response must also cover the method and target URI of the request, and the profile holds it to that',
      },
    },
  });

  testSuite(`AlgoVoi's FAPI, covered components, responses without their request, ${platform.name}`, {
    total: 6,
    cases: () => coverageCases(platform, unboundResponse),
  });

  testSuite(`AlgoVoi's FAPI, digests, ${platform.name}`, {
    total: 5,
    cases: () =>
      fapi().fapi_content_digest.map((vector, index) => ({
        id: idOf(vector, index),
        expected: digestReasons[vector.reason]!,
        outcome: () =>
          judge(
            platform,
            digestOnly,
            {
              ...fapiRequest,
              headers: [['Content-Digest', vector.content_digest]],
              body: Buffer.from(vector.body_b64, 'base64'),
            },
            `${listed(vector.covered_components)};created=1500;keyid="key";tag="fapi-2-request"`,
          ),
      })),
  });

  testSuite(`AlgoVoi's FAPI, names of algorithms, ${platform.name}`, {
    total: 6,
    cases: () =>
      fapi().fapi_alg.map((vector, index) => ({
        id: idOf(vector, index),
        expected: vector.expect_accept ? 'accepted' : 'algorithm_not_allowed',
        outcome: () =>
          judge(
            platform,
            messageProfiles.fapi2Request01,
            fapiRequest,
            `("@method" "@target-uri" "authorization" "content-digest");created=1500;keyid="key";alg="${vector.alg}";tag="fapi-2-request"`,
          ),
      })),
    differs: {
      '[0] PS256 (RSA-PSS SHA-256) allowed': unregistered,
      '[1] ES256 (ECDSA P-256) allowed': unregistered,
    },
  });

  testSuite(`Names of algorithms beside AlgoVoi's, ${platform.name}`, {
    total: 3,
    cases: () =>
      (
        [
          ['PS256', 'PS256', 'algorithm_not_allowed'],
          ['ecdsa-p256-sha256', 'ecdsa-p256-sha256', 'accepted'],
          ['ecdsa-p256-sha256', 'ed25519', 'signature_invalid'],
        ] as const
      ).map(([alg, algorithm, expected]) => ({
        id: `${alg} announced for a key of ${algorithm}`,
        expected,
        outcome: () =>
          judge(
            platform,
            messageProfiles.fapi2Request01,
            fapiRequest,
            `("@method" "@target-uri" "authorization" "content-digest");created=1500;keyid="key";alg="${alg}";tag="fapi-2-request"`,
            { key: { ...credulousKey, algorithm } },
          ),
      })),
  });

  testSuite(`AlgoVoi's FAPI, PS256, ${platform.name}`, {
    total: 4,
    cases: () =>
      fapi().fapi_ps256_verify.map((vector, index) => ({
        id: idOf(vector, index),
        expected: vector.expect_valid ? 'accepted' : 'rejected',
        outcome: () =>
          keyVerdict(
            () => platform.verifyingKey(spkiPem(vector.pub_spki_hex), { algorithm: 'PS256' }),
            Buffer.from(vector.signing_base_b64, 'base64'),
            vector.sig_hex,
          ),
      })),
  });

  testSuite(`AlgoVoi's FAPI, ES256, ${platform.name}`, {
    total: 4,
    cases: () =>
      fapi().fapi_es256_verify.map((vector, index) => ({
        id: idOf(vector, index),
        expected: vector.expect_valid ? 'accepted' : 'rejected',
        outcome: () =>
          keyVerdict(
            () => platform.verifyingKey(pointJwk('P-256', vector.pub_uncompressed_hex)),
            Buffer.from(vector.signing_base_b64, 'base64'),
            vector.sig_raw_hex,
          ),
      })),
    differs: {
      '[1] high-s malleable twin, MUST reject under low-s': {
        ours: 'accepted',
        reason:
          'RFC 9421 section 3.3.4 and fapi-2_0-http-signatures-01: any s of FIPS 186-4 is valid; replays are recognized by the nonce or the base',
      },
    },
  });
}
