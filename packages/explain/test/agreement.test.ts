import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CandidateKey, RequestToExplain } from '../src/index.ts';
import { explainRequest } from '../src/node.ts';
import {
  acceptReplaysUnsafely,
  readPublicKey,
  type VerificationKey,
  verificationKey,
  verifyRequest,
} from '../../signature/src/node.ts';
import { vectorFiles } from '../../signature/test/conformance/files.ts';
import { bodyOf, type VectorCase } from '../../signature/test/conformance/profile-vectors.ts';

const { keys } = (await vectorFiles.json('vectors/profile/keys.json')) as {
  keys: Record<string, { publicKeyPem: string }>;
};
const verificationKeys = new Map<string, VerificationKey>();
const spkiPems = new Map(
  Object.entries(keys).flatMap(([name, { publicKeyPem }]) => {
    const reading = readPublicKey(publicKeyPem);
    if (!reading.ok) return [];
    verificationKeys.set(reading.key.spkiPem, verificationKey(reading.key));
    return [[name, reading.key.spkiPem] as const];
  }),
);

function candidatesOf({ verify }: VectorCase): readonly CandidateKey[] {
  return verify.clients.flatMap(({ clientId, publicKey }) => {
    const spkiPem = spkiPems.get(publicKey);
    return spkiPem === undefined
      ? []
      : [{ spkiPem, fingerprint: publicKey, clientId, keyState: 'active' as const }];
  });
}

function verdictOf(one: VectorCase, request: RequestToExplain, acceptWithoutDate: boolean): string {
  const clients = new Map(
    candidatesOf(one).map(({ clientId, spkiPem }) => [
      clientId,
      { keys: [verificationKeys.get(spkiPem)!], acceptWithoutDate },
    ]),
  );
  const verification = verifyRequest(
    { ...request, body: request.body },
    {
      clientByKeyid: (keyid) => clients.get(keyid),
      guard: acceptReplaysUnsafely,
      nowSeconds: () => one.verify.now,
    },
  );
  return verification.ok ? 'ok' : verification.code;
}

describe('explain agrees with the verifier', () => {
  for (const part of ['positive', 'negative', 'policy', 'fuzz']) {
    test(`about every vector of ${part}: the same verdict, by the same check, and nothing found only where all is right`, async () => {
      const { cases } = (await vectorFiles.json(`vectors/profile/${part}.json`)) as {
        cases: readonly VectorCase[];
      };
      for (const one of cases) {
        const { method, url, headers } = one.request;
        const request = {
          method,
          targetUri: url,
          headers,
          body: (await bodyOf(one, vectorFiles)) ?? new Uint8Array(0),
        };
        for (const acceptWithoutDate of part === 'policy' ? [false, true] : [false]) {
          const expected = verdictOf(one, request, acceptWithoutDate);
          const options = { nowSeconds: one.verify.now, acceptWithoutDate, hypothesesMax: 300 };
          const { verdict, checks, findings } = explainRequest(request, candidatesOf(one), options);
          const failed = checks.find(({ state }) => state === 'failed');
          assert.equal(failed?.facts['code'] ?? 'ok', expected, one.id);
          assert.equal(verdict, expected === 'ok' ? 'valid' : 'refused', one.id);
          assert.equal(
            findings.length === 0,
            expected === 'ok',
            `${one.id}: ${expected}, ${JSON.stringify(findings)}`,
          );
        }
      }
    });
  }
});
