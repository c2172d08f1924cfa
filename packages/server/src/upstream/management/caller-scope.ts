import { isId, parseAddress, type Permission } from '@countersign/contract';
import { hasAccount, type StoreContext } from '../../registry/store.ts';
import type { Database } from '../../storage/transaction.ts';
import { readIfMatch } from '../entity-tag.ts';
import { type ApiRequest, ProblemError } from '../upstream.ts';
import type { ManagementParts } from './parts.ts';

/** The account that a caller can look at; undefined when it is the operator, who can look at all of them. */
export function readableAccount({ caller: { client } }: ApiRequest): string | undefined {
  return client.permissions.has('accounts:read') ? undefined : client.accountId;
}

/** The account that a caller can change; undefined when it is the operator, who can change all of them. */
export function changeableAccount({ caller: { client } }: ApiRequest): string | undefined {
  return client.permissions.has('accounts:write') ? undefined : client.accountId;
}

/**
 * The account that a list is about: the caller's own, or the one that the operator asks for.
 *
 * @throws ProblemError `not_found` for the account of others, and for one that does not exist
 */
export async function listedAccount(
  request: ApiRequest,
  accountId: string | undefined,
  database: Database,
): Promise<string> {
  const own = request.caller.client.accountId;
  if (accountId === undefined || accountId === own) return own;
  const isReadable = readableAccount(request) === undefined && isId('account', accountId);
  if (!isReadable || !(await hasAccount(database, accountId))) throw new ProblemError('not_found');
  return accountId;
}

/**
 * When, by whom and how far something is changed by a request.
 *
 * @throws ProblemError `precondition_required`
 */
export function changeContext(
  request: ApiRequest,
  { keyPolicy }: Pick<ManagementParts, 'keyPolicy'>,
): StoreContext {
  const { caller, requestId, nowMs } = request;
  const { clientId } = caller.client;
  return {
    nowMs,
    keyPolicy,
    actor: {
      kind: 'client',
      id: clientId,
      sourceAddress: caller.sourceAddress === '' ? undefined : caller.sourceAddress,
      requestId,
    },
    caller: {
      clientId,
      keyId: caller.key.keyId,
      address: parseAddress(caller.sourceAddress),
      isPermitted: (permissions) => isPermitted(request, permissions),
    },
    isExpected: readIfMatch(request),
  };
}

/** Check 11 of the profile for other permissions than those that it was made with. */
function isPermitted({ operation, parameters, caller }: ApiRequest, held: ReadonlySet<Permission>): boolean {
  const { permission, permissionOnItself: onItself } = operation;
  if (permission === undefined || held.has(permission)) return true;
  return onItself !== undefined && held.has(onItself) && parameters['clientId'] === caller.client.clientId;
}
