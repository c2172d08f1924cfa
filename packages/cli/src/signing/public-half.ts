import { everyKeySize, keyFingerprint, readPublicKey } from '@countersign/signature/node';

/** Returns the fingerprint of a public key in SPKI PEM. Undefined if no service can register such a key. */
export function fingerprintOf(publicKeyPem: string): string | undefined {
  const reading = readPublicKey(publicKeyPem, { ...everyKeySize, allowPublishedTestKeys: true });
  return reading.ok ? keyFingerprint(reading.key) : undefined;
}
