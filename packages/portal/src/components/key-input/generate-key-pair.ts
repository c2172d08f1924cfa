import { encodeBase64, readPublicKeyInTurns } from '@countersign/signature';
import { defaultProfile } from '@countersign/signature/profile';
import type { AcceptedKey } from './key-input-state.ts';
import { acceptedKey } from './read-public-key.ts';

export const keySizes = [2048, 3072, 4096] as const;

export type KeyBits = (typeof keySizes)[number];

/** A key pair generated in this page. The private key is shown, saved and dropped, never sent. */
export interface GeneratedKeyPair {
  readonly key: AcceptedKey;
  /** PKCS#8 in PEM. */
  readonly privateKeyPem: string;
  /** The same PKCS#8 in one line of Base64, for environment variables and secret stores. */
  readonly privateKeyLine: string;
}

/** WebCrypto exists only on HTTPS pages and localhost. */
export function canGenerateKeys(): boolean {
  return (globalThis.crypto as Crypto | undefined)?.subtle !== undefined;
}

/** Generates a key pair for the profile's algorithm. Rejects if the browser cannot. */
export async function generateKeyPair(bits: KeyBits): Promise<GeneratedKeyPair> {
  const algorithm = defaultProfile.algorithm.newKeyPair(bits);
  const pair = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const publicKey = encodeBase64(new Uint8Array(await crypto.subtle.exportKey('spki', pair.publicKey)));
  // Generated keys pass the same checks as pasted ones.
  const reading = await readPublicKeyInTurns(publicKey, {}, () => Promise.resolve());
  if (!reading.ok) throw new Error(reading.message);
  const privateKeyLine = encodeBase64(
    new Uint8Array(await crypto.subtle.exportKey('pkcs8', pair.privateKey)),
  );
  const lines = privateKeyLine.match(/.{1,64}/g) ?? [];
  return {
    key: await acceptedKey(reading.key),
    privateKeyPem: `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`,
    privateKeyLine,
  };
}
