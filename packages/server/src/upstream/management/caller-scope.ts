import type { StoreContext } from '../../registry/store.ts';
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
 * @throws ProblemError `not_found` for the account of others
 */
export function listedAccount(request: ApiRequest, accountId: string | undefined): string {
  const own = request.caller.client.accountId;
  if (accountId === undefined || accountId === own) return own;
  if (readableAccount(request) !== undefined) throw new ProblemError('not_found');
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
  return {
    nowMs,
    keyPolicy,
    actor: {
      kind: 'client',
      id: caller.client.clientId,
      sourceAddress: caller.sourceAddress === '' ? undefined : caller.sourceAddress,
      requestId,
    },
    accountId: changeableAccount(request),
    isExpected: readIfMatch(request),
    // The ceiling: nobody grants what they do not hold.
    grantable: caller.client.permissions,
  };
}
