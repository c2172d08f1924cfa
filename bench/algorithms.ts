import { createPrivateKey, createPublicKey, hash, sign, verify, webcrypto } from 'node:crypto';
import * as web from '@countersign/signature';
import type { AlgorithmName } from '@countersign/signature';
import * as node from '@countersign/signature/node';
import { algorithms } from '@countersign/signature/rfc9421';
import { makeKeyPairFor } from '@countersign/testing/key-pair';
import { comparePair, type PairResult } from './paired.ts';

const keyid = 'client_01k9xq2v6h4mz7c1r8t0w5n3bd';
const url = 'https://api.example.com/v1/payments';
const body = Buffer.from(JSON.stringify({ amount: 4200, reference: 'x'.repeat(300 - 30) }));
const { subtle } = webcrypto;

/** A comparison of one algorithm, on one platform, with its bare crypto. */
export interface AlgorithmResult extends PairResult {
  readonly algorithm: AlgorithmName;
  readonly platform: 'node:crypto' | 'Web Crypto';
}

/** Compares verifying and signing a JSON POST of 300 bytes with the bare crypto, for each algorithm on each platform. */
export async function benchAlgorithms(rounds: number): Promise<AlgorithmResult[]> {
  const results: AlgorithmResult[] = [];
  for (const algorithm of Object.keys(algorithms) as AlgorithmName[]) {
    const pair = makeKeyPairFor(algorithm);
    for (const [platform, sides] of [
      ['node:crypto', sidesOnNode(algorithm, pair)],
      ['Web Crypto', await sidesOnWeb(algorithm, pair)],
    ] as const)
      for (const [name, { subject, reference, runs }] of Object.entries(sides))
        results.push({
          algorithm,
          platform,
          ...(await comparePair({ name, subject, reference }, rounds, runs)),
        });
  }
  return results;
}

interface Sides {
  readonly subject: () => unknown;
  readonly reference: () => unknown;
  /** Per round. */
  readonly runs: number;
}

interface Pems {
  readonly publicKey: string;
  readonly privateKey: string;
}

const runs = 50;

function sidesOnNode(algorithm: AlgorithmName, pems: Pems): Record<'verify' | 'sign', Sides> {
  const { publicKey, privateKey } = {
    publicKey: createPublicKey(pems.publicKey),
    privateKey: createPrivateKey(pems.privateKey),
  };
  const hashName = bareHashes[algorithm];
  const ieee = algorithm.startsWith('ecdsa') ? ({ dsaEncoding: 'ieee-p1363' } as const) : {};
  const signer = node.createSigner({ keyid, privateKey });
  const signed = signer.sign({ method: 'POST', url, body });
  const { base, signature, request } = partsOf(signed);
  const clients = new Map([[keyid, { keys: [node.createVerificationKey(pems.publicKey)] }]]);
  const options = { clientByKeyid: (id: string) => clients.get(id), guard: node.acceptReplaysUnsafely };
  let count = 0;
  return {
    verify: {
      subject: () => mustBe(node.verifyRequest(request, options).ok),
      reference: () => {
        hash('sha256', body, 'buffer');
        mustBe(verify(hashName, base, { key: publicKey, ...ieee }, signature));
      },
      runs,
    },
    sign: {
      subject: () => signer.sign({ method: 'POST', url: `${url}?n=${count++}`, body }),
      reference: () => {
        hash('sha256', body, 'buffer');
        sign(hashName, base, { key: privateKey, ...ieee });
      },
      runs,
    },
  };
}

async function sidesOnWeb(algorithm: AlgorithmName, pems: Pems): Promise<Record<'verify' | 'sign', Sides>> {
  const { webCrypto } = algorithms[algorithm];
  const publicKey = await subtle.importKey('spki', derOf(pems.publicKey), webCrypto, false, ['verify']);
  const privateKey = await subtle.importKey('pkcs8', derOf(pems.privateKey), webCrypto, false, ['sign']);
  const signer = await web.createSigner({ keyid, privateKey });
  const signed = await signer.sign({ method: 'POST', url, body });
  const { base, signature, request } = partsOf(signed);
  const clients = new Map([[keyid, { keys: [await web.createVerificationKey(pems.publicKey)] }]]);
  const options = { clientByKeyid: (id: string) => clients.get(id), guard: web.acceptReplaysUnsafely };
  let count = 0;
  return {
    verify: {
      subject: async () => mustBe((await web.verifyRequest(request, options)).ok),
      reference: async () => {
        await subtle.digest('SHA-256', body);
        mustBe(await subtle.verify(webCrypto, publicKey, signature, base));
      },
      runs,
    },
    sign: {
      subject: () => signer.sign({ method: 'POST', url: `${url}?n=${count++}`, body }),
      reference: async () => {
        await subtle.digest('SHA-256', body);
        await subtle.sign(webCrypto, privateKey, base);
      },
      runs,
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

function partsOf({ signatureBase, headers }: node.SignedRequest) {
  const rawHeaders = [
    'Host',
    'api.example.com',
    'User-Agent',
    'bench/1',
    'Accept',
    '*/*',
    'Content-Type',
    'application/json',
    'Content-Length',
    '300',
    ...Object.entries(headers).flat(),
  ];
  return {
    base: Buffer.from(signatureBase),
    signature: Buffer.from(headers.Signature.slice('sig=:'.length, -1), 'base64'),
    request: { method: 'POST', targetUri: url, headers: rawHeaders, body },
  };
}

function derOf(pem: string): Buffer<ArrayBuffer> {
  return Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
}

function mustBe(ok: boolean): void {
  if (!ok) throw new Error('A verification that must succeed failed.');
}
