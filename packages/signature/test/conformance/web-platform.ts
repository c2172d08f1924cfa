import * as web from '../../src/index.ts';
import type { Platform } from './platform.ts';

/** The library on Web Crypto: in browsers, and on Node. */
export function webPlatform(name: string): Platform<web.VerificationKey> {
  return {
    name,
    createSigner: (options) => web.createSigner(options),
    createBaseSigner: (privateKey) => web.createBaseSigner(privateKey),
    createVerificationKey: (text, policy) => web.createVerificationKey(text, policy),
    importUnchecked: (key) => web.verificationKey(key),
    findVerifyingKey: (keys, signed) => web.findVerifyingKey(keys, signed),
    verify: (request, clients, now) =>
      web.verifyRequest(request, {
        clientByKeyid: (keyid) => clients.get(keyid),
        guard: web.acceptReplaysUnsafely,
        nowSeconds: () => now,
      }),
  };
}
