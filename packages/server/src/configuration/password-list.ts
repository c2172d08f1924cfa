import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** A file of leaked passwords that new passwords are compared with. */
export type PasswordListFormat =
  /** SHA-1 hashes in hexadecimal, in ascending order, one per line, as Have I Been Pwned publishes them. */
  | 'hashes'
  /** Passwords, one per line. */
  | 'passwords';

/** Maximum size of a list of passwords, because it is kept in memory. */
const plainListBytesMax = 16_777_216;

/** A line with a hash and, optionally, the number of leaks, which is ignored. */
export const hashLine: RegExp = /^([0-9A-Fa-f]{40})(?::\d{1,19})?$/;

/** Maximum length of a line with a hash. */
export const hashLineBytesMax = 64;

/**
 * Determines what a list contains, and makes sure that it can be searched: in a list with another order, the
 * search would silently miss passwords. Large files are sampled.
 */
export function readPasswordListFormat(
  path: string,
): { readonly format: PasswordListFormat } | { readonly mistake: string } {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    return { mistake: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return { mistake: 'must be a file' };
    return formatOf(file, stats.size);
  } catch (error) {
    return { mistake: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
  } finally {
    closeSync(file);
  }
}

function formatOf(file: number, size: number): ReturnType<typeof readPasswordListFormat> {
  const start = textAt(file, 0, 4096);
  if (start.trim() === '') return { mistake: 'must not be empty' };
  if (/\0/.test(start)) return { mistake: 'must be a text file; unpack it first' };
  const [first = ''] = start.split(/\r?\n/, 1);
  if (/^[0-9A-Fa-f]{32}(?::\d+)?$/.test(first))
    return { mistake: 'has other hashes than SHA-1, which has 40 hexadecimal digits' };
  if (hashLine.test(first)) return isAscending(file, size) ? { format: 'hashes' } : { mistake: unsorted };
  if (hashLine.test(first.replace(/^\uFEFF/, '')))
    return { mistake: 'begins with a byte order mark; remove it' };
  if (likeHash.test(start)) return { mistake: hashLinesWrong };
  if (size <= plainListBytesMax) return { format: 'passwords' };
  return {
    mistake: `must contain SHA-1 hashes, or at most ${plainListBytesMax / 1_048_576} MiB of passwords`,
  };
}

/**
 * Lines with hashes in another format or of another kind would be treated as passwords, and no password would
 * match.
 */
const likeHash = /[0-9A-Fa-f]{32}/;
const hashLinesWrong =
  'has hashes that cannot be read; every line, including the first, must be a SHA-1 hash of 40 hexadecimal digits, alone or ' +
  'followed by a colon and a count without separators, and nothing else';

const unsorted = 'must contain only SHA-1 hashes in ascending order';

/** Few enough to read at each start, yet enough to detect any other order. */
const samplesMax = 512;

function isAscending(file: number, size: number): boolean {
  const stepBytes = Math.max(hashLineBytesMax, Math.floor(size / samplesMax));
  let first = '';
  for (let position = 0; position < size; position += stepBytes) {
    const lines = linesFrom(file, position, size);
    const hashes = lines.map((line) => hashLine.exec(line)?.[1]?.toUpperCase());
    let before = first;
    for (const hash of hashes) {
      if (hash === undefined || hash < before) return false;
      before = hash;
    }
    // Samples of a small file overlap.
    first = hashes[0] ?? first;
  }
  return true;
}

/** Reads the few lines that begin at or after a position. A line that never ends is returned as one. */
function linesFrom(file: number, position: number, size: number): readonly string[] {
  // A line that starts exactly here follows the line break before it.
  const start = Math.max(0, position - 1);
  const bytes = 4 * hashLineBytesMax;
  const lines = textAt(file, start, bytes).split('\n');
  const isCut = start + bytes < size;
  if (position > 0 && (lines.length > 1 || !isCut)) lines.shift();
  if (lines.length > 1 ? isCut || lines.at(-1) === '' : lines[0] === '') lines.pop();
  return lines.map((line) => line.replace(/\r$/, ''));
}

function textAt(file: number, position: number, bytes: number): string {
  const buffer = Buffer.alloc(bytes);
  return buffer.subarray(0, readSync(file, buffer, 0, bytes, position)).toString('utf8');
}
