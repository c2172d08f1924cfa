import { StorageError, type StorageErrorCode } from './storage-error.ts';

/**
 * Turns an outage that PostgreSQL or the connection to it reports into a `StorageError`. Anything else, such as a
 * constraint violation, is a bug in the program and is returned unchanged.
 */
export function asPostgresStorageError(error: unknown): unknown {
  const state = sqlState(error);
  if (state === undefined) return isConnectionLost(error) ? unreachable(error) : error;
  const outage = outages.get(state) ?? outages.get(state.slice(0, 3)) ?? outages.get(state.slice(0, 2));
  if (outage === undefined) return error;
  return new StorageError(outage.code, `${outage.advice} (${state}).`, error, outage.code === 'unavailable');
}

/** Turns any error while connecting into a `StorageError`: no statement has run that could be a bug. */
export function asConnectError(error: unknown): StorageError {
  const known = asPostgresStorageError(error);
  return known instanceof StorageError ? known : unreachable(error);
}

/**
 * Converts the error of a statement that commits. If there was no response, the statement may have been
 * committed anyway, and the error says so.
 */
export function asCommitError(error: unknown): unknown {
  const known = asPostgresStorageError(error);
  const isSent = !(error instanceof Error && neverSent.test(error.message));
  return isSent && isResponseMissing(error) ? inDoubt(known) : known;
}

/**
 * Returns true if a connection is no longer usable: it is dead, still waiting for a response, or its server is
 * read-only.
 */
export function endsConnection(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined ? isConnectionLost(error) : /^(?:57P|08|25006|55000)/.test(state);
}

interface Outage {
  readonly code: StorageErrorCode;
  readonly advice: string;
}

/** Outages by SQLSTATE or its prefix (PostgreSQL documentation, appendix A), with advice. */
const outages: ReadonlyMap<string, Outage> = new Map([
  ['08', unavailable('The connection to the database is broken: check the network and the server')],
  ['25006', unavailable('The database is read-only: check that the address leads to the primary server')],
  ['25P03', unavailable('The database ended an idle transaction: try again')],
  ['28', notAccessible('The database rejects the user or password: check the database URL')],
  ['3D000', notAccessible('There is no such database on the server: create it, or check the database URL')],
  ['40001', { code: 'conflict', advice: 'The transaction conflicted with another one: try again' }],
  ['40P01', { code: 'conflict', advice: 'The transaction conflicted with another one: try again' }],
  [
    '42501',
    notAccessible(
      'The database user lacks a permission: make it the owner of the database, or grant it all privileges on the schema',
    ),
  ],
  ['53', unavailable("The database is out of disk space, memory or connections: see the server's log")],
  ['55000', unavailable('The server is a standby: check that the address leads to the primary server')],
  ['55P03', unavailable('The database is locked by another transaction: try again')],
  ['57014', unavailable("The database took too long: check the server's load")],
  ['57P', unavailable('The database is starting or stopping: wait until it is running')],
  ['58', unavailable('The server reports a system error: see its log')],
  ['XX', unavailable('The server reports an internal error: see its log')],
]);

function unavailable(advice: string): Outage {
  return { code: 'unavailable', advice };
}

function notAccessible(advice: string): Outage {
  return { code: 'not_accessible', advice };
}

function unreachable(error: unknown): StorageError {
  const reason = error instanceof Error ? codeOf(error) || error.message : 'unknown reason';
  return new StorageError(
    'unavailable',
    `The database cannot be reached: check that it is running, the database URL and the network (${reason}).`,
    error,
    isConnectionLost(error) && !wrongUrl.has(reason),
  );
}

/** No such host, or no permission for its socket: waiting does not help. */
const wrongUrl: ReadonlySet<string> = new Set(['ENOTFOUND', 'EACCES']);

function isResponseMissing(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined ? isConnectionLost(error) : /^(?:57P|08)/.test(state);
}

function inDoubt(cause: unknown): StorageError {
  return new StorageError(
    'in_doubt',
    'The connection to the database was lost during a write: check whether the change was made, then try again.',
    cause,
  );
}

function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error ? codeOf(error) : '';
  return /^[0-9A-Z]{5}$/.test(code) && error instanceof Error && 'severity' in error ? code : undefined;
}

/**
 * The driver's errors without a code: a connection ended, could not be opened in time, or got no response in
 * time.
 */
const connectionLost =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|timeout e)/;

/** The driver's errors for statements that it never sent because the connection had already ended. */
const neverSent = /^(?:Client has encountered a connection error|Client was closed)/;

function isConnectionLost(error: unknown): boolean {
  return error instanceof Error && (/^E[A-Z]+$/.test(codeOf(error)) || connectionLost.test(error.message));
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
