import { createVerificationKey, MemoryReplayGuard, verifyRequest } from '@countersign/signature/node';
import type { Account } from './account.ts';
import type { MistakeCase } from './corpus.ts';

/** Returns a verifier for the account. It returns the code of a rejection, or undefined for an accepted request. */
export function verifierOf(
  account: Account,
): (one: Pick<MistakeCase, 'request' | 'context'>) => string | undefined {
  const clients = new Map<string, { keys: ReturnType<typeof createVerificationKey>[] }>();
  for (const key of account.keys) {
    if (key.environment !== undefined || key.keyState !== 'active') continue;
    clients.set(key.clientId, {
      keys: [createVerificationKey(key.publicKeyPem, { allowPublishedTestKeys: true })],
    });
  }
  return ({ request, context }) => {
    const { method, targetUri, headers, bodyBase64 } = request;
    const received = { method, targetUri, headers, body: Buffer.from(bodyBase64 ?? '', 'base64') };
    const options = {
      clientByKeyid: (keyid: string) => clients.get(keyid),
      nowSeconds: () => context.nowSeconds,
      guard: new MemoryReplayGuard({ repeat: 'strict' }),
    };
    if (context.isRepeated) verifyRequest(received, options);
    const verification = verifyRequest(received, options);
    return verification.ok ? undefined : verification.code;
  };
}
