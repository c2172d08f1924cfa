import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { test } from 'node:test';
import {
  createSignature,
  defineProfile,
  MemoryMessageGuard,
  type MessageAlgorithm,
  type MessageProfile,
  messageProfiles,
  type RequestMessage,
} from '../../src/on-web/messages.ts';
import { type InnerList, parseDictionary, serializeMember } from '../../src/rfc9421/structured-fields.ts';
import { type MessagesPlatform, platforms } from './platforms.ts';
import { readVectors, skip, type SuiteCase, testSuite, verdict } from './suites.ts';

/** A signed request of an agent. Its key is private: the suite also has signers sign. */
interface AgentVector {
  readonly key: Readonly<Record<string, string>>;
  readonly target_url: string;
  readonly created_ms: number;
  readonly label: string;
  readonly signature: string;
  readonly signature_input: string;
  readonly signature_agent?: string;
}

function vectors(version: 1 | 2): readonly AgentVector[] {
  return readVectors(`cloudflare/web_bot_auth_architecture_v${version}.json`) as readonly AgentVector[];
}

/** The suite has no method: none is covered. */
function requestOf({ target_url: targetUri, signature_agent: agent }: AgentVector): RequestMessage & {
  readonly headers: readonly (readonly [string, string])[];
} {
  return {
    method: 'GET',
    targetUri,
    headers: agent === undefined ? [] : [['Signature-Agent', agent]],
  };
}

function publicKeyOf({ key }: AgentVector): Record<string, string> {
  const { kty, crv, x, n, e, alg } = key;
  const members = { kty, crv, x, n, e, alg };
  return Object.fromEntries(
    Object.entries(members).filter((member): member is [string, string] => member[1] !== undefined),
  );
}

function inputOf({ signature_input: text, label }: AgentVector): InnerList {
  return parseDictionary(text)!.get(label) as InnerList;
}

function idOf({ label, key }: AgentVector): string {
  return `${label} by a key of the type ${key['kty']!}`;
}

async function judge(
  vector: AgentVector,
  profile: MessageProfile,
  platform: MessagesPlatform,
): Promise<string> {
  const request = requestOf(vector);
  const headers = [
    ...request.headers,
    ['Signature-Input', vector.signature_input] as const,
    ['Signature', vector.signature] as const,
  ];
  const key = await platform.verifyingKey(publicKeyOf(vector), { allowPublishedTestKeys: true });
  const keyid = inputOf(vector).parameters.get('keyid')?.value;
  return verdict(
    platform,
    { ...request, headers },
    {
      profile: defineProfile(profile),
      keysFor: (claimed) => (claimed.keyid === keyid ? key : undefined),
      guard: new MemoryMessageGuard(),
      nowSeconds: () => vector.created_ms / 1000 + 1,
    },
  );
}

/** All of them are valid. */
function casesOf(
  version: 1 | 2,
  profile: MessageProfile,
  platform: MessagesPlatform,
): () => readonly SuiteCase[] {
  return () =>
    vectors(version).map((vector) => ({
      id: idOf(vector),
      expected: 'accepted',
      outcome: () => judge(vector, profile, platform),
    }));
}

/** Accepts the 100 years of the second version's vectors. */
function withoutLifeLimit(profile: MessageProfile): MessageProfile {
  return { ...profile, time: { maxFutureSeconds: 60 }, replay: 'off' };
}

const withoutAgent = {
  ours: 'components_invalid',
  reason:
    'draft-ietf-webbotauth-httpsig-protocol-01 requires Signature-Agent in every signed request; the vectors are of an older one',
};
const tooLong = {
  ours: 'parameters_invalid',
  reason:
    'draft-ietf-webbotauth-httpsig-protocol-01 recommends a life of at most 24 hours, which the profile requires',
};
const wholeField = {
  ours: 'components_invalid',
  reason:
    'draft-meunier-web-bot-auth-architecture up to -03, which the profile follows, has Signature-Agent as one string, covered as a whole',
};

for (const platform of platforms) {
  testSuite(`Cloudflare's agents v1, ${platform.name}`, {
    total: 4,
    cases: casesOf(1, messageProfiles.webBotAuth2025, platform),
  });

  testSuite(`Cloudflare's agents v1 by the draft of 2026, ${platform.name}`, {
    total: 4,
    cases: casesOf(1, messageProfiles.webBotAuth01, platform),
    differs: {
      'sig1 by a key of the type RSA': withoutAgent,
      'sig1 by a key of the type OKP': withoutAgent,
      'sig2 by a key of the type RSA': withoutAgent,
      'sig2 by a key of the type OKP': withoutAgent,
    },
  });

  testSuite(`Cloudflare's agents v2, ${platform.name}`, {
    total: 4,
    cases: casesOf(2, messageProfiles.webBotAuth01, platform),
    differs: {
      'sig1 by a key of the type RSA': withoutAgent,
      'sig1 by a key of the type OKP': withoutAgent,
      'sig2 by a key of the type RSA': tooLong,
      'sig2 by a key of the type OKP': tooLong,
    },
  });

  testSuite(`Cloudflare's agents v2 without a limit of the life, ${platform.name}`, {
    total: 4,
    cases: casesOf(2, withoutLifeLimit(messageProfiles.webBotAuth01), platform),
    differs: {
      'sig1 by a key of the type RSA': withoutAgent,
      'sig1 by a key of the type OKP': withoutAgent,
    },
  });

  testSuite(`Cloudflare's agents v2 by the drafts of 2025, without a limit of the life, ${platform.name}`, {
    total: 4,
    cases: casesOf(2, withoutLifeLimit(messageProfiles.webBotAuth2025), platform),
    differs: {
      'sig2 by a key of the type RSA': wholeField,
      'sig2 by a key of the type OKP': wholeField,
    },
  });

  testSuite(`Cloudflare's agents, signed by us, ${platform.name}`, {
    total: 4,
    cases: () =>
      ([1, 2] as const).flatMap((version) =>
        vectors(version)
          .filter(({ key }) => key['kty'] === 'OKP')
          .map((vector) => ({
            id: `v${version}, ${vector.label}`,
            expected: `${vector.signature_input}\n${vector.signature}`,
            outcome: async () => {
              const { label, key } = vector;
              const { items, parameters } = inputOf(vector);
              const pem = createPrivateKey({ format: 'jwk', key }).export({ format: 'pem', type: 'pkcs8' });
              const { headers } = await createSignature(requestOf(vector), {
                label,
                components: items.map(serializeMember),
                parameters: Object.fromEntries([...parameters].map(([name, { value }]) => [name, value])),
                key: await platform.signingKey(pem, { algorithm: 'ed25519' }),
              });
              return `${headers['Signature-Input']}\n${headers.Signature}`;
            },
          })),
      ),
  });

  test(`Cloudflare's keys are refused unless test keys are allowed, ${platform.name}`, { skip }, async () => {
    const seen = new Set<MessageAlgorithm>();
    for (const vector of [...vectors(1), ...vectors(2)]) {
      await assert.rejects(async () => platform.verifyingKey(publicKeyOf(vector)), TypeError);
      await assert.rejects(
        async () => platform.verifyingKey(vector.key, { allowPublishedTestKeys: true }),
        TypeError,
        'the key is private',
      );
      const { algorithm } = await platform.verifyingKey(publicKeyOf(vector), {
        allowPublishedTestKeys: true,
      });
      seen.add(algorithm);
    }
    assert.deepEqual([...seen], ['rsa-pss-sha512', 'ed25519']);
  });
}

testSuite("Cloudflare's cards, registries and readings of Signature-Agent", {
  total: 0,
  cases: () => [],
  outOfScopeTotal: 9,
  outOfScope: () =>
    ['signature_agent', 'signature_agent_card', 'registry'].flatMap((name) =>
      (readVectors(`cloudflare/web_bot_auth_${name}_v1.json`) as readonly { readonly name: string }[]).map(
        (vector) => ({
          id: `${name}: ${vector.name}`,
          reason: 'the caller fetches and reads directories, cards and registries; the library does not',
        }),
      ),
    ),
});
