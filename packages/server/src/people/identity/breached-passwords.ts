import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ProblemError } from '@countersign/gate';
import type { Logger } from 'pino';
import { hashLine, hashLineBytesMax, readPasswordListFormat } from '../../configuration/password-list.ts';

/** Checks whether a password is known to have leaked. */
export interface BreachedPasswords {
  /** @throws ProblemError `storage_unavailable` if the list can't be read, because then no password counts as safe */
  has(password: string): Promise<boolean>;
}

/**
 * Opens the operator's list of leaked passwords. A plain list is read here, so that no request waits for it: a
 * large one takes seconds.
 *
 * @throws Error if it can't be read or searched; the configuration has already checked that it can
 */
export function openBreachedPasswords(path: string, logger: Logger): BreachedPasswords {
  const reading = readPasswordListFormat(path);
  if ('mistake' in reading) throw new Error(`The list of leaked passwords ${reading.mistake}.`);
  const isListed = reading.format === 'hashes' ? searchHashes(path) : searchPasswords(path);
  return {
    async has(password) {
      try {
        return (await isListed(password)) || (await isListed(password.normalize('NFC')));
      } catch (error) {
        logger.error(
          { error },
          'the list of leaked passwords cannot be read, so nobody can choose a password',
        );
        throw new ProblemError('storage_unavailable', {
          detail: 'Passwords cannot be checked at the moment. Try again later.',
          cause: error,
        });
      }
    },
  };
}

type Search = (password: string) => boolean | Promise<boolean>;

function searchPasswords(path: string): Search {
  const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  const passwords = new Set(text.split(/\r?\n/).map((line) => line.toLowerCase()));
  return (password) => passwords.has(password.toLowerCase());
}

function searchHashes(path: string): Search {
  const { size } = statSync(path);
  return (password) => isHashListed(path, size, password);
}

/**
 * Searches a list of hashes. Opens the file each time, because a newer one may have replaced it.
 *
 * @param bytesMin a smaller file has lost lines, or is still being written
 */
async function isHashListed(path: string, bytesMin: number, password: string): Promise<boolean> {
  const hash = createHash('sha1').update(password, 'utf8').digest('hex').toUpperCase();
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size < bytesMin) throw new Error('The list of leaked passwords is smaller than at the start.');
    return await search(file, size, hash);
  } finally {
    await file.close();
  }
}

/**
 * Runs a binary search over sorted lines of different lengths: about 36 short reads for the 40 GB of all leaked
 * passwords. All lines that begin before `low` are smaller, and all that begin at or after `high` are larger.
 */
async function search(file: FileHandle, size: number, hash: string): Promise<boolean> {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const line = await lineFrom(file, middle);
    if (line === undefined || line.start >= high) high = middle;
    else if (line.hash === hash) return true;
    else if (line.hash < hash) low = line.end;
    else high = middle;
  }
  return false;
}

interface Line {
  readonly hash: string;
  readonly start: number;
  /** The position at which the next line begins. */
  readonly end: number;
}

/** Reads the first line that begins at or after a position; undefined if there is none. */
async function lineFrom(file: FileHandle, position: number): Promise<Line | undefined> {
  const from = Math.max(0, position - 1);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(3 * hashLineBytesMax), 0, undefined, from);
  const text = buffer.toString('latin1', 0, bytesRead);
  const lineBreak = text.indexOf('\n');
  if (position > 0 && lineBreak === -1 && bytesRead === buffer.length) throw malformed();
  if (position > 0 && lineBreak === -1) return undefined;
  const begin = position === 0 ? 0 : lineBreak + 1;
  if (begin === bytesRead) return undefined;
  const next = text.indexOf('\n', begin);
  const end = next === -1 ? bytesRead : next + 1;
  const hash = hashLine.exec(text.slice(begin, end).replace(/\r?\n$/, ''))?.[1];
  if (hash === undefined) throw malformed();
  return { hash: hash.toUpperCase(), start: from + begin, end: from + end };
}

function malformed(): Error {
  return new Error('The list of leaked passwords has a line that is not a SHA-1 hash.');
}
