import type { Fixed, TimeMs } from '../storage/schema.ts';

declare module '../storage/schema.ts' {
  interface Schema {
    forwarding_keys: ForwardingKeysTable;
  }
}

/** The public halves of the keys with which nodes sign forwarded requests and responses. */
interface ForwardingKeysTable {
  /** The JWK thumbprint (RFC 7638). */
  key_id: Fixed<string>;
  /** The 32 bytes of an Ed25519 public key, in Base64url: `x` of its JWK. */
  public_key: Fixed<string>;
  /** The key must not verify from this time on. Its node moves this forward while it uses the key. */
  ends_at_ms: TimeMs;
}
