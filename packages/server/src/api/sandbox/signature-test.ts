import type { SignatureTest } from '@countersign/contract';
import { clientCaller } from '../caller.ts';
import type { Handler } from '../handler.ts';

/** Any method on `/v1/signature-test`, with any query and any body: shows what was verified, and does nothing. */
export const testSignature: Handler = (request) => {
  const { client, key, clockDifferenceSeconds } = clientCaller(request);
  const { method, targetUri, components, created, contentDigest, base } = request.verified();
  const body: SignatureTest = {
    clientId: client.clientId,
    keyFingerprint: key.fingerprint,
    method,
    targetUri,
    components,
    created,
    clockDifferenceSeconds,
    contentDigest,
    base,
    serverTime: new Date(request.nowMs).toISOString(),
  };
  return { status: 200, body };
};
