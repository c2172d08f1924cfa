import { encodeBase64, generateKeyPair, readPrivateKey } from '@countersign/signature';
import { algorithms } from '@countersign/signature/rfc9421';
import { defaultProfile } from '@countersign/signature/profile';

const { algorithm } = defaultProfile;

/** The reason why a text cannot be used as a private key; contains nothing of it. */
export class PrivateKeyError extends Error {}

/** A key pair whose private half nothing can read, not even this page. */
export interface MomentaryKeyPair {
  readonly privateKey: CryptoKey;
  /** SubjectPublicKeyInfo in Base64. */
  readonly publicKey: string;
}

/** Generates a key pair that exists only as long as the page shows it. */
export async function generateMomentaryKeyPair(): Promise<MomentaryKeyPair> {
  const pair = (await generateKeyPair(algorithm, {
    bits: 2048,
    isExtractable: false,
  })) as CryptoKeyPair;
  const spki = await crypto.subtle.exportKey('spki', pair.publicKey);
  return { privateKey: pair.privateKey, publicKey: encodeBase64(new Uint8Array(spki)) };
}

/**
 * Imports a private key so that this page can sign with it but not read it back.
 *
 * @param text PEM or bare Base64
 * @throws PrivateKeyError
 */
export async function importPageKey(text: string, passphrase: string): Promise<CryptoKey> {
  const reading = await readPrivateKey(text, passphrase === '' ? undefined : passphrase);
  if (!reading.ok) throw new PrivateKeyError(reading.message);
  const { webCrypto } = algorithms[reading.algorithm];
  try {
    return await crypto.subtle.importKey('pkcs8', new Uint8Array(reading.pkcs8Der), webCrypto, false, [
      'sign',
    ]);
  } catch {
    throw new PrivateKeyError('The private key is damaged: its numbers don’t fit each other.');
  }
}
