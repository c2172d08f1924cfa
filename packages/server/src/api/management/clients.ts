import {
  type Client,
  clientChangeSchema,
  clientListParameters,
  clientRequestSchema,
  isClientId,
  type Page,
  pageLimits,
} from '@countersign/contract';
import {
  addClient,
  type ClientRecord,
  type ClientTransition,
  isArchived,
  moveClient,
  readClient,
  searchClients,
  updateClient,
} from '../../registry/store.ts';
import { type Database, inTransaction } from '../../storage/transaction.ts';
import { entityTag } from '../entity-tag.ts';
import { readCursor, writeCursor } from '../page.ts';
import { refuseBody } from '../request-body.ts';
import { readQuery, readQueryAs } from '../request-query.ts';
import { type Answer, ProblemError } from '@countersign/gate';
import type { ApiRequest, Handler } from '../handler.ts';
import { changeableAccount, changeContext, listedAccount, readableAccount } from './caller-scope.ts';
import { showClient, showClients } from './client-view.ts';
import { readBodyWithKey, readManagementBody } from './management-body.ts';
import type { ManagementParts } from './parts.ts';

/** `GET /v1/clients`: in the order of their ids, so those made here stand in the order of time. */
export function listClients({ database }: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    const query = readQueryAs(request.query, clientListParameters);
    const { clients, nextClientId } = await searchClients(database, {
      accountId: await listedAccount(request, query.accountId, database),
      status: query.status,
      role: query.role,
      search: query.search,
      rotation: query.rotation,
      afterClientId: readCursor(query.cursor, isClientId),
      limit: query.limit ?? pageLimits.limitDefault,
      nowMs: request.nowMs,
    });
    const body: Page<Client> = {
      data: await showClients(database, clients, request.nowMs),
      nextCursor: nextClientId === undefined ? null : writeCursor(nextClientId),
    };
    return { status: 200, body };
  };
}

/** `POST /v1/clients` */
export function createClient(parts: ManagementParts): Handler {
  return async (request) => {
    readQuery(request.query, []);
    const { body, key: publicKey } = await readBodyWithKey(request, clientRequestSchema, parts.keyPolicy);
    checkOperatorMembers(request, body);
    const { accountId = request.caller.accountId, networkWhitelist, roles = [], ...client } = body;
    const context = changeContext(request, parts);
    return parts.idempotency.run(request, async (transaction) => {
      const record = await addClient(
        transaction,
        { ...client, publicKey, accountId, network: networkWhitelist, roles },
        context,
      );
      return clientAnswer(transaction, record, request, 201);
    });
  };
}

/** Whose client it is and what it is called is the operator's to say. */
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
  const detail = 'Leave this member out: only the operator of the service gives it.';
  throw new ProblemError('permission_denied', {
    members: { reason: `only the operator may give ${member}`, errors: [{ pointer: `/${member}`, detail }] },
  });
}

/** `GET /v1/clients/{clientId}` */
export function getClient({ database }: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    readQuery(request.query, []);
    return clientAnswer(database, await readVisibleClient(database, request), request);
  };
}

/** `PATCH /v1/clients/{clientId}` */
export function changeClientSettings(parts: ManagementParts): Handler {
  return async (request) => {
    readQuery(request.query, []);
    const change = readManagementBody(request, clientChangeSchema);
    const context = changeContext(request, parts);
    return inTransaction(parts.database, async (transaction) => {
      const record = await updateClient(transaction, clientIdOf(request), change, context);
      return clientAnswer(transaction, record, request);
    });
  };
}

/** `POST /v1/clients/{clientId}/disable`, and the other ways from state to state. */
export function changeClientState(parts: ManagementParts, transition: ClientTransition): Handler {
  return async (request) => {
    refuseBody(request);
    readQuery(request.query, []);
    const context = changeContext(request, parts);
    return inTransaction(parts.database, async (transaction) => {
      const record = await moveClient(transaction, clientIdOf(request), transition, context);
      return clientAnswer(transaction, record, request);
    });
  };
}

/**
 * The client that the path names, if the caller may see it. Another account's client is as unknown as one that does not
 * exist.
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

/** The clientId in the path, as it was decoded. */
export function clientIdOf({ parameters }: ApiRequest): string {
  return parameters['clientId'] ?? '';
}

/** Read in the transaction of a change: when it cannot be read, the change is not made either. */
async function clientAnswer(
  database: Database,
  record: ClientRecord,
  { nowMs }: ApiRequest,
  status: 200 | 201 = 200,
): Promise<Answer> {
  const location = { Location: `/v1/clients/${encodeURIComponent(record.clientId)}` };
  return {
    status,
    headers: { ETag: entityTag(record.version), ...(status === 201 && location) },
    body: await showClient(database, record, nowMs),
  };
}
