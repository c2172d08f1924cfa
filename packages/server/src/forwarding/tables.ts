import type { Fixed, TimeMs } from '../storage/schema.ts';

declare module '../storage/schema.ts' {
  interface Schema {
    forwarding_keys: ForwardingKeysTable;
  }
}

/** The public halves of the keys with which nodes sign what they forward. */
interface ForwardingKeysTable {
  /** The JWK thumbprint (RFC 7638). */
  key_id: Fixed<string>;
  /** The 32 bytes of an Ed25519 public key, in Base64url: `x` of its JWK. */
  public_key: Fixed<string>;
  /** Nobody may verify with the key from this time on. Its node moves this ahead while it uses the key. */
  ends_at_ms: TimeMs;
}
