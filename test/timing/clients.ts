import { hash } from 'node:crypto';
import { openLocalRegistry } from '@countersign/server/local-registry';
import type { AlgorithmName } from '@countersign/signature';
import { makeKeyPairFor } from '@countersign/testing/key-pair';
import { lonePublicKey } from '@countersign/testing/test-keys';

/** The kinds of clients that a stranger can name. */
export const clientKinds = [
  'unknown',
  'unknown as well',
  'unused',
  'active',
  'disabled',
  'in rollover',
  'with a larger key',
  'with a key for another algorithm',
] as const;

export type ClientKind = (typeof clientKinds)[number];

/** Returns the kinds of an algorithm's clients, the unknown one first. */
export function clientKindsOf(algorithm: AlgorithmName): readonly ClientKind[] {
  return clientKinds.filter((kind) => algorithm === 'rsa-v1_5-sha256' || kind !== 'with a larger key');
}

/** A client whose key becomes active, or starts a rollover, with its first signed request. */
export interface UsedClient {
  readonly clientId: string;
  /** As PEM. */
  readonly privateKey: string;
}

/** All names are equally long, and end like real ones. */
export function clientIdOf(kind: ClientKind, client: number): string {
  return `client_${hash('sha256', `${kind} ${client}`).slice(0, 26)}`;
}

/** Where there is one, another algorithm whose signatures are as long. */
const otherAlgorithm: Readonly<Record<AlgorithmName, AlgorithmName>> = {
  'rsa-v1_5-sha256': 'ed25519',
  ed25519: 'ecdsa-p256-sha256',
  'ecdsa-p256-sha256': 'ed25519',
  'ecdsa-p384-sha384': 'ecdsa-p256-sha256',
};

/** The clients of a registry. */
export interface Population {
  /** What their keys are for. */
  readonly algorithm: AlgorithmName;
  /** How many of each kind. */
  readonly clients: number;
  /** How many more, which are never named. */
  readonly bystanders: number;
}

/** Makes a data folder's registry, and returns the clients that must first send a request to become their kind. */
export async function fillRegistry(
  dataFolder: string,
  { algorithm, clients, bystanders }: Population,
): Promise<readonly UsedClient[]> {
  const used: UsedClient[] = [];
  const usedKey = (clientId: string): string => {
    const { publicKey, privateKey } = makeKeyPairFor(algorithm);
    used.push({ clientId, privateKey });
    return publicKey;
  };
  const isRsa = algorithm === 'rsa-v1_5-sha256';
  const unusedKey = (): string => (isRsa ? lonePublicKey() : makeKeyPairFor(algorithm).publicKey);
  const otherKey = (): string => makeKeyPairFor(otherAlgorithm[algorithm]).publicKey;
  const local = await openLocalRegistry({ dataFolder, createIfMissing: true });
  const { accountId } = await local.addAccount('Timing');
  const add = async (kind: ClientKind, client: number, publicKey: string): Promise<string> => {
    const clientId = clientIdOf(kind, client);
    await local.addClient({
      name: clientId,
      clientId,
      accountId,
      publicKey,
      network: [{ entry: '0.0.0.0' }],
      roles: [],
    });
    return clientId;
  };
  for (let client = 0; client < clients; client++) {
    await add('unused', client, unusedKey());
    await add('active', client, usedKey(clientIdOf('active', client)));
    await local.disableClient(await add('disabled', client, unusedKey()));
    const inRollover = await add('in rollover', client, unusedKey());
    await local.addKey(inRollover, usedKey(inRollover));
    if (isRsa) await add('with a larger key', client, lonePublicKey(3072));
    await add('with a key for another algorithm', client, otherKey());
  }
  // So that most clients that stand in for unknown ones are not named themselves.
  for (let client = 0; client < bystanders; client++) await add('unused', clients + client, unusedKey());
  await local.close();
  return used;
}
