import crypto, { type KeyObject } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** An RSA operation with a public key. */
export interface RsaOperation {
  readonly modulus: Uint8Array;
  readonly signature: Uint8Array;
}

/** Runs some work and returns the kind and curve of the key of each verification by `verify` of node:crypto, in order. */
export function verificationsIn(work: () => unknown): readonly string[] {
  const operations: string[] = [];
  const { verify } = crypto;
  crypto.verify = ((...given: Parameters<typeof verify>) => {
    const [, , key] = given as unknown as [unknown, unknown, KeyObject | { readonly key: KeyObject }];
    const { asymmetricKeyType, asymmetricKeyDetails } = 'key' in key ? key.key : key;
    operations.push([asymmetricKeyType, asymmetricKeyDetails?.namedCurve ?? []].flat().join(' '));
    return verify(...given);
  }) as typeof verify;
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    crypto.verify = verify;
    syncBuiltinESMExports();
  }
  return operations;
}

/** Runs some work and returns its RSA operations with public keys on node:crypto, in order. */
export function rsaOperationsIn(work: () => unknown): readonly RsaOperation[] {
  const operations: RsaOperation[] = [];
  const { publicDecrypt } = crypto;
  crypto.publicDecrypt = (key, signature) => {
    const { n } = (key as unknown as { key: KeyObject }).key.export({ format: 'jwk' });
    const modulus = new Uint8Array(Buffer.from(n!, 'base64url'));
    operations.push({ modulus, signature: new Uint8Array(signature as Uint8Array) });
    return publicDecrypt(key, signature);
  };
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    crypto.publicDecrypt = publicDecrypt;
    syncBuiltinESMExports();
  }
  return operations;
}
