/**
 * Signs and verifies requests and responses by any profile of RFC 9421, with Web Crypto: Node, Deno, Bun, browsers, workers.
 *
 * For the closed profile of Countersign's services use the package's own entry points: they leave nothing to choose.
 *
 * @module
 */
import { wrongType } from '../arguments/check-argument.ts';
import { isCanonicalEd25519 } from './ed25519.ts';
import { webSha256 } from './sha256.ts';
import { fingerprintFromDigest } from '../keys/fingerprint.ts';
import { readPrivateKey } from '../keys/private-key.ts';
import type { PublicKeyPolicy } from '../keys/public-key-refusal.ts';
import { algorithms } from '../rfc9421/algorithms.ts';
import type { HttpMessage } from '../rfc9421/message.ts';
import {
  algorithmForKey,
  findMessageAlgorithm,
  type MessageAlgorithm,
  type MessageAlgorithmFacts,
  messageAlgorithms,
  type MessageKeyOptions,
  type MessageSigningKey,
  type MessageVerifyingKey,
} from '../messages/algorithms.ts';
import type { MessagePlatform } from '../messages/platform.ts';
import { unrestrictedPrivateKey } from '../keys/pss-only-keys.ts';
import {
  checkPss,
  examineKey,
  examinePublicKey,
  type JsonWebKeyObject,
} from '../messages/public-key-text.ts';
import type { MessageRefusal } from '../messages/refusal.ts';
import {
  type ProfiledSignature,
  type ProfiledSignatureLines,
  signMessageOn,
} from '../messages/sign-message.ts';
import type { MessageVerification, VerifiedMessage } from '../messages/message-verification.ts';
import { verifyMessageOn } from '../messages/verify-message.ts';
import { thumbprintOn } from '../messages/thumbprint.ts';

export * from '../messages/exports.ts';
export type { JsonWebKeyObject } from '../messages/public-key-text.ts';

const platform: MessagePlatform = {
  digest: async (algorithm, bytes) =>
    algorithm === 'sha-256'
      ? webSha256(bytes)
      : new Uint8Array(await crypto.subtle.digest(algorithm.toUpperCase(), bytes)),
  isConcurrent: true,
};

/**
 * Verifies a received message against a profile. Never rejects for bad input, only with a TypeError that names the argument
 * if one has a wrong type.
 *
 * Not checked, and left to the caller: that `targetUri` is the URL as called, what the key's owner may do, and everything
 * that the profile does not bind. How long it takes can tell whether `keysFor` found a key.
 */
export async function verifyMessage(
  message: HttpMessage,
  verification: MessageVerification,
): Promise<VerifiedMessage | MessageRefusal> {
  return verifyMessageOn(platform, message, verification);
}

/**
 * Signs a message by a profile. Returns the header lines to add to it.
 *
 * @throws MessageSigningError, which says what to do, for a message that the profile has no signature for
 */
export async function signMessage(
  message: HttpMessage,
  signature: ProfiledSignature,
): Promise<{ readonly headers: ProfiledSignatureLines; readonly signatureBase: string }> {
  return signMessageOn(platform, message, signature);
}

/** Reads a public key: PEM, bare Base64, certificate, an OpenSSH line, or a JWK. @throws TypeError that says what is wrong */
export async function verifyingKey(
  key: string | JsonWebKeyObject,
  options: MessageKeyOptions = {},
): Promise<MessageVerifyingKey> {
  const { spkiDer, algorithm } = examineKey(key, options);
  const imported = await crypto.subtle.importKey(
    'spki',
    spkiDer,
    messageAlgorithms[algorithm].webCrypto,
    false,
    ['verify'],
  );
  const parameters = operationParameters(algorithm);
  return {
    algorithm,
    id: fingerprintFromDigest(await webSha256(spkiDer)),
    verifies: async (base, signature) => {
      // Not every runtime checks it: without, anyone could make another signature.
      if (algorithm === 'ed25519' && !isCanonicalEd25519(signature)) return false;
      return crypto.subtle.verify(parameters, imported, signature, base);
    },
  };
}

/**
 * Returns the thumbprint of a public key (RFC 7638), which Web Bot Auth uses as `keyid`.
 *
 * @throws TypeError that says what is wrong with the key
 */
export async function keyThumbprint(
  key: string | JsonWebKeyObject,
  policy?: PublicKeyPolicy,
): Promise<string> {
  const { spkiDer, kind } = examinePublicKey(key, policy);
  const imported = await crypto.subtle.importKey('spki', spkiDer, algorithms[kind].webCrypto, true, [
    'verify',
  ]);
  return thumbprintOn(platform, { ...(await crypto.subtle.exportKey('jwk', imported)) });
}

/**
 * Reads a private key: PEM or bare Base64 (PKCS#8, PKCS#1, encrypted PKCS#8 with its passphrase), or takes a `CryptoKey`.
 *
 * @throws TypeError that says what is wrong, and holds nothing of the key
 */
export async function signingKey(
  key: string | CryptoKey,
  options: Pick<MessageKeyOptions, 'algorithm'> & { readonly passphrase?: string } = {},
): Promise<MessageSigningKey> {
  const { algorithm, imported } =
    typeof key === 'string' ? await importPrivate(key, options) : ofCryptoKey(key, options.algorithm);
  const parameters = operationParameters(algorithm);
  return {
    algorithm,
    sign: async (base) => new Uint8Array(await crypto.subtle.sign(parameters, imported, base)),
  };
}

const defaultExponent = Uint8Array.of(1, 0, 1);

interface ImportedKey {
  readonly algorithm: MessageAlgorithm;
  readonly imported: CryptoKey;
}

async function importPrivate(
  text: string,
  { algorithm: wanted, passphrase }: { readonly algorithm?: MessageAlgorithm; readonly passphrase?: string },
): Promise<ImportedKey> {
  const unrestricted = unrestrictedPrivateKey(text);
  const reading = await readPrivateKey(unrestricted ?? text, passphrase);
  if (!reading.ok)
    throw new TypeError(
      reading.code === 'pss_only'
        ? 'The private key is encrypted or restricted, and for RSASSA-PSS alone. Use one without these restrictions.'
        : reading.message,
    );
  const algorithm = algorithmForKey(algorithms[reading.algorithm].keyKind, wanted);
  if (unrestricted !== undefined) checkPss(algorithm);
  const { webCrypto } = messageAlgorithms[algorithm];
  return {
    algorithm,
    imported: await crypto.subtle.importKey('pkcs8', reading.pkcs8Der, webCrypto, false, ['sign']),
  };
}

/** A `CryptoKey` is for one algorithm already; only the salt's length distinguishes PSS with the same hash function. */
function ofCryptoKey(key: CryptoKey, wanted: MessageAlgorithm | undefined): ImportedKey {
  if (typeof key !== 'object' || key === null || !('usages' in key) || key.type !== 'private')
    throw wrongType('key', key, 'the text of a private key, or a private CryptoKey');
  const {
    name,
    namedCurve,
    hash,
    modulusLength = 2048,
  } = key.algorithm as {
    name: string;
    namedCurve?: string;
    hash?: { name: string };
    modulusLength?: number;
  };
  const exponent = (key.algorithm as { publicExponent?: Uint8Array }).publicExponent ?? defaultExponent;
  if (String(exponent) !== String(defaultExponent))
    throw new TypeError("The key's public exponent is not 65537.");
  if (modulusLength < 2048) throw new TypeError('The RSA key must have at least 2048 bits.');
  const found = findMessageAlgorithm(
    ({ webCrypto }) =>
      webCrypto.name === name &&
      webCrypto.namedCurve === namedCurve &&
      (hash === undefined || webCrypto.hash === hash.name),
  );
  if (found === undefined || found === 'hmac-sha256' || (wanted !== undefined && wanted !== found))
    throw new TypeError('The CryptoKey is not for the algorithm, or for none of RFC 9421.');
  return { algorithm: found, imported: key };
}

/** Web Crypto's parameters of an operation. */
function operationParameters(algorithm: MessageAlgorithm): MessageAlgorithmFacts['webCrypto'] & {
  readonly saltLength: number;
} {
  const { webCrypto, saltBytes = 0 } = messageAlgorithms[algorithm];
  return { ...webCrypto, saltLength: saltBytes };
}
