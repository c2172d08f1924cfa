import { CommandError } from '../command-error.ts';
import { readTextFile } from '../files.ts';
import type { Io } from '../terminal/io.ts';

/**
 * The passphrase for a private key: the content of a file without the line end after it, else what the environment says,
 * else undefined. It is never an argument, because every user of the machine can read those.
 */
export async function findPassphrase(file: string | undefined, io: Io): Promise<string | undefined> {
  if (file === undefined) return io.environment['COUNTERSIGN_PASSPHRASE'] || undefined;
  const passphrase = (await readTextFile(io, file, 'passphrase file')).replace(/\r?\n$/, '');
  if (passphrase !== '') return passphrase;
  throw new CommandError('local', 'file', `The passphrase file ${file} is empty.`);
}
