import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

export interface KeyPair {
  /** PKCS#8: PEM, or DER in Base64 on one line. */
  readonly privateKey: string;
  /** SPKI in PEM. */
  readonly publicKey: string;
}

export interface KeyPairOptions {
  readonly bits: number;
  /** Encrypts the private key. */
  readonly passphrase: string | undefined;
  /** True if the private key is bare Base64 instead of PEM. */
  readonly isBare?: boolean;
}

/** Creates an RSA key pair. Takes up to some seconds. */
export async function makeKeyPair(options: KeyPairOptions): Promise<KeyPair> {
  const { bits, passphrase, isBare = false } = options;
  const encryption = passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase };
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: bits,
    publicExponent: 65537,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der', ...encryption },
  });
  const base64 = privateKey.toString('base64');
  return { publicKey, privateKey: isBare ? `${base64}\n` : pemOf(base64, passphrase !== undefined) };
}

/** Creates a key pair of the same kind as another, and of the same size unless `bits` says otherwise. */
export function makeKeyPairLike(
  { asymmetricKeyDetails }: KeyObject,
  { bits, ...rest }: Omit<KeyPairOptions, 'bits'> & { readonly bits: number | undefined },
): Promise<KeyPair> {
  return makeKeyPair({ ...rest, bits: bits ?? asymmetricKeyDetails?.modulusLength ?? 3072 });
}

/** RFC 7468 sections 10 and 11. */
function pemOf(base64: string, isEncrypted: boolean): string {
  const label = isEncrypted ? 'ENCRYPTED PRIVATE KEY' : 'PRIVATE KEY';
  const lines = base64.match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
