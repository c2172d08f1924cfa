/**
 * Signs and verifies requests and responses by any profile of RFC 9421, with `node:crypto`. Also exports the rest of the
 * general library.
 *
 * @module
 */
import {
  type AsymmetricKeyDetails,
  constants,
  createPrivateKey,
  createPublicKey,
  hash,
  KeyObject,
  sign,
  type SignKeyObjectInput,
  verify,
} from 'node:crypto';
import { wrongType } from '../arguments/check-argument.ts';
import { fingerprintFromDigest } from '../keys/fingerprint.ts';
import type { PublicKeyPolicy } from '../keys/public-key-refusal.ts';
import { algorithmNamed, algorithms } from '../rfc9421/algorithms.ts';
import type { HttpMessage } from '../rfc9421/message.ts';
import { algorithmOfKeyObject, nodeAlgorithms } from './algorithms.ts';
import {
  algorithmForKey,
  type MessageAlgorithm,
  messageAlgorithms,
  type MessageKeyOptions,
  type MessageSigningKey,
  type MessageVerifyingKey,
} from '../messages/algorithms.ts';
import type { MessagePlatform } from '../messages/platform.ts';
import { pssPrivateKeyDer } from '../keys/pss-only-keys.ts';
import { SigningError } from '../profile/signing.ts';
import { readSigningKey } from './signing-key.ts';
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
  digest: (algorithm, bytes) => hash(algorithm.replace('-', ''), bytes, 'buffer'),
  isConcurrent: false,
};

/** Verifies a received message against a profile: see the other entry point's function of this name. */
export async function verifyMessage(
  message: HttpMessage,
  verification: MessageVerification,
): Promise<VerifiedMessage | MessageRefusal> {
  return verifyMessageOn(platform, message, verification);
}

/** Signs a message by a profile: see the other entry point's function of this name. */
export async function signMessage(
  message: HttpMessage,
  signature: ProfiledSignature,
): Promise<{ readonly headers: ProfiledSignatureLines; readonly signatureBase: string }> {
  return signMessageOn(platform, message, signature);
}

/**
 * Reads a public key: PEM, bare Base64, certificate, an OpenSSH line, a JWK, or takes a `KeyObject`.
 *
 * @throws TypeError that says what is wrong
 */
export function verifyingKey(
  key: string | JsonWebKeyObject | KeyObject,
  options: MessageKeyOptions = {},
): MessageVerifyingKey {
  const { spkiDer, algorithm } = examineKey(key instanceof KeyObject ? spkiOf(key) : key, options);
  const keyObject = createPublicKey({ key: Buffer.from(spkiDer), format: 'der', type: 'spki' });
  const { hashName, input } = operationOf(keyObject, algorithm);
  return {
    algorithm,
    id: fingerprintFromDigest(hash('sha256', spkiDer, 'buffer')),
    verifies: (base, signature) => verify(hashName, base, input, signature),
  };
}

/** Returns the thumbprint of a public key (RFC 7638), which Web Bot Auth uses as `keyid`. @throws TypeError for another key */
export async function keyThumbprint(
  key: string | JsonWebKeyObject | KeyObject,
  policy?: PublicKeyPolicy,
): Promise<string> {
  const { spkiDer } = examinePublicKey(key instanceof KeyObject ? spkiOf(key) : key, policy);
  const keyObject = createPublicKey({ key: Buffer.from(spkiDer), format: 'der', type: 'spki' });
  return thumbprintOn(platform, { ...keyObject.export({ format: 'jwk' }) });
}

/**
 * Reads a private key: PEM or bare Base64 (PKCS#8, PKCS#1, SEC 1, encrypted PKCS#8 with its passphrase), or takes a `KeyObject`.
 *
 * @throws TypeError that says what is wrong, and holds nothing of the key
 */
export function signingKey(
  key: string | KeyObject,
  options: Pick<MessageKeyOptions, 'algorithm'> & { readonly passphrase?: string } = {},
): MessageSigningKey {
  const keyObject = key instanceof KeyObject ? key : privateKeyOf(key, options.passphrase);
  if (keyObject.type !== 'private') throw wrongType('key', keyObject, 'a private key');
  const { asymmetricKeyType, asymmetricKeyDetails = {} } = keyObject;
  const { modulusLength = 2048, publicExponent = 65_537n } = asymmetricKeyDetails;
  // A key that says that it is for PSS alone.
  const isPss = asymmetricKeyType === 'rsa-pss';
  const ofClients = isPss ? 'rsa-v1_5-sha256' : algorithmOfKeyObject(keyObject);
  const keyKind = ofClients && algorithms[ofClients].keyKind;
  const algorithm = algorithmForKey(keyKind, options.algorithm);
  if (isPss) checkPssRestrictions(asymmetricKeyDetails, algorithm);
  if (modulusLength < 2048) throw new TypeError('The RSA key must have at least 2048 bits.');
  if (publicExponent !== 65_537n) throw new TypeError("The key's public exponent is not 65537.");
  const { hashName, input } = operationOf(keyObject, algorithm);
  return { algorithm, sign: (base) => sign(hashName, base, input) };
}

/** OpenSSL would only say so at the first signature. */
function checkPssRestrictions(
  { hashAlgorithm, mgf1HashAlgorithm, saltLength = 0 }: AsymmetricKeyDetails,
  algorithm: MessageAlgorithm,
): void {
  checkPss(algorithm);
  const hashName = pssHashName(algorithm);
  const isRestricted =
    (hashAlgorithm ?? hashName) !== hashName ||
    (mgf1HashAlgorithm ?? hashName) !== hashName ||
    saltLength > messageAlgorithms[algorithm].saltBytes!;
  if (isRestricted)
    throw new TypeError(`The key is restricted to other parameters than those of ${algorithm}.`);
}

function privateKeyOf(text: string, passphrase: string | undefined): KeyObject {
  if (typeof text !== 'string') throw wrongType('key', text, 'the text of a private key, or a KeyObject');
  const der = pssPrivateKeyDer(text);
  try {
    return der === undefined
      ? readSigningKey(text, passphrase)
      : createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' });
  } catch (error) {
    throw privateKeyError(error);
  }
}

/** OpenSSL's own message is not included: it differs by version and helps nobody. */
function privateKeyError(error: unknown): TypeError {
  return new TypeError(
    error instanceof SigningError ? error.message : 'The text is no private key, or it is damaged.',
  );
}

function spkiOf(key: KeyObject): string {
  if (key.type !== 'public') throw wrongType('key', key, 'a public key');
  return key.export({ type: 'spki', format: 'pem' });
}

/** What `node:crypto` is told for an operation. */
interface NodeOperation {
  readonly hashName: string | undefined;
  readonly input: SignKeyObjectInput;
}

function operationOf(key: KeyObject, algorithm: MessageAlgorithm): NodeOperation {
  const ofClients = algorithmNamed(algorithm);
  if (ofClients !== undefined) {
    const { hash: hashName, signingInput } = nodeAlgorithms[ofClients.name];
    return { hashName, input: signingInput(key) };
  }
  const saltLength = messageAlgorithms[algorithm].saltBytes!;
  return {
    hashName: pssHashName(algorithm),
    input: { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength },
  };
}

function pssHashName(algorithm: MessageAlgorithm): string {
  return messageAlgorithms[algorithm].webCrypto.hash.replace('-', '').toLowerCase();
}
