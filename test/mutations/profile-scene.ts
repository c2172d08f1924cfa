import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import {
  verifyingKey as webVerifyingKey,
  verifyMessage as verifyOnWeb,
} from '@countersign/signature/messages';
import { hmacKey } from '@countersign/signature/messages/hmac';
import {
  type DefinedProfile,
  defineProfile,
  MemoryMessageGuard,
  type MessageAlgorithm,
  type MessageProfile,
  type MessageSigningKey,
  type MessageVerification,
  type MessageVerifyingKey,
  type RequestMessage,
  signingKey,
  signMessage,
  verifyingKey,
  verifyMessage,
} from '@countersign/signature/messages/node';
import type { Scene } from './campaign.ts';
import type { Message } from './message.ts';
import { inOtherForm, signatureMutations } from './signature-bytes.ts';

export const nowSeconds = 1_790_000_000;
const ownKeyid = 'key-1';

/** Requests by a profile, with a key of one of its algorithms. */
export async function profileScene(profile: MessageProfile, algorithm: MessageAlgorithm): Promise<Scene> {
  const defined = defineProfile(profile);
  const { signing, onNode, onWeb } = await keysFor(algorithm);
  const sign = (index: number): Promise<Message> => signed(index, defined, signing, ownKeyid);
  const originals = await Promise.all(unsigned.map((_, index) => sign(index)));
  const again = await Promise.all(unsigned.map((_, index) => sign(index)));
  const guarded = (key: MessageVerifyingKey): MessageVerification => ({
    profile: defined,
    keysFor: (claimed) => (claimed.keyid === ownKeyid ? key : undefined),
    guard: new MemoryMessageGuard(),
    nowSeconds: () => nowSeconds,
  });
  const nodeSettings = guarded(onNode);
  const webSettings = guarded(onWeb);
  const unguarded = { ...nodeSettings, profile: defineProfile({ ...profile, replay: 'off' }) };
  return {
    name: `${profile.id}, ${algorithm}`,
    originals,
    mutations: [
      ...signatureMutations(algorithm),
      // The same, signed once more: by ECDSA and PSS with another random number.
      (message) => again.find(({ targetUri }) => targetUri === message.targetUri) ?? message,
      (message) => inOtherForm(message, algorithm) ?? message,
    ],
    verify: async (message) => outcomeOf(await verifyMessage(received(message), nodeSettings)),
    verifyWithWebCrypto: async (message) => outcomeOf(await verifyOnWeb(received(message), webSettings)),
    isTheSame: async (message, original) =>
      (await proved(message, unguarded)) === (await proved(original, unguarded)),
    acceptsAgain: profile.replay === 'off',
  };
}

const host = ['Host', 'api.example.com'] as const;
const agent = [
  'Signature-Agent',
  'sig="https://agent.example/keys", sig1="https://agent.example/keys"',
] as const;
const common = [
  host,
  agent,
  ['Authorization', 'Bearer token'],
  ['DPoP', 'proof'],
  ['X-Partner', 'p-1'],
  ['Date', 'Mon, 21 Sep 2026 14:13:20 GMT'],
] as const;
const posted = [...common, ['Content-Type', 'application/json'], ['Idempotency-Key', '"k-1"']] as const;

/** What is signed, for every profile. */
export const unsigned: readonly Message[] = [
  {
    method: 'GET',
    targetUri: 'https://api.example.com/v1/things?limit=10&cursor=a%20b',
    headers: common,
    body: '',
  },
  { method: 'GET', targetUri: 'https://api.example.com/v1/things/7', headers: common, body: '' },
  {
    method: 'POST',
    targetUri: 'https://api.example.com/v1/things',
    headers: posted,
    body: '{"amount":4200}',
  },
  {
    method: 'PUT',
    targetUri: 'https://[::1]:8443/v1/a;b=c/d',
    headers: posted,
    body: '\0\u00ff\r\n--boundary',
  },
];

/** Signs one of these requests. */
export async function signed(
  index: number,
  defined: DefinedProfile,
  key: MessageSigningKey,
  keyid: string,
): Promise<Message> {
  const message = unsigned[index]!;
  const { headers } = await signMessage(received(message), {
    profile: defined,
    key,
    keyid,
    created: nowSeconds,
    ...(defined.profile.parameters.nonce !== undefined && {
      nonce: `a-nonce-of-more-than-22-characters-${index}`,
    }),
  });
  return { ...message, headers: [...message.headers, ...Object.entries(headers)] };
}

function received(message: Message): RequestMessage {
  return { ...message, body: Buffer.from(message.body, 'latin1') };
}

/** Returns everything that a message's signature proves, as one text; the code if it proves nothing. */
export async function proved(message: Message, settings: MessageVerification): Promise<string> {
  const result = await verifyMessage(received(message), settings);
  if (!result.ok) return result.code;
  const covered = result.covered.map(({ identifier: { text }, value }) => [text, value]);
  const coversBody = result.covered.some(({ identifier }) => identifier.name === 'content-digest');
  return JSON.stringify([covered, coversBody ? message.body : undefined]);
}

interface Keys {
  readonly signing: MessageSigningKey;
  readonly onNode: MessageVerifyingKey;
  readonly onWeb: MessageVerifyingKey;
}

async function keysFor(algorithm: MessageAlgorithm): Promise<Keys> {
  if (algorithm === 'hmac-sha256') {
    const key = await hmacKey(crypto.getRandomValues(new Uint8Array(32)));
    return { signing: key, onNode: key, onWeb: key };
  }
  const { publicKey, privateKey } = newKeyPair(algorithm);
  const pem = publicKey.export({ type: 'spki', format: 'pem' });
  return {
    signing: signingKey(privateKey, { algorithm }),
    onNode: verifyingKey(publicKey, { algorithm }),
    onWeb: await webVerifyingKey(pem, { algorithm }),
  };
}

function newKeyPair(algorithm: MessageAlgorithm): {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
} {
  switch (algorithm) {
    case 'ed25519':
      return generateKeyPairSync('ed25519');
    case 'ecdsa-p256-sha256':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' });
    case 'ecdsa-p384-sha384':
      return generateKeyPairSync('ec', { namedCurve: 'P-384' });
    default:
      return generateKeyPairSync('rsa', { modulusLength: 2048 });
  }
}

function outcomeOf(result: { readonly ok: true } | { readonly ok: false; readonly code: string }): string {
  return result.ok ? 'ok' : result.code;
}
