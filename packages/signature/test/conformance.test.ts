import { describe, test } from 'node:test';
import * as node from '../src/node.ts';
import { vectorFiles } from './conformance/files.ts';
import type { Platform } from './conformance/platform.ts';
import { profileTests } from './conformance/profile-vectors.ts';
import { standardTests } from './conformance/standard-vectors.ts';
import { webPlatform } from './conformance/web-platform.ts';

const nodePlatform: Platform<node.VerificationKey> = {
  name: 'node:crypto',
  createSigner: async (options) => node.createSigner(options),
  createBaseSigner: async (privateKey) => node.createBaseSigner(privateKey),
  createVerificationKey: async (text, policy) => node.createVerificationKey(text, policy),
  importUnchecked: async (key) => node.verificationKey(key),
  findVerifyingKey: (keys, signed) => node.findVerifyingKey(keys, signed),
  verify: async (request, clients, now) =>
    node.verifyRequest(request, {
      clientByKeyid: (keyid) => clients.get(keyid),
      guard: node.acceptReplaysUnsafely,
      nowSeconds: () => now,
    }),
};

for (const platform of [nodePlatform, webPlatform('Web Crypto on Node')] as Platform[]) {
  const tests = [
    ...(await profileTests(platform, vectorFiles)),
    ...(await standardTests(platform, vectorFiles)),
  ];
  describe(`conformance, ${platform.name}`, () => {
    for (const one of tests) test(one.name, { skip: one.skipped ?? false }, () => one.run());
  });
}
