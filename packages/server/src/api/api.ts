import { type Operation, type OperationId, operations } from '@countersign/contract';
import type { Transaction } from 'kysely';
import createRouter, { type HTTPMethod } from 'find-my-way';
import { type Answer, ProblemError } from '@countersign/gate';
import { RegistryError } from '../registry/registry-error.ts';
import { StorageError } from '../storage/storage-error.ts';
import type { Schema } from '../storage/schema.ts';
import { inTransaction } from '../storage/transaction.ts';
import { changeContext } from './caller-scope.ts';
import type { ApiRequest, Handler } from './handler.ts';
import type { Handlers, OperationHandler } from './handlers.ts';
import { Idempotency } from './idempotency.ts';
import { readInput } from './input.ts';
import { accountHandlers } from './management/accounts.ts';
import { clientChangeHandlers } from './management/client-changes.ts';
import { clientImportHandlers } from './management/client-imports.ts';
import { clientHandlers } from './management/clients.ts';
import { demoDataHandlers } from './management/demo-data.ts';
import { explanationHandlers } from './management/explanations.ts';
import { keyHandlers } from './management/keys.ts';
import { liveEventHandlers } from './management/live-events.ts';
import { networkWhitelistHandlers } from './management/network-whitelist.ts';
import { alertRuleHandlers } from './management/alert-rules.ts';
import { noticeHandlers } from './management/notices.ts';
import { pendingChangeHandlers } from './management/pending-changes.ts';
import { peopleHandlers } from './management/people.ts';
import { requestHandlers } from './management/requests.ts';
import { roleHandlers } from './management/roles.ts';
import { savedViewHandlers } from './management/saved-views.ts';
import { webhookDeliveryHandlers } from './management/webhook-deliveries.ts';
import { webhookEventTypeHandlers } from './management/webhook-event-types.ts';
import { webhookListenerHandlers } from './management/webhook-listeners.ts';
import { webhookSecretHandlers } from './management/webhook-secrets.ts';
import { webhookHandlers } from './management/webhooks.ts';
import type { ApiOptions, ApiParts, Change } from './parts.ts';
import { askSecondPerson, pendingChangeOf } from './pending-change.ts';
import { problemOfRegistryError } from './registry-problem.ts';
import type { ReportInput } from './reports/report-handlers.ts';
import { type ReportId, type Reports, reportsOn } from './reports/reports.ts';
import { callerHandlers } from './sandbox/caller.ts';
import { paymentHandlers } from './sandbox/payments.ts';

/** The result of routing a method and a path. */
export type ApiMatch =
  | {
      readonly operation: Operation;
      readonly parameters: Readonly<Record<string, string>>;
      readonly handler: Handler;
    }
  | { readonly problem: 'not_found' }
  | { readonly problem: 'method_not_allowed'; readonly allow: readonly string[] };

/** The built-in API. */
export interface Api {
  /**
   * Finds a request's operation. Never throws, whatever the path is.
   *
   * Paths are compared exactly: case and a trailing slash matter, and only parameters may be percent-encoded.
   * HEAD finds the same operations as GET.
   *
   * @param path without the query
   */
  find(method: string, path: string): ApiMatch;
}

/** How long the response for an `Idempotency-Key` is kept. */
const idempotencyKeptMs = 86_400_000;

/** Builds the API from the contract's table of operations. */
export function createApi(options: ApiOptions): Api {
  const { hashKey } = options.webhooks.secrets;
  const idempotency = new Idempotency(options.database, idempotencyKeptMs, hashKey);
  const parts: ApiParts = {
    ...options,
    idempotency,
    change: changing(options, idempotency),
    callAgain: (request) => api.call(request),
  };
  const api = new RoutedApi(options, {
    ...callerHandlers(parts),
    ...paymentHandlers(parts),
    ...clientHandlers(parts),
    ...clientChangeHandlers(parts),
    ...clientImportHandlers(parts),
    ...networkWhitelistHandlers(parts),
    ...keyHandlers(parts),
    ...roleHandlers(parts),
    ...savedViewHandlers(parts),
    ...webhookHandlers(parts),
    ...webhookListenerHandlers(parts),
    ...webhookEventTypeHandlers(parts),
    ...webhookSecretHandlers(parts),
    ...webhookDeliveryHandlers(parts),
    ...requestHandlers(parts),
    ...explanationHandlers(parts),
    ...liveEventHandlers(parts),
    ...noticeHandlers(parts),
    ...alertRuleHandlers(parts),
    ...accountHandlers(parts),
    ...demoDataHandlers(parts),
    ...peopleHandlers(parts),
    ...pendingChangeHandlers(parts),
    ...reports(parts),
  });
  return api;
}

/** Returns the reports, made in this thread or by the report thread. */
function reports({ database, reportMaker }: ApiOptions): Reports {
  const here = reportsOn(database);
  if (reportMaker === undefined) return here;
  const made = Object.keys(here).map((id) => [
    id,
    ({ query }: ReportInput<ReportId>, request: ApiRequest) =>
      reportMaker.make(id as ReportId, query, request),
  ]);
  return Object.fromEntries(made) as Reports;
}

function changing(options: ApiOptions, idempotency: Idempotency): Change {
  return async (request, work) => {
    const context = changeContext(request, options);
    const { approval } = request;
    const run = <Body>(each: (transaction: Transaction<Schema>) => Promise<Answer<Body>>) =>
      request.operation.takesIdempotencyKey && approval === undefined
        ? idempotency.run(request, each)
        : inTransaction(options.database, each);
    try {
      return await run(async (transaction) => {
        await approval?.begin(transaction);
        return work(transaction, approval?.contextOf(context) ?? context);
      });
    } catch (error) {
      const pending = pendingChangeOf(error, request);
      if (pending === undefined) throw error;
      // The type is that of a change that was made. Whoever asks for a change that may wait looks at the status.
      return (await run((transaction) => askSecondPerson(transaction, pending, context))) as Answer<never>;
    } finally {
      await options.followChange();
    }
  };
}

interface Route {
  readonly operation: Operation;
  readonly handler: Handler;
}

class RoutedApi implements Api {
  readonly #handlers = new Map<OperationId, Handler>();
  readonly #router = createRouter({
    caseSensitive: true,
    ignoreTrailingSlash: false,
    maxParamLength: parameterLengthMax,
  });

  constructor({ keyPolicy }: Pick<ApiOptions, 'keyPolicy'>, handlers: Handlers) {
    for (const operation of Object.values(operations)) {
      const handle = handlers[operation.id] as OperationHandler<OperationId>;
      const handler = failingSafely(async (request) =>
        handle((await readInput(operation, request, keyPolicy)) as Parameters<typeof handle>[0], request),
      );
      const route: Route = { operation, handler };
      this.#handlers.set(operation.id, handler);
      this.#router.on(operation.method, operation.path.replaceAll(/\{(\w+)\}/g, ':$1'), unused, route);
    }
  }

  /** Calls the handler of a request's operation. */
  async call(request: ApiRequest): Promise<Answer> {
    return this.#handlers.get(request.operation.id)!(request);
  }

  find(method: string, path: string): ApiMatch {
    const match = this.#find(method === 'HEAD' ? 'GET' : method, path);
    if (match !== undefined) return match;
    const allow = methods.filter((other) => this.#find(other, path) !== undefined);
    if (allow.length === 0) return { problem: 'not_found' };
    return {
      problem: 'method_not_allowed',
      allow: allow.flatMap((other) => (other === 'GET' ? ['GET', 'HEAD'] : other)),
    };
  }

  #find(method: string, path: string): Exclude<ApiMatch, { problem: string }> | undefined {
    // The router would also accept absolute URLs and strip a query.
    if (!path.startsWith('/') || /[?#]/.test(path)) return undefined;
    const found = this.#router.find(method as HTTPMethod, path);
    if (found === null) return undefined;
    const { operation, handler } = found.store as Route;
    // No ID is empty: "/v1/payments/" is a different path from "/v1/payments".
    const parameters = found.params as Record<string, string>;
    if (Object.values(parameters).includes('')) return undefined;
    if (path.includes('%') && !hasPlainNames(path, operation.path)) return undefined;
    return { operation, handler, parameters };
  }
}

/** The length of a client ID of 256 characters, all percent-encoded. */
const parameterLengthMax = 768;

const methods = [...new Set(Object.values(operations).map((operation) => operation.method))].toSorted();

function unused(): void {
  // The router requires a handler but never calls it: only the route is used.
}

/** Returns true if every segment except parameters is spelled as in the operation, without percent-encoding. */
function hasPlainNames(path: string, operationPath: string): boolean {
  const segments = path.split('/');
  const names = operationPath.split('/');
  return names.every((name, index) => name.startsWith('{') || name === segments[index]);
}

/** Reports a storage outage as such, so that the caller retries, and a registry error as the matching problem. */
function failingSafely(handler: Handler): Handler {
  return async (request: ApiRequest): Promise<Answer> => {
    try {
      return await handler(request);
    } catch (error) {
      if (error instanceof RegistryError) throw problemOfRegistryError(error) ?? error;
      if (!(error instanceof StorageError)) throw error;
      const code = error.code === 'in_doubt' ? 'outcome_unknown' : 'storage_unavailable';
      throw new ProblemError(code, { detail: error.message, cause: error });
    }
  };
}
