import { createAsyncSigner, readSigningKey, SigningError } from '@countersign/signature/node';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { CommandError } from '../exits.ts';
import { makeKeyPairLike } from '../keys/make-key-pair.ts';
import type { KeySource } from './key-source.ts';
import { fingerprintOf } from './public-half.ts';

/** Private keys in files: PEM or bare Base64, with one passphrase for the encrypted ones. */
export function filedKeys(passphrase: string | undefined): KeySource {
  return {
    holds: 'private key',
    async open(text, file, { clientId, nonce, nowMs }) {
      const key = readKey(text, file, passphrase);
      const signer = fromLibrary(file, () =>
        createAsyncSigner({ keyid: clientId, privateKey: key, nonce, nowMs }),
      );
      const publicKeyPem = (): string => createPublicKey(key).export({ format: 'pem', type: 'spki' });
      return { signer, publicKeyPem, fingerprint: () => fingerprintOf(publicKeyPem()) };
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
  return fromLibrary(file, () => readSigningKey(text, passphrase));
}

/** Runs a function of the library, whose errors describe a key's problem best. */
function fromLibrary<Result>(file: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof SigningError)) throw error;
    if (error.code === 'keyid_invalid') throw new CommandError('usage', error.code, error.message);
    const advice = / passphrase\b/.test(error.message)
      ? ' (--passphrase-file FILE, or COUNTERSIGN_PASSPHRASE)'
      : '';
    throw new CommandError('local', error.code, `${file}: ${error.message}${advice}`);
  }
}
