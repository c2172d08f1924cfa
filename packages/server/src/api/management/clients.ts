import type { Client, RequestLimits } from '@countersign/contract';
import { type Answer, type LimitInForce, limitsInForce, ProblemError } from '@countersign/gate';
import { readAccount } from '../../registry/store/accounts.ts';
import { readChecklist } from '../../registry/store/checklist.ts';
import { isArchived } from '../../registry/store/client-change.ts';
import { type ClientRecord, readClient } from '../../registry/store/client-records.ts';
import { moveClient } from '../../registry/store/client-states.ts';
import { refreshDirectory } from '../../registry/store/directory-refresh.ts';
import { writtenDirectory } from '../../registry/store/client-directories.ts';
import { checkProfile } from '../../registry/store/client-profile.ts';
import { addClient, updateClient } from '../../registry/store/clients.ts';
import type { Database } from '../../storage/transaction.ts';
import { changeableAccount, readableAccount } from '../caller-scope.ts';
import { entityTag } from '../entity-tag.ts';
import type { ApiRequest } from '../handler.ts';
import { defineHandlers, type OperationHandler } from '../handlers.ts';
import { timeMsIfAny } from '../timestamp.ts';
import { showClient, showDirectory } from './client-view.ts';

export const clientHandlers = defineHandlers((parts) => {
  const { database, change, requestLimit, profiles, directoryOrigins = new Set() } = parts;
  const profileNames = profiles.map(({ name }) => name);
  const moving =
    (transition: 'disable' | 'enable' | 'revoke' | 'restore'): OperationHandler<'disableClient'> =>
    (_input, request) =>
      change(request, async (transaction, context) => {
        const record = await moveClient(transaction, clientIdOf(request), transition, context);
        return clientAnswer(transaction, record, request);
      });
  return {
    addClient: ({ body, key: publicKey }, request) => {
      checkOperatorMembers(request, body);
      checkProfile(body, profileNames);
      const { accountId = request.caller.accountId, networkWhitelist, roles = [], ...others } = body;
      const { directoryUrl, expiresAt, keyEndsAt, ...client } = others;
      const times = { expiresAtMs: timeMsIfAny(expiresAt), keyEndsAtMs: timeMsIfAny(keyEndsAt) };
      return change(request, async (transaction, context) => {
        const directory = writtenDirectory(directoryUrl, directoryOrigins);
        const network = networkWhitelist;
        const added = { ...client, ...times, publicKey, directory, accountId, network, roles };
        const record = await addClient(transaction, added, context);
        return clientAnswer(transaction, record, request, 201);
      });
    },

    getClient: async (_input, request) =>
      clientAnswer(database, await readVisibleClient(database, request), request),

    updateClient: ({ body: { directoryUrl, ...body } }, request) =>
      change(request, async (transaction, context) => {
        checkProfile(body, profileNames);
        const directory = writtenDirectory(directoryUrl, directoryOrigins);
        const update = { ...body, directory };
        const record = await updateClient(transaction, clientIdOf(request), update, context);
        return clientAnswer(transaction, record, request);
      }),

    disableClient: moving('disable'),
    enableClient: moving('enable'),
    revokeClient: moving('revoke'),
    restoreClient: moving('restore'),

    refreshDirectory: (_input, request) =>
      change(request, async (transaction, context) => {
        const { directory, version } = await refreshDirectory(transaction, clientIdOf(request), context);
        return { status: 200, headers: { ETag: entityTag(version) }, body: showDirectory(directory!) };
      }),

    getRequestLimits: async (_input, request) => {
      const { accountId, ...client } = await readVisibleClient(database, request);
      const account = await readAccount(database, accountId);
      const { requestsPerMinuteMax, requestsBurstMax } = limitsInForce(requestLimit, { account, client });
      const body = {
        requestsPerMinuteMax: showLimit(requestsPerMinuteMax),
        requestsBurstMax: showLimit(requestsBurstMax),
      };
      return { status: 200, body };
    },

    listProfiles: () => ({ status: 200, body: { data: [...profiles], nextCursor: null } }),

    getChecklist: async (_input, { caller }) => ({
      status: 200,
      body: await readChecklist(database, caller.accountId),
    }),
  };
});

function showLimit({ value, source, max }: LimitInForce): RequestLimits['requestsBurstMax'] {
  const figure = (limit: number): number | null => (limit === Number.POSITIVE_INFINITY ? null : limit);
  return { value: figure(value), source, max: figure(max) };
}

/** Rejects members that only the operator may set: the client's account and its ID. */
function checkOperatorMembers(
  request: ApiRequest,
  {
    clientId,
    accountId,
  }: { readonly clientId?: string | undefined; readonly accountId?: string | undefined },
): void {
  const own = changeableAccount(request);
  if (own === undefined) return;
  const member =
    clientId !== undefined
      ? 'clientId'
      : accountId !== undefined && accountId !== own
        ? 'accountId'
        : undefined;
  if (member === undefined) return;
  const detail = 'Omit this member: only the operator of the service can set it.';
  throw new ProblemError('permission_denied', {
    members: { reason: `only the operator can set ${member}`, errors: [{ pointer: `/${member}`, detail }] },
  });
}

/**
 * Returns the client that the path names, if the caller may see it. Another account's client is reported as if
 * it did not exist.
 *
 * @throws ProblemError `not_found`; RegistryError `client_unknown`
 */
export async function readVisibleClient(database: Database, request: ApiRequest): Promise<ClientRecord> {
  const record = await readClient(database, clientIdOf(request));
  const account = readableAccount(request);
  const isVisible = account === undefined || account === record.accountId;
  if (!isVisible || isArchived(record, request.nowMs)) throw new ProblemError('not_found');
  return record;
}

/** Returns the decoded client ID in the path. */
export function clientIdOf({ parameters }: ApiRequest): string {
  return parameters['clientId'] ?? '';
}

/** Reads within the change's transaction: if reading fails, the change is rolled back too. */
async function clientAnswer(
  database: Database,
  record: ClientRecord,
  { nowMs }: ApiRequest,
  status: 200 | 201 = 200,
): Promise<Answer<Client>> {
  const location = { Location: `/v1/clients/${encodeURIComponent(record.clientId)}` };
  return {
    status,
    headers: { ETag: entityTag(record.version), ...(status === 201 && location) },
    body: await showClient(database, record, nowMs),
  };
}
