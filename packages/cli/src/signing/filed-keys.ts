import { createSigner } from '@countersign/signature';
import {
  createSigner as createSynchronousSigner,
  readPlainPrivateKey,
  SigningError,
} from '@countersign/signature/node';
import { constants, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { CommandError } from '../exits.ts';
import { makeKeyPair } from '../keys/make-key-pair.ts';
import type { KeySource } from './key-source.ts';
import { fingerprintOf } from './public-half.ts';

const signInThreadPool = promisify(sign);

/** Private keys in files: PEM or bare Base64, with one passphrase for those that are encrypted. */
export function filedKeys(passphrase: string | undefined): KeySource {
  return {
    holds: 'private key',
    async open(text, file, { clientId, nonce, nowMs }) {
      check(text, file, clientId, passphrase);
      const key = readKeyObject(text, passphrase);
      // RSA runs in the thread pool, so that many requests at once do not hold up the others.
      const input = { key, padding: constants.RSA_PKCS1_PADDING };
      const privateKey = (base: Uint8Array): Promise<Buffer> => signInThreadPool('sha256', base, input);
      const signer = await createSigner({ keyid: clientId, privateKey, nonce, nowMs });
      const publicKeyPem = (): string => createPublicKey(key).export({ format: 'pem', type: 'spki' });
      return { signer, publicKeyPem, fingerprint: () => fingerprintOf(publicKeyPem()) };
    },
    async makeLike(text, modulusBits) {
      const isBare = !text.includes('-----');
      const bits = modulusBits ?? readKeyObject(text, passphrase).asymmetricKeyDetails?.modulusLength;
      const { privateKey } = await makeKeyPair({ modulusBits: bits ?? 2048, passphrase, isBare });
      return privateKey;
    },
  };
}

/** Lets the library read the key, which says best what is wrong with it. */
function check(privateKey: string, file: string, keyid: string, passphrase: string | undefined): void {
  try {
    createSynchronousSigner({ keyid, privateKey, ...(passphrase !== undefined && { passphrase }) });
  } catch (error) {
    if (!(error instanceof SigningError)) throw error;
    if (error.code === 'keyid_invalid') throw new CommandError('usage', error.code, error.message);
    const advice = / passphrase /.test(error.message)
      ? ' (--passphrase-file FILE, or COUNTERSIGN_PASSPHRASE)'
      : '';
    throw new CommandError('local', error.code, `${file}: ${error.message}${advice}`);
  }
}

/** Only for text that `check` has accepted. */
function readKeyObject(privateKey: string, passphrase: string | undefined): KeyObject {
  const plain = readPlainPrivateKey(privateKey);
  if (plain.ok) return createPrivateKey({ key: Buffer.from(plain.pkcs8Der), format: 'der', type: 'pkcs8' });
  return createPrivateKey(
    privateKey.includes('-----')
      ? { key: privateKey.trim(), format: 'pem', passphrase }
      : { key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8', passphrase },
  );
}
