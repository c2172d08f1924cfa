import {
  type AlgorithmName,
  createBaseSigner,
  readPrivateKey,
  signatureAlgorithm,
  SigningError,
} from '@countersign/signature';
import type { MessageAlgorithm } from '@countersign/signature/messages';
import { algorithms } from '@countersign/signature/rfc9421';
import { isKeySource } from './key-source.ts';
import type { PrivateKey, SigningCryptoKey } from './options.ts';
import type { ProfileSign, WantedKey } from './profile-settings.ts';
import { signWithFunction, signWithSource } from './sign-with.ts';

/**
 * Opens a private key for a profile: like other keys, except that an RSA key may sign with RSASSA-PSS.
 *
 * @param algorithm the algorithm of a function or a key source that does not say it
 * @throws SigningError `private_key_invalid`
 */
export async function openProfileKey(
  privateKey: PrivateKey,
  passphrase: string | undefined,
  wanted: WantedKey,
  algorithm: MessageAlgorithm | undefined,
): Promise<ProfileSign> {
  if (typeof privateKey === 'function') return signWithFunction(privateKey, undefined, ofClients(algorithm));
  if (isKeySource(privateKey)) return signWithSource(privateKey, ofClients(algorithm));
  const pss = pssOf(wanted);
  return pss !== undefined && (await isRsa(privateKey, passphrase))
    ? openPssKey(privateKey, passphrase, pss)
    : createBaseSigner(privateKey, passphrase);
}

/** Returns the RSASSA-PSS algorithm that an RSA key is wanted for. */
export function pssOf({ rsa }: WantedKey): MessageAlgorithm | undefined {
  return rsa === signatureAlgorithm ? undefined : rsa;
}

function ofClients(algorithm: MessageAlgorithm | undefined): AlgorithmName | undefined {
  return algorithm !== undefined && Object.hasOwn(algorithms, algorithm)
    ? (algorithm as AlgorithmName)
    : undefined;
}

async function isRsa(
  privateKey: string | SigningCryptoKey,
  passphrase: string | undefined,
): Promise<boolean> {
  if (typeof privateKey !== 'string') return privateKey.algorithm.name.startsWith('RSA');
  const reading = await readPrivateKey(privateKey, passphrase);
  // A key that says that it is for RSASSA-PSS alone is for nothing else.
  return reading.ok ? reading.algorithm === signatureAlgorithm : reading.code === 'pss_only';
}

async function openPssKey(
  privateKey: string | SigningCryptoKey,
  passphrase: string | undefined,
  algorithm: MessageAlgorithm,
): Promise<ProfileSign> {
  const { signingKey } = await import('@countersign/signature/messages');
  try {
    const { sign } = await signingKey(privateKey as string | CryptoKey, {
      algorithm,
      ...(passphrase !== undefined && { passphrase }),
    });
    return Object.assign((base: Uint8Array) => sign(new Uint8Array(base)), { algorithm: () => algorithm });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new SigningError('private_key_invalid', error.message);
  }
}
