import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readEncodedPublicKey, writePublicKeyPem } from '../../src/keys/key-encodings.ts';
import { readRsaPublicKey, writeSubjectPublicKeyInfo } from '../../src/keys/rsa/public-encoding.ts';
import { hmacKey } from '../../src/messages/hmac.ts';
import type { MessageAlgorithm, MessageSigningKey, MessageVerifyingKey } from '../../src/on-web/messages.ts';
import { pair as rsa } from '../keys/generated-keys.ts';
import type { MessagesPlatform } from './platforms.ts';

/** A key pair of `node:crypto`. */
export interface FreshPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const p256: FreshPair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384: FreshPair = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const ed25519: FreshPair = generateKeyPairSync('ed25519');

/** A pair for each algorithm that has pairs. All RSA algorithms have the same, so that confusing them shows. */
export const pairs: Readonly<Record<Exclude<MessageAlgorithm, 'hmac-sha256'>, FreshPair>> = {
  'rsa-v1_5-sha256': rsa,
  'rsa-pss-sha512': rsa,
  PS256: rsa,
  'ecdsa-p256-sha256': p256,
  'ecdsa-p384-sha384': p384,
  ed25519,
};

export const everyAlgorithm: readonly MessageAlgorithm[] = [
  'rsa-v1_5-sha256',
  'rsa-pss-sha512',
  'PS256',
  'ecdsa-p256-sha256',
  'ecdsa-p384-sha384',
  'ed25519',
  'hmac-sha256',
];

/** The secret for `hmac-sha256`. */
export const secret: Uint8Array<ArrayBuffer> = crypto.getRandomValues(new Uint8Array(32));

/** Returns the key that signs with an algorithm on a platform. */
export async function signingKeyOf(
  algorithm: MessageAlgorithm,
  platform: MessagesPlatform,
): Promise<MessageSigningKey> {
  if (algorithm === 'hmac-sha256') return hmacKey(secret);
  return platform.signingKey(pemOf(pairs[algorithm].privateKey), { algorithm });
}

/** Returns the key that verifies the signatures of `signingKeyOf`. */
export async function verifyingKeyOf(
  algorithm: MessageAlgorithm,
  platform: MessagesPlatform,
): Promise<MessageVerifyingKey> {
  if (algorithm === 'hmac-sha256') return hmacKey(secret);
  return platform.verifyingKey(pemOf(pairs[algorithm].publicKey), { algorithm });
}

/** Writes a key as PEM, as PKCS#8 or as a SubjectPublicKeyInfo. */
export function pemOf(key: KeyObject): string {
  return key.type === 'private'
    ? key.export({ type: 'pkcs8', format: 'pem' })
    : key.export({ type: 'spki', format: 'pem' });
}

/** Makes an RSA pair that says that it is for RSASSA-PSS with these parameters alone. */
export function pssPair(hashAlgorithm: string, mgf1HashAlgorithm: string, saltLength: number): FreshPair {
  return generateKeyPairSync('rsa-pss', {
    modulusLength: 2048,
    hashAlgorithm,
    mgf1HashAlgorithm,
    // Its type is wrong: node:crypto takes a number only.
    saltLength: saltLength as unknown as string,
  });
}

/** Returns the same public numbers as a key for any RSA algorithm, in PEM. */
export function unrestricted(pss: KeyObject): string {
  const encoded = readEncodedPublicKey(pss.export({ type: 'spki', format: 'der' }));
  return writePublicKeyPem(writeSubjectPublicKeyInfo(readRsaPublicKey(encoded!.subjectPublicKey)!));
}
