import { stat } from 'node:fs/promises';
import { readTextFile } from '../files.ts';
import type { Io } from '../terminal/io.ts';
import { writeNote } from '../terminal/report.ts';
import { type Credentials, findPassphrase } from './credentials.ts';
import { type OpenSigner, openKeySource } from './key-source.ts';
import type { ProfileSettings } from './profile-signer.ts';

/** Reads the credentials' key file and creates a signer. Throws a CommandError that contains none of the key. */
export async function openSigner(
  credentials: Credentials,
  options: {
    readonly passphraseFile: string | undefined;
    readonly nonce: boolean;
    readonly profile?: ProfileSettings | undefined;
  },
  io: Io,
): Promise<OpenSigner> {
  const { clientId, keyFile, keyStoreFile } = credentials;
  const passphrase = await findPassphrase(options.passphraseFile, io);
  const source = await openKeySource(credentials, passphrase, io);
  const text = await readTextFile(io, keyFile, source.holds);
  if (keyStoreFile === undefined) await warnIfOthersCanRead(keyFile, io);
  return source.open(text, keyFile, {
    clientId,
    nonce: options.nonce,
    nowMs: io.nowMs,
    profile: options.profile,
  });
}

async function warnIfOthersCanRead(file: string, io: Io): Promise<void> {
  if (process.platform === 'win32') return;
  const { mode } = await stat(file);
  if ((mode & 0o077) !== 0) writeNote(io, `other users can read ${file}: chmod 600 ${file}`);
}
