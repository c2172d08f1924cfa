import { encodeBase64, generateKeyPair as newKeyPair, readPublicKeyInTurns } from '@countersign/signature';
import { algorithms, algorithmsOfKind } from '@countersign/signature/rfc9421';
import type { AcceptedKey } from './key-input-state.ts';
import { acceptedKey } from './read-public-key.ts';

/** The keys to choose from: RSA keys by their size in bits, others by their algorithm. */
export const keyChoices = [2048, 3072, 4096, 'ed25519', 'ecdsa-p256-sha256', 'ecdsa-p384-sha384'] as const;

export type KeyChoice = (typeof keyChoices)[number];

/** Returns those that a profile signs with, and the one to recommend: RSA for every library, otherwise Ed25519. */
export function keyChoicesFor(allowed: readonly string[] | undefined): {
  readonly choices: readonly KeyChoice[];
  readonly usual: KeyChoice;
} {
  const isAllowed = (name: string): boolean => allowed?.includes(name) ?? true;
  const hasRsa = algorithmsOfKind('rsa').some(isAllowed);
  const choices = keyChoices.filter((choice) => (typeof choice === 'number' ? hasRsa : isAllowed(choice)));
  if (isAllowed('rsa-v1_5-sha256')) return { choices, usual: usualKey };
  const others = choices.filter((choice) => typeof choice !== 'number');
  const ordered = [...others, ...choices.filter((choice) => typeof choice === 'number')];
  return { choices: ordered, usual: ordered[0] ?? usualKey };
}

const usualKey: KeyChoice = 3072;

/** A key pair generated in this page. The private key is shown, saved and dropped, never sent. */
export interface GeneratedKeyPair {
  readonly key: AcceptedKey;
  /** PKCS#8 in PEM. */
  readonly privateKeyPem: string;
  /** The same PKCS#8 in one line of Base64, for environment variables and secret stores. */
  readonly privateKeyLine: string;
}

/** Generates a key pair. Rejects if the browser cannot: older ones have no Ed25519. */
export async function generateKeyPair(choice: KeyChoice): Promise<GeneratedKeyPair> {
  const [name, bits] =
    typeof choice === 'number' ? (['rsa-v1_5-sha256', choice] as const) : ([choice, 0] as const);
  const pair = (await newKeyPair(algorithms[name], { bits, isExtractable: true })) as CryptoKeyPair;
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
