import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApiDocument } from '@countersign/contract';
import { problems } from '@countersign/contract/problems';
import {
  publicKeyForms as apiForms,
  signingAlgorithms,
  usualAlgorithm,
} from '@countersign/contract/signing-algorithms';
import { publicKeyForms } from '@countersign/signature/node';
import { defaultProfile } from '@countersign/signature/profile';
import { algorithms } from '@countersign/signature/rfc9421';

test("the API's texts name the algorithms and the keys that the library has", () => {
  assert.equal(usualAlgorithm, defaultProfile.algorithm.name);
  assert.equal(apiForms, publicKeyForms);
  assert.deepEqual(Object.keys(signingAlgorithms), defaultProfile.profile.algorithms);
  const document = JSON.stringify(openApiDocument({ serverUrls: [] }));
  for (const [name, facts] of Object.entries(signingAlgorithms)) {
    const { keyTitle, scheme } = algorithms[name as keyof typeof algorithms];
    assert.deepEqual(facts, { keyTitle, scheme });
    const { detail } = problems.algorithm_not_allowed;
    assert.ok(detail.includes(`${scheme} (alg="${name}")`), detail);
    assert.ok(document.includes(JSON.stringify(`${scheme} (\`alg="${name}"\`)`).slice(1, -1)), name);
  }
  for (const text of [
    "signed with a client's RSA, Ed25519, ECDSA P-256 or ECDSA P-384 key",
    `An RSA, Ed25519, ECDSA P-256 or ECDSA P-384 public key as ${apiForms}.`,
  ])
    assert.ok(document.includes(text), text);
});
