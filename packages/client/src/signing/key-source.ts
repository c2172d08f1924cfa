import type { AlgorithmName } from '@countersign/signature';

/**
 * A private key that stays where it is: in a file, a vault, a cloud's key service, hardware. Packages for key stores
 * implement this, and everything here that takes a `privateKey` takes one.
 *
 * @example
 * const source: KeySource = {
 *   keyId: 'transit/keys/shop:3',
 *   sign: async (bytes) => vault.sign('shop', bytes),
 *   publicKey: async () => vault.publicKeyPem('shop'),
 * };
 */
export interface KeySource {
  /** The key's name for people, such as a path, an ARN or a label. Appears in messages, so it is never secret. */
  readonly keyId: string;
  /**
   * Signs bytes. They are the whole message, not its hash: the source, or the store behind it, does the hashing.
   * Resolves to the signature's bytes.
   *
   * Called concurrently. A source whose key was replaced signs with the new one.
   */
  sign(bytes: Uint8Array): Promise<Uint8Array>;
  /** Returns the algorithm of the current key. Without it, that is the profile's first one. */
  algorithm?(): Promise<AlgorithmName>;
  /** Returns the public half of the current signing key as SPKI PEM, to register and to recognize it. */
  publicKey(): Promise<string>;
}

/** Returns true for a key source; a CryptoKey or KeyObject has no function `sign`. */
export function isKeySource(value: unknown): value is KeySource {
  return typeof value === 'object' && value !== null && 'sign' in value && typeof value.sign === 'function';
}
