import { generateKeyPairSync, hash, type KeyObject } from 'node:crypto';
import { openLocalRegistry } from '@countersign/server/local-registry';
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
] as const;

export type ClientKind = (typeof clientKinds)[number];

/** A client whose key becomes active, or starts a rollover, with its first signed request. */
export interface UsedClient {
  readonly clientId: string;
  readonly privateKey: KeyObject;
}

/** All names are equally long, and end like real ones. */
export function clientIdOf(kind: ClientKind, client: number): string {
  return `client_${hash('sha256', `${kind} ${client}`).slice(0, 26)}`;
}

/**
 * Makes a data folder's registry, and returns the clients that must first send a request to become their
 * kind.
 *
 * @param clients of each kind
 * @param bystanders clients that are never named
 */
export async function fillRegistry(
  dataFolder: string,
  clients: number,
  bystanders: number,
): Promise<readonly UsedClient[]> {
  const used: UsedClient[] = [];
  const usedKey = (clientId: string): string => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    used.push({ clientId, privateKey });
    return publicKey.export({ type: 'spki', format: 'pem' });
  };
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
    await add('unused', client, lonePublicKey());
    await add('active', client, usedKey(clientIdOf('active', client)));
    await local.disableClient(await add('disabled', client, lonePublicKey()));
    const inRollover = await add('in rollover', client, lonePublicKey());
    await local.addKey(inRollover, usedKey(inRollover));
    await add('with a larger key', client, lonePublicKey(3072));
  }
  // So that most clients that stand in for unknown ones are not named themselves.
  for (let client = 0; client < bystanders; client++) await add('unused', clients + client, lonePublicKey());
  await local.close();
  return used;
}
