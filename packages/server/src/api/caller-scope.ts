import { isId, isPermitted, parseAddress, type Permission } from '@countersign/contract';
import { hasAccount } from '../registry/store/accounts.ts';
import type { Actor, StoreContext } from '../registry/store/context.ts';
import type { Database } from '../storage/transaction.ts';
import { readIfMatch } from './entity-tag.ts';
import type { Caller } from './caller.ts';
import type { ApiRequest } from './handler.ts';
import { ProblemError } from '@countersign/gate';
import type { ApiOptions } from './parts.ts';

/**
 * Returns the account that a caller can read; undefined for a client of the operator, which can read all of
 * them. A person only sees the account that the request names, and must act for another account to see it.
 */
export function readableAccount({ caller }: { readonly caller: ReadingCaller }): string | undefined {
  return reachesAll(caller, 'accounts:read') ? undefined : caller.accountId;
}

/**
 * Returns the account that a caller can change; undefined for a client of the operator, which can change all of them.
 */
export function changeableAccount({ caller }: ApiRequest): string | undefined {
  return reachesAll(caller, 'accounts:write') ? undefined : caller.accountId;
}

/** The facts about a caller that decide which accounts it can read. */
type ReadingCaller = Pick<Caller, 'kind' | 'accountId' | 'permissions'>;

function reachesAll(caller: ReadingCaller, permission: Permission): boolean {
  return caller.kind === 'client' && caller.permissions.has(permission);
}

/**
 * Returns the account of a list: the caller's own, or the one that the operator requests.
 *
 * @throws ProblemError `not_found` for an account that the caller cannot read or that does not exist
 */
export async function listedAccount(
  request: { readonly caller: ReadingCaller },
  accountId: string | undefined,
  database: Database,
): Promise<string> {
  const own = request.caller.accountId;
  if (accountId === undefined || accountId === own) return own;
  const isReadable = readableAccount(request) === undefined && isId('account', accountId);
  if (!isReadable || !(await hasAccount(database, accountId))) throw new ProblemError('not_found');
  return accountId;
}

/**
 * Returns a change's context: its time, its author and its limits.
 *
 * @throws ProblemError `precondition_required`
 */
export function changeContext(
  request: ApiRequest,
  { keyPolicy, addedPermissions, profiles }: Pick<ApiOptions, 'keyPolicy' | 'addedPermissions' | 'profiles'>,
): StoreContext {
  const { caller, requestId, nowMs } = request;
  const sourceAddress = caller.sourceAddress === '' ? undefined : caller.sourceAddress;
  return {
    nowMs,
    keyPolicy,
    addedPermissions,
    profileAlgorithms: (profile) => profiles.find(({ name }) => name === profile)?.algorithms,
    actor: { ...actorOf(caller), sourceAddress, requestId },
    caller: changingCaller(request),
    isExpected: readIfMatch(request),
  };
}

function actorOf(caller: Caller): Actor {
  if (caller.kind === 'client') return { kind: 'client', id: caller.client.clientId };
  const { userId, name } = caller.person;
  return { kind: 'person', id: userId, name, actingReason: caller.actingReason };
}

function changingCaller(request: ApiRequest): StoreContext['caller'] {
  const { caller, operation, parameters } = request;
  if (caller.kind === 'person') {
    const { person, sessionId, accountId } = caller;
    const { userId } = person;
    return {
      kind: 'person',
      userId,
      sessionId,
      accountId,
      address: parseAddress(caller.sourceAddress),
      isPermitted: (held) => isPermitted(operation, parameters, { kind: 'person', userId }, held),
    };
  }
  const { clientId } = caller.client;
  return {
    kind: 'client',
    clientId,
    keyId: caller.key.keyId,
    address: parseAddress(caller.sourceAddress),
    isPermitted: (held) => isPermitted(operation, parameters, { kind: 'client', clientId }, held),
  };
}
