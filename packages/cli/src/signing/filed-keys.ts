import { createAsyncSigner, readSigningKey, SigningError } from '@countersign/signature/node';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { CommandError } from '../exits.ts';
import { makeKeyPairLike } from '../keys/make-key-pair.ts';
import type { KeySource } from './key-source.ts';
import { openProfileSigner } from './profile-signer.ts';
import { fingerprintOf } from './public-half.ts';

/** Private keys in files: PEM or bare Base64, with one passphrase for the encrypted ones. */
export function filedKeys(passphrase: string | undefined): KeySource {
  return {
    holds: 'private key',
    async open(text, file, { clientId, nonce, nowMs, profile }) {
      const publicKeyPem = (): string =>
        createPublicKey(readKey(text, file, passphrase)).export({ format: 'pem', type: 'spki' });
      const fingerprint = (): string | undefined => fingerprintOf(publicKeyPem());
      try {
        if (profile !== undefined) {
          const key = { privateKey: text, passphrase };
          const signer = await openProfileSigner(key, { clientId, nowMs }, profile);
          return { signer, profileHeaders: signer.signatureHeaders, publicKeyPem, fingerprint };
        }
        const privateKey = readSigningKey(text, passphrase);
        const signer = createAsyncSigner({ keyid: clientId, privateKey, nonce, nowMs });
        return { signer, publicKeyPem, fingerprint };
      } catch (error) {
        throw ofLibrary(error, file);
      }
    },
    async makeLike(text, bits) {
      const isBare = !text.includes('-----');
      const { privateKey } = await makeKeyPairLike(readSigningKey(text, passphrase), {
        bits,
        passphrase,
        isBare,
      });
      return privateKey;
    },
  };
}

function readKey(text: string, file: string, passphrase: string | undefined): KeyObject {
  try {
    return readSigningKey(text, passphrase);
  } catch (error) {
    throw ofLibrary(error, file);
  }
}

/** Turns an error of the library, which describes a key's problem best, into one of this program. */
function ofLibrary(error: unknown, file: string): unknown {
  if (!(error instanceof SigningError)) return error;
  if (error.code === 'keyid_invalid' || error.code === 'request_invalid')
    return new CommandError('usage', error.code, error.message);
  const advice = / passphrase\b/.test(error.message)
    ? ' (--passphrase-file FILE, or COUNTERSIGN_PASSPHRASE)'
    : '';
  return new CommandError('local', error.code, `${file}: ${error.message}${advice}`);
}
