import { bulkLimits, type ClientsChange, type ClientsChangeRequest } from '@countersign/contract';
import type { Answer } from '@countersign/gate';
import type { RegistryError } from '../../registry/registry-error.ts';
import {
  type BulkChange,
  type BulkResult,
  changeClients,
  type ChosenClient,
} from '../../registry/store/client-bulk.ts';
import { ClientOrder, type ClientPlace } from '../../registry/store/client-order.ts';
import { type ClientSearch, searchClients } from '../../registry/store/client-search.ts';
import type { Database } from '../../storage/transaction.ts';
import { dryRun } from '../dry-run.ts';
import { entityTag } from '../entity-tag.ts';
import type { ApiRequest } from '../handler.ts';
import { defineHandlers } from '../handlers.ts';
import { problemOfRegistryError } from '../registry-problem.ts';
import { bodyInvalid } from '../../request-bodies/request-body.ts';

export const clientChangeHandlers = defineHandlers(({ database, change }) => ({
  changeClients: async ({ body }, request) => {
    const { accountId } = request.caller;
    const chosen = await chosenClients(database, body, request);
    const isDryRun = body.dryRun === true;
    return dryRun(isDryRun, (end) =>
      change(request, async (transaction, context) => {
        const results = await changeClients(transaction, accountId, chosen, bulkChangeOf(body), context);
        return end(answerOf(results, isDryRun));
      }),
    );
  },
}));

/** Finds the clients before the change, so that other changes do not wait for a search. */
async function chosenClients(
  database: Database,
  { clients, filter }: ClientsChangeRequest,
  { caller, nowMs }: ApiRequest,
): Promise<readonly ChosenClient[]> {
  if (clients !== undefined) {
    return clients.map(({ clientId, etag }) => ({
      clientId,
      ...(etag !== undefined && { isExpected: (version: number) => entityTag(version) === etag }),
    }));
  }
  const { accountId } = caller;
  const found = await findClientIds(database, { ...filter, accountId, nowMs });
  if (found.length > bulkLimits.clientsMax) {
    const detail = `It matches more than ${bulkLimits.clientsMax} clients: narrow it.`;
    throw bodyInvalid([{ pointer: '/filter', detail }]);
  }
  return found.map((clientId) => ({ clientId }));
}

/** Returns at most one more than a change may include. */
async function findClientIds(
  database: Database,
  search: Omit<ClientSearch, 'limit' | 'order' | 'after'>,
): Promise<readonly string[]> {
  const found: string[] = [];
  const order = new ClientOrder(undefined);
  let after: ClientPlace | undefined;
  do {
    const limit = bulkLimits.clientsMax + 1 - found.length;
    const page = await searchClients(database, { ...search, order, after, limit });
    found.push(...page.clients.map(({ clientId }) => clientId));
    after = page.next;
  } while (after !== undefined && found.length <= bulkLimits.clientsMax);
  return found;
}

/** The schema has checked that the action's member is present. */
function bulkChangeOf({ action, tags, roles, networkEntry }: ClientsChangeRequest): BulkChange {
  return {
    action,
    ...(tags && { tags }),
    ...(roles && { roles }),
    ...(networkEntry && { networkEntry }),
  } as BulkChange;
}

function answerOf(results: readonly BulkResult[], isDryRun: boolean): Answer<ClientsChange> {
  const shown = results.map((result) => showResult(result, isDryRun));
  const count = (wanted: string): number => shown.filter(({ outcome }) => outcome === wanted).length;
  const counts = { changed: count('changed'), unchanged: count('unchanged'), failed: count('failed') };
  return { status: 200, body: { isDryRun, ...counts, results: shown } };
}

function showResult(
  { clientId, before, after, difference, error }: BulkResult,
  isDryRun: boolean,
): ClientsChange['results'][number] {
  // After a dry run, the client is unchanged.
  const client = isDryRun ? before : after;
  return {
    clientId,
    name: client?.name,
    outcome: error !== undefined ? 'failed' : difference === undefined ? 'unchanged' : 'changed',
    etag: client && entityTag(client.version),
    before: difference?.before,
    after: difference?.after,
    problem: error && problemOf(error),
  };
}

function problemOf(error: RegistryError): { readonly code: string; readonly reason: string } {
  const problem = problemOfRegistryError(error);
  // An error that no operation can cause is a bug.
  if (problem === undefined) throw error;
  return { code: problem.code, reason: error.message };
}
