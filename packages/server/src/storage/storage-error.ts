/**
 * The reason why storage fails. `unavailable` and `conflict` may be temporary, and nothing was written;
 * `in_doubt` may be temporary, and it is unknown whether anything was written; the others need the operator.
 */
export type StorageErrorCode =
  | 'unavailable'
  | 'conflict'
  | 'in_doubt'
  | 'not_accessible'
  | 'not_a_database'
  | 'newer_version'
  | 'foreign_schema'
  | 'unfinished_move'
  | 'not_empty'
  | 'in_use';

/** A storage failure. The message says what to do and contains no row data. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;
  /** True if a server is unavailable and may come back without intervention. */
  readonly isAway: boolean;

  constructor(code: StorageErrorCode, message: string, cause?: unknown, isAway = false) {
    super(message, { cause });
    this.code = code;
    this.isAway = isAway;
  }
}

/** Returns true if an error of PostgreSQL or Redis goes away when the server comes back. */
export function isStoreAway(error: unknown): boolean {
  return error instanceof Error && 'isAway' in error && error.isAway === true;
}

/**
 * Turns an outage that SQLite reports (locked for too long, disk full, disk error, damaged or missing file) into a
 * `StorageError`. Anything else, such as a constraint violation, is a bug in the program and is returned unchanged.
 */
export function asStorageError(error: unknown): unknown {
  const outage = outages.get(primaryCode(error) ?? -1);
  return outage === undefined ? error : new StorageError('unavailable', outage, error);
}

/**
 * Turns a SQLite error at a commit into a `StorageError`.
 *
 * The whole commit may be in the write-ahead log although its pages are not on disk or not known to this
 * process: if the process ends before it overwrites that part of the log, the next one finds the commit and
 * applies it. Only a failed write, or a full disk, shows that part of the commit is missing from the log
 * (sqlite.org/walformat.html, "Recovery").
 */
export function asCommitError(error: unknown): unknown {
  const isDisk = ioCodes.has(primaryCode(error) ?? -1) && extendedCode(error) !== failedWriteCode;
  return isDisk ? new StorageError('in_doubt', outages.get(10)!, error) : asStorageError(error);
}

/** Out of memory, disk errors, and files that cannot be opened. */
const ioCodes: ReadonlySet<number> = new Set([7, 10, 14]);
/** SQLITE_IOERR_WRITE. */
const failedWriteCode = 778;

/** Returns true if SQLite reports that the file isn't a database at all. */
export function isNotADatabase(error: unknown): boolean {
  return primaryCode(error) === 26;
}

/** Returns true if another process holds the lock that a statement needs. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === 5;
}

/** SQLite result codes that mean an outage (sqlite.org/rescode.html), with advice. */
const outages: ReadonlyMap<number, string> = new Map([
  [5, 'The database is locked by another process: end long-running work on it, then try again.'],
  [6, 'The database is locked: try again.'],
  [7, 'There is too little memory for the database: free some, then try again.'],
  [
    8,
    'The database cannot be written: check the permissions of the data folder and whether its disk is read-only.',
  ],
  [10, 'The disk reports an error: check the disk that the data folder is on.'],
  [11, 'The database is damaged: stop the service and restore a backup.'],
  [13, 'The disk is full: free space on the disk that the data folder is on.'],
  [14, 'The database cannot be opened: check that the data folder exists and can be read and written.'],
  [15, 'The database is locked in a way that its file system does not support: use a local disk.'],
  [26, 'The file is not a database: check the data folder, or restore a backup.'],
]);

function primaryCode(error: unknown): number | undefined {
  const code = extendedCode(error);
  // Extended result codes carry the primary code in their low byte.
  return code === undefined ? undefined : code & 0xff;
}

function extendedCode(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code : undefined;
}
