import { describeKey, everyKeySize, readPublicKey } from '@countersign/signature/node';
import { stat } from 'node:fs/promises';
import { CommandError } from '../exits.ts';
import type { Credentials } from '../signing/credentials.ts';
import type { OpenSigner } from '../signing/key-source.ts';
import { openSigner } from '../signing/open-signer.ts';
import type { Io } from '../terminal/io.ts';
import type { Checkup } from './checkup.ts';

/** Reads the key as the signer does, and describes it. */
export async function checkKey(
  checkup: Checkup,
  credentials: Credentials,
  options: { readonly passphraseFile: string | undefined; readonly nonce: boolean },
  io: Io,
): Promise<OpenSigner> {
  const { keyFile: file, keyStoreFile } = credentials;
  let signer: OpenSigner;
  try {
    // Its own note becomes a step here.
    signer = await openSigner(credentials, options, { ...io, errors: { write: () => undefined } });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const step = error.code === 'keyid_invalid' ? 'clientId' : 'key';
    const advice =
      step === 'key'
        ? keyStoreFile === undefined
          ? 'Set the private key file with --key; "countersign keygen" creates one.'
          : `Check what ${keyStoreFile} says of the key store, and the name of the key in ${file}.`
        : 'Copy the clientId from the row of the client in the portal.';
    return checkup.end(step, 'local', error.message, advice);
  }
  const reading = readPublicKey(signer.publicKeyPem(), { ...everyKeySize, allowPublishedTestKeys: true });
  const bits = reading.ok ? describeKey(reading.key) : 'unusual';
  checkup.ok('key', `${file}: ${bits}, ${signer.fingerprint()}`);
  const isReadable = keyStoreFile === undefined && process.platform !== 'win32';
  if (isReadable && ((await stat(file)).mode & 0o077) !== 0)
    checkup.warn('key file', 'other users of this machine can read it', `chmod 600 ${file}`);
  const { clientId } = credentials;
  if (/^client_[0-9a-z]{26}$/.test(clientId)) checkup.ok('clientId', clientId);
  else
    checkup.warn(
      'clientId',
      `${clientId} is not of the form that the service assigns, client_ and 26 characters`,
      "Copy it from the client's row in the portal, unless you chose it yourself.",
    );
  return signer;
}
