import {
  constants,
  createPrivateKey,
  createPublicKey,
  hash,
  sign,
  type SignKeyObjectInput,
  verify,
  webcrypto,
} from 'node:crypto';
import * as web from '@countersign/signature/messages';
import * as node from '@countersign/signature/messages/node';
import { type KeyPair, makeKeyPair, makeKeyPairFor } from '@countersign/testing/key-pair';
import { body, keyid, mustBe, url } from './json-post.ts';
import { comparePair, type PairResult } from './paired.ts';

const { subtle } = webcrypto;

/** A comparison of one algorithm of the general library, on one platform, with its bare crypto. */
export interface MessagesResult extends PairResult {
  readonly algorithm: string;
  readonly platform: 'node:crypto' | 'Web Crypto';
}

/** An algorithm, and how the bare crypto is told of it. */
interface Measured {
  readonly algorithm: node.MessageAlgorithm;
  readonly keys: () => KeyPair;
  readonly hashName: string | undefined;
  readonly input: Partial<SignKeyObjectInput>;
  readonly web: {
    readonly name: string;
    readonly hash?: string;
    readonly namedCurve?: string;
    readonly saltLength?: number;
  };
}

const pss = (hashBits: 256 | 512, algorithm: 'rsa-pss-sha512' | 'PS256'): Measured => ({
  algorithm,
  keys: () => makeKeyPair(),
  hashName: `sha${hashBits}`,
  input: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: hashBits / 8 },
  web: { name: 'RSA-PSS', hash: `SHA-${hashBits}`, saltLength: hashBits / 8 },
});

const measured: readonly Measured[] = [
  {
    algorithm: 'rsa-v1_5-sha256',
    keys: () => makeKeyPair(),
    hashName: 'sha256',
    input: {},
    web: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  },
  pss(512, 'rsa-pss-sha512'),
  pss(256, 'PS256'),
  {
    algorithm: 'ed25519',
    keys: () => makeKeyPairFor('ed25519'),
    hashName: undefined,
    input: {},
    web: { name: 'Ed25519' },
  },
  {
    algorithm: 'ecdsa-p256-sha256',
    keys: () => makeKeyPairFor('ecdsa-p256-sha256'),
    hashName: 'sha256',
    input: { dsaEncoding: 'ieee-p1363' },
    web: { name: 'ECDSA', hash: 'SHA-256', namedCurve: 'P-256' },
  },
  {
    algorithm: 'ecdsa-p384-sha384',
    keys: () => makeKeyPairFor('ecdsa-p384-sha384'),
    hashName: 'sha384',
    input: { dsaEncoding: 'ieee-p1363' },
    web: { name: 'ECDSA', hash: 'SHA-384', namedCurve: 'P-384' },
  },
];

/** What the closed profile binds, for any algorithm, and without a guard: the reference has none either. */
const profile: node.MessageProfile = {
  ...node.messageProfiles.gnap,
  parameters: { created: 'required', keyid: 'required' },
  select: {},
  replay: 'off',
};

/** Compares verifying and signing a JSON POST of 300 bytes by a profile with the bare crypto, for each algorithm. */
export async function benchMessages(rounds: number): Promise<MessagesResult[]> {
  const results: MessagesResult[] = [];
  for (const one of measured) {
    const pems = one.keys();
    for (const [platform, library, reference] of [
      ['node:crypto', node, bareOnNode(one, pems)],
      ['Web Crypto', web, await bareOnWeb(one, pems)],
    ] as const) {
      const { verifies, signs } = await ours(one.algorithm, pems, library);
      for (const [name, subject, bare] of [
        ['verify', verifies, reference.verifies],
        ['sign', signs, reference.signs],
      ] as const)
        results.push({
          algorithm: one.algorithm,
          platform,
          ...(await comparePair({ name, subject, reference: bare }, rounds, runsPerRound)),
        });
    }
  }
  return results;
}

const runsPerRound = 50;

interface Sides {
  readonly verifies: () => unknown;
  readonly signs: () => unknown;
}

async function ours(
  algorithm: node.MessageAlgorithm,
  { publicKey, privateKey }: KeyPair,
  library:
    | Pick<typeof web, 'defineProfile' | 'signingKey' | 'signMessage' | 'verifyingKey' | 'verifyMessage'>
    | typeof node,
): Promise<Sides> {
  const defined = library.defineProfile(profile);
  const signing = await library.signingKey(privateKey, { algorithm });
  const verifying = await library.verifyingKey(publicKey, { algorithm });
  const headers = [
    ['Host', 'api.example.com'],
    ['User-Agent', 'bench/1'],
    ['Accept', '*/*'],
    ['Content-Type', 'application/json'],
    ['Content-Length', String(body.length)],
  ] as const;
  const message = { method: 'POST', targetUri: url, headers, body };
  const signed = await library.signMessage(message, { profile: defined, key: signing, keyid });
  const received = {
    ...message,
    headers: [...headers, ...Object.entries(signed.headers)] as [string, string][],
  };
  const keys = new Map([[keyid, verifying]]);
  const verification = {
    profile: defined,
    keysFor: ({ keyid: claimed }: node.ClaimedSignature) => keys.get(claimed ?? ''),
  };
  return {
    verifies: async () => mustBe((await library.verifyMessage(received, verification)).ok),
    signs: () => library.signMessage(message, { profile: defined, key: signing, keyid }),
  };
}

function bareOnNode({ hashName, input }: Measured, pems: KeyPair): Sides {
  const publicKey = { key: createPublicKey(pems.publicKey), ...input };
  const privateKey = { key: createPrivateKey(pems.privateKey), ...input };
  const signature = sign(hashName, base, privateKey);
  return {
    verifies: () => {
      hash('sha256', body, 'buffer');
      mustBe(verify(hashName, base, publicKey, signature));
    },
    signs: () => {
      hash('sha256', body, 'buffer');
      sign(hashName, base, privateKey);
    },
  };
}

async function bareOnWeb({ web: parameters }: Measured, pems: KeyPair): Promise<Sides> {
  const publicKey = await subtle.importKey('spki', derOf(pems.publicKey), parameters, false, ['verify']);
  const privateKey = await subtle.importKey('pkcs8', derOf(pems.privateKey), parameters, false, ['sign']);
  const signature = await subtle.sign(parameters, privateKey, base);
  return {
    verifies: async () => {
      await subtle.digest('SHA-256', body);
      mustBe(await subtle.verify(parameters, publicKey, signature, base));
    },
    signs: async () => {
      await subtle.digest('SHA-256', body);
      await subtle.sign(parameters, privateKey, base);
    },
  };
}

/** A text as long as the base. */
const base = new TextEncoder().encode('b'.repeat(330));

function derOf(pem: string): Buffer<ArrayBuffer> {
  return Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
}
