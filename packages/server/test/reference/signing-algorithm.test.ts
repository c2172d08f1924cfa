import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApiDocument } from '@countersign/contract';
import { problems } from '@countersign/contract/problems';
import { publicKeyForms } from '@countersign/signature/node';
import { defaultProfile } from '@countersign/signature/profile';

const { name, scheme, keyTitle } = defaultProfile.algorithm;

test("the API's texts name the algorithm and the keys that the library has", () => {
  assert.equal(problems.algorithm_not_allowed.detail, `Sign with ${scheme}, and say so with alg="${name}".`);
  const document = JSON.stringify(openApiDocument({ serverUrls: [] }));
  const texts = [
    `signed with a client's ${keyTitle} key`,
    `(RFC 9421): ${scheme}, with a registered key`,
    JSON.stringify(`alg="${name}"`).slice(1, -1),
    `An ${keyTitle} public key as ${publicKeyForms}.`,
  ];
  for (const text of texts) assert.ok(document.includes(text), text);
});
