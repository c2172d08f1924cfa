import { createPrivateKey, createPublicKey, hash, sign, verify, webcrypto } from 'node:crypto';
import * as web from '@countersign/signature';
import type { AlgorithmName } from '@countersign/signature';
import * as node from '@countersign/signature/node';
import { algorithms } from '@countersign/signature/rfc9421';
import { algorithmNames, type KeyPair, makeKeyPairFor } from '@countersign/testing/key-pair';
import { body, keyid, mustBe, partsOf, url } from './json-post.ts';
import { comparePair, type Pair, type PairResult } from './paired.ts';

const { subtle } = webcrypto;

/** A comparison of one algorithm, on one platform, with its bare crypto. */
export interface AlgorithmResult extends PairResult {
  readonly algorithm: AlgorithmName;
  readonly platform: 'node:crypto' | 'Web Crypto';
}

/** Compares verifying and signing a JSON POST of 300 bytes with the bare crypto, for each algorithm on each platform. */
export async function benchAlgorithms(rounds: number): Promise<AlgorithmResult[]> {
  const results: AlgorithmResult[] = [];
  for (const algorithm of algorithmNames) {
    const pair = makeKeyPairFor(algorithm);
    for (const [platform, sides] of [
      ['node:crypto', sidesOnNode(algorithm, pair)],
      ['Web Crypto', await sidesOnWeb(algorithm, pair)],
    ] as const)
      for (const [name, side] of Object.entries(sides))
        results.push({
          algorithm,
          platform,
          ...(await comparePair({ name, ...side }, rounds, runsPerRound)),
        });
  }
  return results;
}

type Sides = Record<'verify' | 'sign', Omit<Pair, 'name'>>;

const runsPerRound = 50;

function sidesOnNode(algorithm: AlgorithmName, pems: KeyPair): Sides {
  const publicKey = createPublicKey(pems.publicKey);
  const privateKey = createPrivateKey(pems.privateKey);
  const hashName = bareHashes[algorithm];
  const ieee = algorithm.startsWith('ecdsa') ? ({ dsaEncoding: 'ieee-p1363' } as const) : {};
  const signer = node.createSigner({ keyid, privateKey });
  const signed = signer.sign({ method: 'POST', url, body });
  const { base, signature, received } = partsOf(signed);
  const clients = new Map([[keyid, { keys: [node.createVerificationKey(pems.publicKey)] }]]);
  const options = { clientByKeyid: (id: string) => clients.get(id), guard: node.acceptReplaysUnsafely };
  let count = 0;
  return {
    verify: {
      subject: () => mustBe(node.verifyRequest(received, options).ok),
      reference: () => {
        hash('sha256', body, 'buffer');
        mustBe(verify(hashName, base, { key: publicKey, ...ieee }, signature));
      },
    },
    sign: {
      subject: () => signer.sign({ method: 'POST', url: `${url}?n=${count++}`, body }),
      reference: () => {
        hash('sha256', body, 'buffer');
        sign(hashName, base, { key: privateKey, ...ieee });
      },
    },
  };
}

async function sidesOnWeb(algorithm: AlgorithmName, pems: KeyPair): Promise<Sides> {
  const { webCrypto } = algorithms[algorithm];
  const publicKey = await subtle.importKey('spki', derOf(pems.publicKey), webCrypto, false, ['verify']);
  const privateKey = await subtle.importKey('pkcs8', derOf(pems.privateKey), webCrypto, false, ['sign']);
  const signer = await web.createSigner({ keyid, privateKey });
  const signed = await signer.sign({ method: 'POST', url, body });
  const { base, signature, received } = partsOf(signed);
  const clients = new Map([[keyid, { keys: [await web.createVerificationKey(pems.publicKey)] }]]);
  const options = { clientByKeyid: (id: string) => clients.get(id), guard: web.acceptReplaysUnsafely };
  let count = 0;
  return {
    verify: {
      subject: async () => mustBe((await web.verifyRequest(received, options)).ok),
      reference: async () => {
        await subtle.digest('SHA-256', body);
        mustBe(await subtle.verify(webCrypto, publicKey, signature, base));
      },
    },
    sign: {
      subject: () => signer.sign({ method: 'POST', url: `${url}?n=${count++}`, body }),
      reference: async () => {
        await subtle.digest('SHA-256', body);
        await subtle.sign(webCrypto, privateKey, base);
      },
    },
  };
}

/** The hash function that `node:crypto` is told; none for Ed25519. */
const bareHashes: Readonly<Record<AlgorithmName, string | undefined>> = {
  'rsa-v1_5-sha256': 'sha256',
  ed25519: undefined,
  'ecdsa-p256-sha256': 'sha256',
  'ecdsa-p384-sha384': 'sha384',
};

function derOf(pem: string): Buffer<ArrayBuffer> {
  return Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
}
