import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { CommandError } from './exits.ts';
import type { Io } from './terminal/io.ts';
import { writeNote } from './terminal/report.ts';

/** Far more than keys, credentials and passphrases need. */
const textBytesMax = 256 * 1024;
/** The largest body that a service can be configured to accept. */
const bodyBytesMax = 1024 ** 3;

/** Reads a small text file. `what` names it in errors, which never contain any of it. */
export async function readTextFile(
  io: Io,
  path: string,
  what: string,
  bytesMax: number = textBytesMax,
): Promise<string> {
  return (await readFileBytes(io, path, what, bytesMax)).toString('utf8');
}

/** Reads the bytes of a body or request, from standard input if the path is `-`. */
export async function readBytes(io: Io, path: string, what: string): Promise<Buffer> {
  if (path !== '-') return readFileBytes(io, path, what, bodyBytesMax);
  if (io.input.isTTY === true) writeNote(io, `reading the ${what} from the keyboard; Ctrl-D ends it`);
  return collect(io.input, 'Standard input', bodyBytesMax);
}

export function fileError(error: unknown, path: string, what: string): CommandError {
  if (error instanceof CommandError) return error;
  const cause = (error as NodeJS.ErrnoException).code ?? 'unknown';
  const reason = reasons.get(cause) ?? `cannot be used (${cause})`;
  return new CommandError('local', 'file', `The ${what} ${path} ${reason}.`);
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'does not exist'],
  ['EACCES', 'may not be read or written by this user'],
  ['EPERM', 'may not be read or written by this user'],
  ['EISDIR', 'is a folder, not a file'],
  ['ENOTDIR', 'has a file where its path needs a folder'],
  ['EEXIST', 'already exists'],
  ['EROFS', 'is on a file system that cannot be written'],
  ['ENOSPC', 'does not fit: the disk is full'],
  ['ENAMETOOLONG', 'has a name that is too long'],
  ['ERR_INVALID_ARG_VALUE', 'has a name that no file can have'],
]);

async function readFileBytes(io: Io, path: string, what: string, bytesMax: number): Promise<Buffer> {
  try {
    return await collect(createReadStream(resolve(io.folder, path)), `The ${what} ${path}`, bytesMax);
  } catch (error) {
    throw fileError(error, path, what);
  }
}

async function collect(chunks: AsyncIterable<Uint8Array>, whose: string, bytesMax: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > bytesMax)
      throw new CommandError('local', 'file', `${whose} has more than ${bytesMax} bytes.`);
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}
