import { createSigner, type Signer } from '@countersign/signature/node';
import { makeKeyPair } from '@countersign/testing/key-pair';
import type { LocalRegistry } from '../../packages/server/src/registry/local-registry.ts';

/**
 * Registers a client that may make payments. Running nodes know it within a second.
 *
 * @returns a function that creates a signer. Equal reads of several signers are not kept apart.
 */
export async function registerPayer(registry: LocalRegistry): Promise<() => Signer> {
  const { publicKey, privateKey } = makeKeyPair();
  const { clientId } = await registry.addClient({
    name: 'Payer',
    accountId: (await registry.addAccount('Payers')).accountId,
    publicKey,
    network: [{ entry: '127.0.0.1' }],
    roles: ['payments-operator'],
  });
  return () => createSigner({ keyid: clientId, privateKey });
}
