import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decide, type Registry } from '@countersign/gate';
import { openServiceRegistry } from '@countersign/server/service-registry';
import {
  type AlgorithmName,
  createBaseSigner,
  createSigner,
  profileTimeWindow,
} from '@countersign/signature/node';
import type { Refusal } from '@countersign/signature/profile';
import { algorithms } from '@countersign/signature/rfc9421';
import { makeKeyPairFor } from '@countersign/testing/key-pair';
import { waitUntil } from '@countersign/testing/wait-until';
import { attemptOf } from '../../packages/gate/test/decision/attempt.ts';
import { type ClientKind, clientIdOf, fillRegistry, type Population } from './clients.ts';

export const sides = ['below', 'above'] as const;

export type Side = (typeof sides)[number];

/** The decision about requests, in this process, with a registry in SQLite. */
export interface Scene {
  /** Signatures that a stranger can present; each call makes another one. */
  readonly signatures: Readonly<Record<string, () => Uint8Array>>;
  /** A signature as long as the RSA key of an active client, as a number below its modulus or above it. */
  signatureBeside(modulusOf: number, side: Side): Uint8Array;
  /** Prepares a request that names a client of a kind. The returned function decides it. */
  prepare(kind: ClientKind, client: number, signature: Uint8Array): () => Refusal | undefined;
  close(): Promise<void>;
}

export async function openScene(population: Population): Promise<Scene> {
  const { algorithm } = population;
  const folder = mkdtempSync(join(tmpdir(), 'countersign-timing-'));
  const used = await fillRegistry(folder, population);
  const registry = await openServiceRegistry({
    dataFolder: folder,
    onError: (error) => console.error(error),
  });
  for (const { clientId, privateKey } of used) await use(registry, clientId, privateKey);
  return {
    signatures:
      algorithm === 'rsa-v1_5-sha256'
        ? { ...signaturesOf(algorithm), ...signaturesNear(modulusOf(registry, 0)) }
        : signaturesOf(algorithm),
    signatureBeside: (client, side) => numberBeside(modulusOf(registry, client), side),
    prepare: (kind, client, signature) =>
      prepareRequest(registry, algorithm, clientIdOf(kind, client), signature),
    async close() {
      await registry.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Makes a request that passes, so that its key counts as used. In a rollover, the other key then has an end. */
async function use(registry: Registry, clientId: string, privateKey: string): Promise<void> {
  const signed = createSigner({ keyid: clientId, privateKey }).sign({ method: 'GET', url: target });
  const lines = Object.entries(signed.headers).flat();
  const decision = decide(attemptOf(target, lines), { registry, guard, rules });
  const refusal = decision.head();
  if (refusal) throw new Error(refusal.reason);
  registry.keyUsed(decision.examination.client!, decision.key()!, {
    sourceAddress: '127.0.0.1',
    requestId: '',
  });
  await waitUntil(async () => {
    await registry.refresh();
    return !registry.clientById(clientId)!.keys.at(-1)!.isPending;
  }, 'the key that was used is active');
}

/** Of an active client. */
function modulusOf(registry: Registry, client: number): Buffer {
  const key = registry.clientById(clientIdOf('active', client))!.keys[0]!.keyObject;
  return Buffer.from(key.export({ format: 'jwk' }).n!, 'base64url');
}

/** Differs from the modulus so early that nothing else matters, and is otherwise random. */
function numberBeside(modulus: Buffer, side: Side): Buffer {
  const number = randomBytes(modulus.length);
  const start = modulus.readUInt16BE(0);
  number.writeUInt16BE(side === 'below' ? start - 1 : Math.min(start + 1, 0xffff), 0);
  return number;
}

function signaturesOf(algorithm: AlgorithmName): Scene['signatures'] {
  const sign = createBaseSigner(makeKeyPairFor(algorithm).privateKey);
  const { min } = algorithms[algorithm].signatureBytes;
  return { "by somebody else's key": () => sign(randomBytes(32)), random: () => randomBytes(min) };
}

function signaturesNear(modulus: Buffer): Scene['signatures'] {
  return {
    'above every modulus': () => randomBytes(256).fill(0xff, 0, 16),
    "near a client's modulus": () => {
      const number = Buffer.from(modulus);
      randomBytes(8).copy(number, 8 * (1 + Math.floor(Math.random() * 31)));
      return number;
    },
    'as long as the larger keys': () => randomBytes(384),
  };
}

const target = 'https://api.example.test/v1/payments?limit=20';
const rules = { window: profileTimeWindow, nonce: 'off' } as const;
const guard = { use: () => undefined };

/** Writes the request's fields anew, as a parser does, so that the engine has no cached facts about the texts. */
function prepareRequest(
  registry: Registry,
  algorithm: AlgorithmName,
  clientId: string,
  signature: Uint8Array,
): () => Refusal | undefined {
  const now = new Date();
  const created = Math.floor(now.getTime() / 1000);
  const components = '("@method" "@target-uri" "date")';
  const lines = [
    ['Host', 'api.example.test'],
    ['Date', now.toUTCString()],
    ['Signature-Input', `sig=${components};created=${created};keyid="${clientId}";alg="${algorithm}"`],
    ['Signature', `sig=:${Buffer.from(signature).toString('base64')}:`],
  ].flatMap((line) => line.map((text) => Buffer.from(text, 'latin1').toString('latin1')));
  return () => decide(attemptOf(target, lines), { registry, guard, rules }).head();
}
