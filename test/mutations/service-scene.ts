import { createPublicKey } from 'node:crypto';
import { NetworkWhitelist } from '@countersign/contract';
import { decide, type RegisteredClient } from '@countersign/gate';
import {
  defineProfile,
  keyThumbprint,
  type MessageProfile,
  type MessageVerification,
  signingKey,
  verifyingKey,
} from '@countersign/signature/messages/node';
import { MemoryReplayGuard, readPublicKey, verificationKey } from '@countersign/signature/node';
import { readSignatureHeaders, rulesFrom } from '@countersign/signature/profile';
import type { KeyAlgorithm } from '@countersign/signature/rfc9421';
import { type KeyPair, makeKeyPairFor } from '@countersign/testing/key-pair';
import { profiles } from '@countersign/testing/profiled-requests';
import type { Scene } from './campaign.ts';
import type { Message } from './message.ts';
import type { Mutation } from './mutate.ts';
import { nowSeconds, proved, signed, unsigned } from './profile-scene.ts';
import { inOtherForm, signatureMutations } from './signature-bytes.ts';

const clientId = 'client_01k9xq2v6h4mz7c1r8t0w5n3bd';

/**
 * Requests to a service that accepts every profile, by its client with one of them: what its decision lets in. Each is decided
 * as announced and as chunked, which must agree.
 */
export async function serviceScene(profile: MessageProfile, algorithm: KeyAlgorithm): Promise<Scene> {
  const defined = defineProfile(profile);
  const keys = makeKeyPairFor(algorithm);
  const signing = signingKey(keys.privateKey, { algorithm });
  const thumbprint = await keyThumbprint(createPublicKey(keys.publicKey));
  const sign = (index: number): Promise<Message> =>
    signed(index, defined, signing, index === 0 ? thumbprint : clientId);
  const originals = await Promise.all(unsigned.map((_, index) => sign(index)));
  const again = await Promise.all(unsigned.map((_, index) => sign(index)));
  const [announced, chunked] = [
    decisionFor(profile, { ...keys, algorithm }, thumbprint),
    decisionFor(profile, { ...keys, algorithm }, thumbprint),
  ];
  const key = verifyingKey(keys.publicKey, { algorithm });
  const unguarded: MessageVerification = {
    profile: defineProfile({ ...profile, replay: 'off' }),
    keysFor: ({ keyid }) => (keyid === clientId || keyid === thumbprint ? key : undefined),
    nowSeconds: () => nowSeconds,
  };
  return {
    name: `service, ${profile.id}, ${algorithm}`,
    originals,
    mutations: [
      ...signatureMutations(algorithm),
      ...changesOfMembers,
      (message) => again.find(({ targetUri }) => targetUri === message.targetUri) ?? message,
      (message) => inOtherForm(message, algorithm) ?? message,
    ],
    verify: (message) => {
      const outcome = announced(message, message.body.length > 0);
      const inChunks = chunked(message, undefined);
      if (isVerified(outcome) !== isVerified(inChunks)) throw new Error(`${outcome}, in chunks ${inChunks}`);
      return outcome;
    },
    isTheSame: async (message, original) =>
      (await proved(message, unguarded)) === (await proved(original, unguarded)),
    acceptsAgain: false,
  };
}

const isVerified = (outcome: string): boolean => outcome === 'ok' || outcome === 'signature_replayed';

type Decide = (message: Message, hasBody: boolean | undefined) => string;

/** A client's keys; without an algorithm, for the usual one of their kind. */
type OwnKeys = KeyPair & { readonly algorithm?: KeyAlgorithm };

/** A decision with a guard of its own, among clients with other keys and profiles. */
function decisionFor(profile: MessageProfile, keys: OwnKeys, thumbprint: string): Decide {
  const client = clientWith(clientId, profile.id, keys);
  const others = [
    clientWith('client-closed', 'countersign', makeKeyPairFor('ed25519')),
    clientWith('client-curl', 'curl-8.22', makeKeyPairFor('ed25519')),
  ];
  const clients = new Map([client, ...others].map((one) => [one.clientId, one]));
  const guard = new MemoryReplayGuard({ repeat: 'strict' });
  const means = {
    registry: {
      clientById: (keyid: string) => clients.get(keyid),
      clientByKeyName: (keyid: string) => (keyid === thumbprint ? client : undefined),
      standIn: () => others[0],
    },
    guard: { use: (...given: Parameters<typeof guard.use>) => guard.use(...given) },
    rules: rulesFrom({}),
    otherProfiles: new Map(profiles.map((one) => [one.id, defineProfile(one)])),
  };
  return ({ method, targetUri, headers, body }, hasBody) => {
    const attempt = {
      method,
      targetUri,
      headers: readSignatureHeaders(headers),
      rawHeaders: headers.flat(),
      hasBody,
      nowSeconds,
      sourceAddress: '192.0.2.1',
      isSourceAllowed: () => true,
      requirement: undefined,
      parameters: {},
    };
    const decision = decide(attempt, means);
    const refusal = decision.head() ?? decision.body(Buffer.from(body, 'latin1')) ?? decision.replay();
    if (refusal === undefined) return 'ok';
    if ('then' in refusal) throw new Error('The guard answers at once.');
    return refusal.code;
  };
}

function clientWith(id: string, profile: string, { publicKey, algorithm }: OwnKeys): RegisteredClient {
  const reading = readPublicKey(publicKey);
  if (!reading.ok) throw new Error(reading.message);
  const { spkiDer } = reading.key;
  const key = verificationKey({ spkiDer, algorithm });
  return {
    clientId: id,
    accountId: 'account-1',
    name: id,
    status: 'active',
    profile,
    allowExplanations: false,
    keys: [{ ...key, keyId: `${id}-key`, fingerprint: '', isPending: false, endsAtMs: undefined }],
    network: NetworkWhitelist.fromTexts(['0.0.0.0']),
    roles: [],
    permissions: new Set(),
  };
}

/** Changes of what a service reads before it knows the profile: labels, tags, keyids, more signatures. */
const changesOfMembers: readonly Mutation[] = [
  inInput((text, random) =>
    text.replace(/keyid="[^"]*"/, `keyid="${random.pick([clientId, 'client-closed', 'client-curl', 'x'])}"`),
  ),
  inInput((text, random) =>
    text.replace(
      /;tag="[^"]*"/,
      random.pick(['', ';tag="gnap"', ';tag="web-bot-auth"', ';tag="fapi-2-request"']),
    ),
  ),
  inInput((text) => text.replace(/;alg="[^"]*"/, '')),
  inInput((text) => text.replace(/ "[^"]*"/, '')),
  inInput((text, random) =>
    text.replace(/\)/, random.pick([' "date")', ' "@status")', ' "@query")', ' "x";tr)'])),
  ),
  (message, random) => {
    const label = random.pick(['sig=', 'sig1=', 'partner=', 'countersign=']);
    return withFields(message, (text) => text.replace(/^[a-z0-9]+=/, label));
  },
  (message, random) => {
    const label = random.pick(['sig', 'sig1', 'other', 'countersign']);
    const more = {
      'signature-input': `${label}=("@method");created=${nowSeconds};keyid="${clientId}"`,
      signature: `${label}=:AAAA:`,
    };
    return withFields(message, (text, name) =>
      random.below(2) === 0 ? `${text}, ${more[name]}` : `${more[name]}, ${text}`,
    );
  },
  // The whole signature twice, under two labels.
  (message) => withFields(message, (text) => `${text}, ${text.replace(/^[a-z0-9]+=/, 'other=')}`),
  (message) => ({ ...message, targetUri: message.targetUri.replace('api.example.com', 'api.example.net') }),
  (message) => ({ ...message, method: message.method === 'GET' ? 'POST' : 'GET' }),
];

type FieldName = 'signature' | 'signature-input';

function inInput(change: (text: string, random: Parameters<Mutation>[1]) => string): Mutation {
  return (message, random) =>
    withFields(message, (text, name) => (name === 'signature-input' ? change(text, random) : text));
}

function withFields(message: Message, change: (text: string, name: FieldName) => string): Message {
  const headers = message.headers.map(([name, text]) => {
    const lowerCase = name.toLowerCase();
    return lowerCase === 'signature' || lowerCase === 'signature-input'
      ? ([name, change(text, lowerCase)] as const)
      : ([name, text] as const);
  });
  return { ...message, headers };
}
