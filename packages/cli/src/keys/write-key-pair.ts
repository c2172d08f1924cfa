import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { CommandError } from '../exits.ts';
import { fileError } from '../files.ts';

const privateMode = 0o600;
const publicMode = 0o644;

/**
 * Writes a key pair; only its owner can read the private key. Without `replace`, existing files are left alone. With
 * it, each file is written completely under another name before it replaces the old one. If the second file cannot be
 * written, the first is removed.
 */
export async function writeKeyPair(
  files: { readonly privateKeyFile: string; readonly publicKeyFile: string },
  pair: { readonly privateKey: string; readonly publicKey: string },
  replace: boolean,
): Promise<void> {
  const { privateKeyFile, publicKeyFile } = files;
  if (replace) for (const file of [privateKeyFile, publicKeyFile]) await checkReplaceable(file);
  const suffix = replace ? `.${randomBytes(6).toString('hex')}.new` : '';
  await writeNew(privateKeyFile, suffix, pair.privateKey, privateMode);
  try {
    await writeNew(publicKeyFile, suffix, pair.publicKey, publicMode);
  } catch (error) {
    await rm(privateKeyFile + suffix, { force: true });
    throw error;
  }
  if (!replace) return;
  await takePlace(privateKeyFile, suffix);
  await takePlace(publicKeyFile, suffix);
}

/** Runs before any change: replacing only one file would leave two keys that do not match. */
async function checkReplaceable(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined || found.isFile()) return;
  throw new CommandError('local', 'file', `${file} is not a file, and cannot be replaced by one.`);
}

async function writeNew(file: string, suffix: string, text: string, mode: number): Promise<void> {
  try {
    const handle = await open(file + suffix, 'wx', mode);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new CommandError(
        'local',
        'file_exists',
        `${file} already exists. Choose another name, or use --force.`,
      );
    }
    throw fileError(error, file, 'key file');
  }
}

async function takePlace(file: string, suffix: string): Promise<void> {
  try {
    await rename(file + suffix, file);
  } catch (error) {
    await rm(file + suffix, { force: true });
    throw fileError(error, file, 'key file');
  }
}
