import {
  type AlgorithmName,
  type BaseSigner,
  createBaseSigner,
  createSigner,
  MemoryUsedSeconds,
  readPrivateKey,
  signatureAlgorithm,
  SigningError,
} from '@countersign/signature';
import { algorithms } from '@countersign/signature/rfc9421';
import { isKeySource } from './key-source.ts';
import { openProfileKey } from './open-profile-key.ts';
import type { PrivateKey, SignerOptions } from './options.ts';
import type { ProfileSign } from './profile-settings.ts';
import { buildRequestSigner, type RequestSigner } from './request-signer.ts';
import { publicKeyOf, signWithFunction, signWithSource } from './sign-with.ts';

/** Shared by all signers of a thread. A worker or another tab has its own: see "Equal requests" in the README. */
const usedSeconds = new MemoryUsedSeconds();

/** Creates a signer on Web Crypto, which signs outside the thread in every runtime. */
export function createWebRequestSigner(options: SignerOptions): RequestSigner {
  const { privateKey, passphrase, algorithm } = options;
  const publicKey = publicHalf(options);
  let openedForProfile: Promise<ProfileSign> | undefined;
  let opened: Promise<Sign> | undefined;
  const open = (): Promise<Sign> => (opened ??= openKey(privateKey, passphrase));
  return buildRequestSigner(options, {
    usedSeconds,
    ready: async () => void (await open()),
    profileKey: async (wanted) => {
      openedForProfile ??= openProfileKey(privateKey, passphrase, wanted, algorithm);
      return { sign: await openedForProfile, publicKey };
    },
    createSigner(settings) {
      const created = createSigner({ ...settings, privateKey: opening(open) });
      // Reported by the first request.
      created.catch(() => undefined);
      return { sign: async (request, time) => (await created).sign(request, time) };
    },
  });
}

type Sign = BaseSigner<Promise<Uint8Array>>;

/** Returns a function that signs once the key is open. */
function opening(open: () => Promise<Sign>): Sign {
  const sign = async (bytes: Uint8Array): Promise<Uint8Array> => (await open())(bytes);
  const algorithm = async (): Promise<AlgorithmName> =>
    (await (await open()).algorithm?.()) ?? signatureAlgorithm;
  return Object.assign(sign, { algorithm });
}

/** Returns how to get the public half: of a key that may change, and for an agent where it can be derived. */
function publicHalf({
  privateKey,
  passphrase,
  signatureAgent,
}: SignerOptions): (() => Promise<string>) | undefined {
  if (isKeySource(privateKey)) return () => publicKeyOf(privateKey);
  if (typeof privateKey !== 'string' || signatureAgent === undefined) return undefined;
  let derived: Promise<string> | undefined;
  return () => (derived ??= derivePublicKey(privateKey, passphrase));
}

/** Returns the public half of a private key, as a JWK. */
async function derivePublicKey(privateKey: string, passphrase: string | undefined): Promise<string> {
  const reading = await readPrivateKey(privateKey, passphrase);
  if (!reading.ok) throw new SigningError('private_key_invalid', reading.message);
  const parameters = algorithms[reading.algorithm].webCrypto;
  const key = await crypto.subtle.importKey('pkcs8', reading.pkcs8Der, parameters, true, ['sign']);
  const { kty, crv, x, y, n, e } = await crypto.subtle.exportKey('jwk', key);
  return JSON.stringify({ kty, crv, x, y, n, e });
}

async function openKey(privateKey: PrivateKey, passphrase: string | undefined): Promise<Sign> {
  if (typeof privateKey === 'function') return signWithFunction(privateKey);
  if (isKeySource(privateKey)) return signWithSource(privateKey);
  return createBaseSigner(privateKey, passphrase);
}
