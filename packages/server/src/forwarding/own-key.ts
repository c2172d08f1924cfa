import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { ForwardingKey } from '@countersign/gate';
import { keyObjectThumbprint } from '@countersign/signature/node';

/** A key pair of this node. The private half exists only in memory. */
export interface OwnKey extends ForwardingKey {
  readonly privateKey: KeyObject;
  /** `x` of its JWK. */
  readonly publicKey: string;
  /** The key signs nothing before this time; milliseconds since 1970. */
  readonly startsAtMs: number;
  /** The published end, in milliseconds since 1970; 0 before it is published. */
  endsAtMs: number;
}

/** Creates an Ed25519 key pair (RFC 8032). */
export function makeOwnKey(startsAtMs: number): OwnKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x } = publicKey.export({ format: 'jwk' }) as { readonly x: string };
  return {
    keyid: keyObjectThumbprint(publicKey),
    publicKey: x,
    privateKey,
    sign: (signatureBase) => sign(null, signatureBase, privateKey),
    startsAtMs,
    endsAtMs: 0,
  };
}
