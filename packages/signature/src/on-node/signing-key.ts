import { createPrivateKey, KeyObject, type webcrypto } from 'node:crypto';
import { createKeyCommand } from '../keys/create-key-command.ts';
import { encryptedPrivateKeyDer, readPlainPrivateKey } from '../keys/private-key.ts';
import { problemOfSigningCryptoKey } from '../keys/signing-crypto-key.ts';
import { SigningError } from '../profile/signing.ts';
import { keyTitles } from '../rfc9421/algorithms.ts';
import { algorithmOfKeyObject, nodeAlgorithms } from './algorithms.ts';

/** PEM or bare Base64 (PKCS#8, PKCS#1, encrypted PEM with its passphrase), or a key object. */
type GivenSigningKey = string | KeyObject | webcrypto.CryptoKey;

/**
 * Reads a private key of any form that a signer takes, and checks that it can sign requests.
 *
 * @throws SigningError, which says what to do and contains nothing of the key
 */
export function readSigningKey(key: GivenSigningKey, passphrase?: string): KeyObject {
  const keyObject = keyObjectFrom(key, passphrase);
  const problem = problemOfSigningKey(keyObject);
  if (problem) throw new SigningError('private_key_invalid', problem);
  return keyObject;
}

function keyObjectFrom(key: GivenSigningKey, passphrase: string | undefined): KeyObject {
  if (key instanceof KeyObject) return key;
  if (typeof key === 'string') return keyObjectFromText(key, passphrase);
  const problem = problemOfSigningCryptoKey(key);
  if (problem) throw new SigningError('private_key_invalid', problem);
  return KeyObject.from(key);
}

function keyObjectFromText(text: string, passphrase: string | undefined): KeyObject {
  const reading = readPlainPrivateKey(text);
  if (reading.ok)
    return createPrivateKey({ key: Buffer.from(reading.pkcs8Der), format: 'der', type: 'pkcs8' });
  if (reading.code !== 'private_key_encrypted')
    throw new SigningError('private_key_invalid', reading.message);
  const der = encryptedPrivateKeyDer(text);
  if (passphrase === undefined || der === undefined)
    throw new SigningError('private_key_invalid', reading.message);
  try {
    // Not the original text: OpenSSL needs the line breaks that pasting has removed.
    return createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8', passphrase });
  } catch {
    // OpenSSL's own message is not included: it differs by version and helps nobody.
    throw new SigningError('private_key_invalid', 'The passphrase is wrong, or the private key is damaged.');
  }
}

function problemOfSigningKey(key: KeyObject): string | undefined {
  if (key.type !== 'private') return 'This is not a private key. Use the private key of the key pair.';
  // With any other key type, node:crypto would not sign with the announced algorithm.
  const algorithm = algorithmOfKeyObject(key);
  if (algorithm !== undefined) return nodeAlgorithms[algorithm].problemOfPrivateKey(key);
  const { asymmetricKeyType: type = 'unknown', asymmetricKeyDetails: details } = key;
  const kind = details?.namedCurve === undefined ? type : `${type} over ${details.namedCurve}`;
  return `The private key must be ${keyTitles}, not ${kind}. Create one: ${createKeyCommand}`;
}
