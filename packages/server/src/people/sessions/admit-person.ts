import type { DeploymentPermissions, Operation } from '@countersign/contract';
import { type ClientAddress, readCookie, type RequestHead, valuesOf } from '@countersign/gate';
import { checkSession, type SessionAttempt, type SessionRefusal } from './session-checks.ts';
import type { People, PersonSession } from '../identity/identity.ts';
import type { PersonCaller } from './person-caller.ts';
import { sessionCookie } from './session-cookie.ts';
import { type AccountAccess, readAccess } from '../../registry/store/account-access.ts';
import { StorageError } from '../../storage/storage-error.ts';
import type { Database } from '../../storage/transaction.ts';

export interface SessionParts {
  readonly people: Pick<People, 'findSession' | 'doOperatorsNeedSecondFactor'>;
  readonly database: Database;
  /** Permissions that the deployment adds; none by default. */
  readonly addedPermissions?: DeploymentPermissions;
  /** The origins of the console's base URLs. Only their pages may send requests. */
  readonly ownOrigins: ReadonlySet<string>;
}

/** The operation that a request calls, or why there is none. */
export type RequestedOperation =
  | { readonly operation: Operation; readonly parameters: Readonly<Record<string, string>> }
  | { readonly problem: string };

export interface AdmittedPerson {
  readonly ok: true;
  readonly caller: PersonCaller;
}

/**
 * Returns true if a person made the request: it has no signature fields, but a session or an account's name. A
 * signed request counts as a client's, whatever its cookies. An operation that people can't call is rejected as
 * unsigned.
 */
export function isOfPerson(
  { rawHeaders }: Pick<RequestHead, 'rawHeaders'>,
  match: RequestedOperation,
): boolean {
  if (has(rawHeaders, 'signature') || has(rawHeaders, 'signature-input')) return false;
  if ('operation' in match && match.operation.callers === 'clients') return false;
  return has(rawHeaders, accountHeader) || readCookie(cookiesOf(rawHeaders), sessionCookie) !== undefined;
}

/**
 * Runs the checks in `session-checks.ts`. The promise rejects only for bugs: in a storage outage it resolves
 * with a rejection.
 */
export async function admitPerson(
  head: RequestHead,
  match: RequestedOperation,
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
        const names = { userId, sessionId, accountId };
        const access = await readAccess(parts.database, names, nowMs, parts.addedPermissions ?? {});
        const isOfOperator = access?.isOperator === true || access?.actingReason !== undefined;
        return isOfOperator && parts.people.doOperatorsNeedSecondFactor ? withSecondFactor(access) : access;
      },
    );
    return admission.ok ? { ok: true, caller: callerOf(admission, source) } : admission;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return { ok: false, code: 'storage_unavailable', reason: error.message, retryAfterSeconds: 1 };
  }
}

/**
 * Adds the requirement of a second factor: the operator's people can access every account, so they need one
 * whatever an account's policy says.
 */
function withSecondFactor(access: AccountAccess): AccountAccess {
  return { ...access, policy: { ...access.policy, isSecondFactorRequired: true } };
}

/**
 * Returns true if the same request would be admitted at another time; false if that can't be decided. Never rejects.
 */
export async function isAdmittedAt(
  head: RequestHead,
  match: RequestedOperation,
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
  { method, rawHeaders, source }: RequestHead,
  match: RequestedOperation,
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
    source,
    ownOrigins,
    operation: 'operation' in match ? match.operation : undefined,
    parameters: 'operation' in match ? match.parameters : {},
    nowMs,
  };
}

/** Returns the account that the request names. Browsers open streams themselves, without our header. */
function accountOf({ query, rawHeaders }: RequestHead, match: RequestedOperation): string | undefined {
  const isStream = 'operation' in match && match.operation.isStream === true;
  const values = isStream
    ? new URLSearchParams(query).getAll('account')
    : valuesOf(rawHeaders, accountHeader);
  const [accountId] = values;
  // Nothing else can be an ID, and PostgreSQL would report a zero byte as a bug.
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
