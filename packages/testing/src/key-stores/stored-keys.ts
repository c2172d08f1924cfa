/** The tests for every key store: all packages for key stores use them. */
import assert from 'node:assert/strict';
import { createRequestSigner } from '@countersign/client';
import { createSigner as createWebSigner } from '@countersign/signature';
import { createVerificationKey, MemoryReplayGuard, verifyRequest } from '@countersign/signature/node';
import type { KeyStoreErrorCode, StoredKey } from '@countersign/key-store';
import { baseUrl, otherKeyPair, runService } from '../service/running-service.ts';

/** A body beyond the 4,096 bytes that some stores take at once, though a base is always shorter: only its digest counts. */
const longText = 'x'.repeat(5000);

/** Verifies signatures of a key with our own verifier, and sends one request through a running service. */
export async function assertAccepted(key: StoredKey): Promise<void> {
  const publicKey = await key.publicKey();
  assert.match(publicKey, /^-----BEGIN PUBLIC KEY-----\n/);
  const clients = new Map([
    ['shop', { keys: [createVerificationKey(publicKey, { allowPublishedTestKeys: true })] }],
  ]);
  const guard = new MemoryReplayGuard();
  const signer = await createWebSigner({ keyid: 'shop', privateKey: key.sign });
  const requests = [
    { method: 'GET', url: `${baseUrl}/v1/whoami` },
    { method: 'POST', url: `${baseUrl}/v1/payments?note=${longText}`, body: longText },
    { method: 'DELETE', url: `${baseUrl}/v1/payments/7` },
  ];
  for (const request of requests) {
    const { method, url, headers, body } = await signer.sign(request);
    const received = { method, targetUri: url, headers: Object.entries(headers), body };
    const result = verifyRequest(received, { clientByKeyid: (keyid) => clients.get(keyid), guard });
    assert.equal(result.ok ? 'accepted' : result.code, 'accepted');
  }
  await assertServed(key, publicKey);
}

async function assertServed(key: StoredKey, publicKey: string): Promise<void> {
  const running = await runService();
  try {
    const { clientId } = await running.addClient({ keyPair: { ...otherKeyPair, publicKey } });
    // As a key source, which the client takes as it is.
    const signer = createRequestSigner({ clientId, privateKey: key });
    const signed = await signer.sign({ method: 'GET', url: `${baseUrl}/v1/whoami` });
    const answer = await running.send({ method: 'GET', url: '/v1/whoami', headers: signed.headers });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json()['clientId'], clientId);
  } finally {
    await running.close();
  }
}

/** Asserts that a call rejects with a KeyStoreError of this code, whose texts hold none of these secrets. */
export async function assertRejects(
  call: () => Promise<unknown>,
  code: KeyStoreErrorCode,
  message: RegExp,
  secrets: readonly string[] = [],
): Promise<void> {
  await assert.rejects(call, (error: Error & { code?: unknown }) => {
    assert.equal(error.name, 'KeyStoreError', error.message);
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    const all = `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
    for (const secret of secrets) assert.ok(!all.includes(secret), `a secret is in: ${all}`);
    return true;
  });
}
