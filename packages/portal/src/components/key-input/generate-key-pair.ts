import { encodeBase64, readPublicKeyInTurns } from '@countersign/signature';
import { type AcceptedKey, acceptedKey } from './read-key-text.ts';

/** The sizes that are offered. */
export const modulusSizes = [2048, 3072, 4096] as const;

/** How many bits the modulus has. */
export type ModulusBits = (typeof modulusSizes)[number];

/** A key pair that was made in this page. The private half is secret: it is shown, saved and dropped, never sent. */
export interface GeneratedKeyPair {
  readonly key: AcceptedKey;
  /** PKCS#8, as a PEM file. */
  readonly privateKeyPem: string;
  /** The same PKCS#8 bytes, for environment variables and secret stores that take one line. */
  readonly privateKeyLine: string;
}

/** Whether this page can make keys: WebCrypto is there on pages with HTTPS and on localhost only. */
export function canGenerateKeys(): boolean {
  return (globalThis.crypto as Crypto | undefined)?.subtle !== undefined;
}

/** Makes an RSA key pair for RSASSA-PKCS1-v1_5 with SHA-256, in the browser. Rejects when the browser cannot. */
export async function generateKeyPair(modulusBits: ModulusBits): Promise<GeneratedKeyPair> {
  const pair = await crypto.subtle.generateKey(
    {
      name: 'RSASSA-PKCS1-v1_5',
      modulusLength: modulusBits,
      publicExponent: Uint8Array.of(1, 0, 1),
      hash: 'SHA-256',
    },
    true,
    ['sign', 'verify'],
  );
  const publicKey = encodeBase64(new Uint8Array(await crypto.subtle.exportKey('spki', pair.publicKey)));
  // The same reading as for keys that are pasted: what is offered to the service has passed the same checks.
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
