import assert from 'node:assert/strict';
import type { ExplanationRequest } from '@countersign/contract';
import { createSigner } from '@countersign/signature/node';
import { sendSigned } from '@countersign/testing/running-service';
import { waitFor } from '@countersign/testing/wait-until';
import type { Caller, ManagementScene } from './scene.ts';

/** A pasted request. It names no client, and its signature is not one. */
export const pastedRequest: ExplanationRequest = {
  method: 'GET',
  targetUri: 'https://api.example.test/v1/whoami',
  headers: [
    { name: 'Host', value: 'api.example.test' },
    { name: 'Date', value: 'Sat, 21 Nov 2026 12:00:00 GMT' },
    {
      name: 'Signature-Input',
      value: 'sig=("@method" "@target-uri" "date");created=1795262400;keyid="nobody";alg="rsa-v1_5-sha256"',
    },
    { name: 'Signature', value: `sig=:${Buffer.alloc(256, 7).toString('base64')}:` },
  ],
  bodyText: '',
  receivedAt: '2026-11-21T12:00:01Z',
};

/** Sends a request in the name of a caller with a key that nobody knows, and gives its id once it is explained. */
export async function explainedRequest(scene: ManagementScene, by: Caller): Promise<string> {
  const { privateKey } = scene.freshKey();
  const forger = createSigner({ keyid: by.clientId, privateKey, nowMs: scene.nowMs });
  const answer = await sendSigned(scene.running, forger, { method: 'GET', url: '/v1/whoami' });
  assert.equal(answer.json()['code'], 'signature_invalid');
  const requestId = String(answer.headers['request-id']);
  await explanationOf(scene, by, requestId);
  return requestId;
}

/** The explanation of a request as the API shows it, once it is there. */
export function explanationOf(
  scene: ManagementScene,
  reader: Caller,
  requestId: string,
): Promise<Record<string, unknown>> {
  return waitFor(async () => {
    const answer = await scene.call(reader, 'getRequestExplanation', { path: { requestId } });
    if (answer.status === 200) return answer.json();
    assert.equal(answer.status, 404, answer.text);
    return undefined;
  }, `the explanation of ${requestId}`);
}
