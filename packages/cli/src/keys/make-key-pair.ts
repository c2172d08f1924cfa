import { generateKeyPair, readPlainPrivateKey, signatureAlgorithm } from '@countersign/signature/node';
import { algorithmNamed, algorithms, type KeyAlgorithm } from '@countersign/signature/rfc9421';
import { KeyObject } from 'node:crypto';
import { usageError } from '../exits.ts';

export interface KeyPair {
  /** PKCS#8: PEM, or DER in Base64 on one line. */
  readonly privateKey: string;
  /** SPKI in PEM. */
  readonly publicKey: string;
}

export interface KeyPairOptions {
  /** Default: the algorithm that signers are asked for. */
  readonly algorithm?: KeyAlgorithm;
  /** The size of an RSA key. */
  readonly bits: number;
  /** Encrypts the private key. */
  readonly passphrase: string | undefined;
  /** True if the private key is bare Base64 instead of PEM. */
  readonly isBare?: boolean;
}

/** Creates a key pair. An RSA key takes up to some seconds. */
export async function makeKeyPair(options: KeyPairOptions): Promise<KeyPair> {
  const { algorithm = signatureAlgorithm, bits, passphrase, isBare = false } = options;
  // Keys for RSASSA-PSS are encoded like all RSA keys: every library reads them.
  const kind = algorithmNamed(algorithm) ?? algorithms['rsa-v1_5-sha256'];
  const made = (await generateKeyPair(kind, {
    bits,
    isExtractable: true,
  })) as CryptoKeyPair;
  const encryption = passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase };
  const privateKey = KeyObject.from(made.privateKey).export({ type: 'pkcs8', format: 'der', ...encryption });
  const publicKey = KeyObject.from(made.publicKey).export({ type: 'spki', format: 'pem' });
  const base64 = privateKey.toString('base64');
  return { publicKey, privateKey: isBare ? `${base64}\n` : pemOf(base64, passphrase !== undefined) };
}

/** Creates a key pair of the same kind as another, and of the same size unless `bits` says otherwise. */
export function makeKeyPairLike(
  key: KeyObject,
  { bits, ...rest }: Omit<KeyPairOptions, 'bits' | 'algorithm'> & { readonly bits: number | undefined },
): Promise<KeyPair> {
  const reading = readPlainPrivateKey(key.export({ type: 'pkcs8', format: 'pem' }));
  if (!reading.ok) throw new TypeError(reading.message);
  if (bits !== undefined && reading.algorithm !== 'rsa-v1_5-sha256')
    throw usageError(
      `The key is an ${algorithms[reading.algorithm].keyTitle} key, which has one size: leave out --bits.`,
    );
  return makeKeyPair({ ...rest, algorithm: reading.algorithm, bits: bits ?? reading.bits });
}

/** RFC 7468 sections 10 and 11. */
function pemOf(base64: string, isEncrypted: boolean): string {
  const label = isEncrypted ? 'ENCRYPTED PRIVATE KEY' : 'PRIVATE KEY';
  const lines = base64.match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
