import type { DeploymentPermissions } from '@countersign/contract';
import { type ClientAddress, type RequestHead, valuesOf } from '@countersign/gate';
import { checkSession, type SessionAttempt, type SessionRefusal } from './session-checks.ts';
import { type People, type PersonSession, readCookie, sessionCookie } from '../identity/identity.ts';
import { type AccountAccess, readAccess } from '../registry/store/account-access.ts';
import { StorageError } from '../storage/storage-error.ts';
import type { Database } from '../storage/transaction.ts';
import type { ApiMatch } from '../api/api.ts';
import type { PersonCaller } from '../api/caller.ts';

/** What deciding about requests with sessions needs. */
export interface SessionParts {
  readonly people: Pick<People, 'findSession'>;
  readonly database: Database;
  /** The permissions that the deployment adds; none unless set. */
  readonly addedPermissions?: DeploymentPermissions;
  /** Of the console's base URLs: only their pages may call. */
  readonly ownOrigins: ReadonlySet<string>;
}

/** A person who may do what the request asks for. */
export interface AdmittedPerson {
  readonly ok: true;
  readonly caller: PersonCaller;
}

/**
 * Whether a request is one of a person: it has no field of a signature, and a session or the name of an account. Whoever
 * signs is taken for a client, whatever cookies come along; and what no person can call is refused as not signed.
 */
export function isOfPerson({ rawHeaders }: Pick<RequestHead, 'rawHeaders'>, match: ApiMatch): boolean {
  if (has(rawHeaders, 'signature') || has(rawHeaders, 'signature-input')) return false;
  if ('operation' in match && match.operation.callers === 'clients') return false;
  return has(rawHeaders, accountHeader) || readCookie(cookiesOf(rawHeaders), sessionCookie) !== undefined;
}

/** Decides by `session-checks.ts` whether a person may do what a request asks for. */
export async function admitPerson(
  head: RequestHead,
  match: ApiMatch,
  parts: SessionParts,
  nowMs: number = head.receivedAtMs,
): Promise<AdmittedPerson | SessionRefusal> {
  const { rawHeaders, source } = head;
  try {
    const admission = await checkSession<PersonSession, AccountAccess>(
      attemptOf(head, match, parts.ownOrigins, nowMs),
      () => parts.people.findSession(cookiesOf(rawHeaders), nowMs),
      async ({ userId, sessionId }) => {
        const accountId = accountOf(head, match);
        if (accountId === undefined) return undefined;
        return readAccess(
          parts.database,
          { userId, sessionId, accountId },
          nowMs,
          parts.addedPermissions ?? {},
        );
      },
    );
    return admission.ok ? { ok: true, caller: callerOf(admission, source) } : admission;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return { ok: false, code: 'storage_unavailable', reason: error.message, retryAfterSeconds: 1 };
  }
}

/** Whether the same request would be let in at another time; false when nobody can tell. Never rejects. */
export async function isAdmittedAt(
  head: RequestHead,
  match: ApiMatch,
  parts: SessionParts,
  nowMs: number,
): Promise<boolean> {
  try {
    return (await admitPerson(head, match, parts, nowMs)).ok;
  } catch {
    return false;
  }
}

const accountHeader = 'countersign-account';

function attemptOf(
  { method, rawHeaders }: RequestHead,
  match: ApiMatch,
  ownOrigins: ReadonlySet<string>,
  nowMs: number,
): SessionAttempt {
  return {
    from: {
      method,
      origin: valuesOf(rawHeaders, 'origin'),
      secFetchSite: valuesOf(rawHeaders, 'sec-fetch-site'),
      countersignCsrf: valuesOf(rawHeaders, 'countersign-csrf'),
    },
    ownOrigins,
    operation: 'operation' in match ? match.operation : undefined,
    parameters: 'operation' in match ? match.parameters : {},
    nowMs,
  };
}

/** The account that the request is about. A stream is opened by the browser itself, which sends no header of ours. */
function accountOf({ query, rawHeaders }: RequestHead, match: ApiMatch): string | undefined {
  const isStream = 'operation' in match && match.operation.isStream === true;
  const values = isStream
    ? new URLSearchParams(query).getAll('account')
    : valuesOf(rawHeaders, accountHeader);
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
