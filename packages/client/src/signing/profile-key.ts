import { signatureAlgorithm, SigningError } from '@countersign/signature';
import {
  keyThumbprint,
  type MessageAlgorithm,
  type MessageVerifyingKey,
  verifyingKey,
} from '@countersign/signature/messages';
import type { ProfileMeans, ProfileSettings, ProfileSign, WantedKey } from './profile-settings.ts';

/** What is known of a key until a signature is by another one. */
export interface KnownKey {
  readonly keyid: string;
  readonly algorithm: MessageAlgorithm;
  readonly sign: ProfileSign;
  readonly verifying: MessageVerifyingKey | undefined;
}

const rsaAlgorithms: readonly MessageAlgorithm[] = ['rsa-v1_5-sha256', 'rsa-pss-sha512', 'PS256'];

/** Returns what a key will be used for. */
export function wantedKey(
  { algorithm, algorithms }: ProfileSettings,
  ofProfile: readonly MessageAlgorithm[],
): WantedKey {
  const allowed = algorithms ?? ofProfile;
  const forRsa = rsaAlgorithms.filter((name) => allowed.includes(name));
  const rsa = forRsa.length === 1 ? forRsa[0] : forRsa.find((name) => name === algorithm);
  return { algorithms: allowed, rsa };
}

/**
 * Finds out what the current key is.
 *
 * @param profileId for errors
 * @throws SigningError for a key or a keyid that cannot be used
 */
export async function knownKey(
  settings: ProfileSettings,
  wanted: WantedKey,
  profileKey: ProfileMeans['profileKey'],
  profileId: string,
): Promise<KnownKey> {
  const { sign, publicKey } = await profileKey(wanted);
  const problem = (text: string): SigningError =>
    new SigningError('private_key_invalid', settings.keyAdvice ?? text);
  const text = await publicKey?.();
  const verifying = text === undefined ? undefined : await ownVerifyingKey(text, wanted, problem);
  const own = sign.algorithm ? await sign.algorithm() : (settings.algorithm ?? signatureAlgorithm);
  // An RSA key has several; for another one, the two answers may be of different keys.
  const isRsa = verifying === undefined || rsaAlgorithms.includes(verifying.algorithm);
  const algorithm = isRsa ? own : verifying.algorithm;
  checkAlgorithm(algorithm, settings, wanted, profileId, problem);
  return { keyid: await keyidOf(text, settings), algorithm, sign, verifying };
}

/** Without an algorithm, the library reads every key except RSA, for which there are several. */
async function ownVerifyingKey(
  text: string,
  { rsa }: WantedKey,
  problem: (text: string) => SigningError,
): Promise<MessageVerifyingKey> {
  try {
    return await verifyingKey(text, policy);
  } catch (first) {
    try {
      return await verifyingKey(text, { ...policy, algorithm: rsa ?? signatureAlgorithm });
    } catch {
      throw problem((first as Error).message);
    }
  }
}

const policy = { allowPublishedTestKeys: true, modulusBitsMax: 8192 };

function checkAlgorithm(
  algorithm: MessageAlgorithm,
  settings: ProfileSettings,
  { algorithms, rsa }: WantedKey,
  profileId: string,
  problem: (text: string) => SigningError,
): void {
  if (settings.algorithm !== undefined && settings.algorithm !== algorithm)
    throw problem(
      `The key signs with ${algorithm}, not with ${settings.algorithm}: leave algorithm out, or use another key.`,
    );
  const forRsa = rsaAlgorithms.filter((name) => algorithms.includes(name));
  if (rsaAlgorithms.includes(algorithm) && rsa === undefined && forRsa.length > 0)
    throw problem(
      `An RSA key can sign by ${profileId} with ${forRsa.join(' or ')}: set algorithm to the one that the service expects.`,
    );
  if (!algorithms.includes(algorithm))
    throw problem(
      `${profileId} is signed with ${algorithms.join(' or ')}, and this key is for ${algorithm}.`,
    );
}

async function keyidOf(
  publicKey: string | undefined,
  { keyid, isThumbprint }: ProfileSettings,
): Promise<string> {
  if (!isThumbprint) return keyid!;
  if (publicKey === undefined && keyid === undefined)
    throw new SigningError(
      'keyid_invalid',
      "An agent's keyid is the thumbprint of its public key, which the signer cannot derive from this key: set clientId to it.",
    );
  if (publicKey === undefined) return keyid!;
  const thumbprint = await keyThumbprint(publicKey, policy);
  if (keyid === undefined || keyid === thumbprint) return thumbprint;
  throw new SigningError(
    'keyid_invalid',
    "An agent's keyid is the thumbprint of its key: leave out clientId.",
  );
}
