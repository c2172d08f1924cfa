import type { IncomingMessage } from 'node:http';
import { operationSchemas } from '@countersign/contract';
import { type ClientAddress, type Framed, type PublicOrigins, valuesOf } from '@countersign/gate';
import { admitPerson, type SessionAttempt, type SessionDenial } from './access/session-checks.ts';
import { readCookie, sessionCookie } from './identity/cookies.ts';
import type { People, PersonSession } from './identity/people.ts';
import { type AccountAccess, readAccess } from './registry/store.ts';
import { StorageError } from './storage/storage-error.ts';
import type { Database } from './storage/transaction.ts';
import type { ApiMatch } from './api/api.ts';
import type { PersonCaller } from './api/caller.ts';

/** What deciding on requests with sessions needs. */
export interface SessionParts {
  readonly people: Pick<People, 'findSession'>;
  readonly database: Database;
  readonly baseUrls: PublicOrigins;
}

/** A person who may do what the request asks for. */
export interface PersonAdmission {
  readonly ok: true;
  readonly caller: PersonCaller;
}

/** A request with a session, before its body. */
export interface SessionRequest {
  readonly request: IncomingMessage;
  readonly frame: Framed;
  readonly match: ApiMatch;
  readonly source: ClientAddress;
  readonly nowMs: number;
}

/**
 * Whether a request is one of a person: it has no field of a signature, and a session or the name of an account. Whoever
 * signs is taken for a client, whatever cookies come along; and what no person can call is refused as not signed.
 */
export function isOfPerson({ rawHeaders }: IncomingMessage, match: ApiMatch): boolean {
  if (has(rawHeaders, 'signature') || has(rawHeaders, 'signature-input')) return false;
  if ('operation' in match && match.operation.callers === 'clients') return false;
  return has(rawHeaders, accountHeader) || readCookie(cookiesOf(rawHeaders), sessionCookie) !== undefined;
}

/** The checks of `access/session-checks.ts`, on what the request, the sessions and the storage say. Never rejects. */
export async function admitSession(
  request: SessionRequest,
  parts: SessionParts,
): Promise<PersonAdmission | SessionDenial> {
  const { rawHeaders } = request.request;
  const { source, nowMs } = request;
  try {
    const admission = await admitPerson<PersonSession, AccountAccess>(
      attemptOf(request, parts.baseUrls),
      () => parts.people.findSession(cookiesOf(rawHeaders), nowMs),
      async ({ userId, sessionId }) => {
        const accountId = accountOf(request);
        if (accountId === undefined) return undefined;
        return readAccess(parts.database, { userId, sessionId, accountId }, nowMs);
      },
    );
    return admission.ok ? { ok: true, caller: callerOf(admission, source) } : admission;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return { ok: false, code: 'storage_unavailable', reason: error.message, retryAfterSeconds: 1 };
  }
}

/** Whether the same request would be let in at another time; false when nobody can tell. */
export async function isAdmittedAt(
  request: SessionRequest,
  parts: SessionParts,
  nowMs: number,
): Promise<boolean> {
  try {
    return (await admitSession({ ...request, nowMs }, parts)).ok;
  } catch {
    return false;
  }
}

const accountHeader = 'countersign-account';

function attemptOf(
  { request, frame, match, nowMs }: SessionRequest,
  { origins }: PublicOrigins,
): SessionAttempt {
  const { rawHeaders } = request;
  return {
    from: {
      method: frame.method,
      origin: valuesOf(rawHeaders, 'origin'),
      secFetchSite: valuesOf(rawHeaders, 'sec-fetch-site'),
      countersignCsrf: valuesOf(rawHeaders, 'countersign-csrf'),
    },
    ownOrigins: origins,
    operation: 'operation' in match ? match.operation : undefined,
    parameters: 'operation' in match ? match.parameters : {},
    nowMs,
  };
}

/** The account that the request is about. A stream is opened by the browser itself, which sends no header of ours. */
function accountOf({ request, frame, match }: SessionRequest): string | undefined {
  const isStream = 'operation' in match && operationSchemas[match.operation.id].isStream === true;
  const values = isStream
    ? new URLSearchParams(frame.query).getAll('account')
    : valuesOf(request.rawHeaders, accountHeader);
  const [accountId] = values;
  // Other texts are no ids, and PostgreSQL takes one with a zero byte for a mistake of the program.
  return values.length === 1 && /^account_[0-9a-z]{26}$/.test(accountId ?? '') ? accountId : undefined;
}

function callerOf(
  { session, access }: { readonly session: PersonSession; readonly access: AccountAccess },
  source: ClientAddress,
): PersonCaller {
  const { userId, name, email, sessionId, hasSecondFactor } = session;
  return {
    kind: 'person',
    person: { userId, name, email },
    sessionId,
    hasSecondFactor,
    accountId: access.accountId,
    memberRole: access.role,
    actingReason: access.actingReason,
    permissions: access.permissions,
    sourceAddress: source.text,
  };
}

function cookiesOf(rawHeaders: readonly string[]): string | undefined {
  const lines = valuesOf(rawHeaders, 'cookie');
  return lines.length === 0 ? undefined : lines.join('; ');
}

function has(rawHeaders: readonly string[], name: string): boolean {
  return valuesOf(rawHeaders, name).length > 0;
}
