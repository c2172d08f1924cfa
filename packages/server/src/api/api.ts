import { type Operation, type OperationId, operations } from '@countersign/contract';
import createRouter, { type HTTPMethod } from 'find-my-way';
import { RegistryError } from '../registry/registry-error.ts';
import { StorageError } from '../storage/storage-error.ts';
import { Idempotency } from './idempotency.ts';
import {
  cancelPayment,
  createPayment,
  getPayment,
  listPayments,
  type PaymentParts,
} from './sandbox/payments.ts';
import { managementHandlers } from './management/handlers.ts';
import type { ManagementParts } from './management/parts.ts';
import { problemOfRegistryError } from './registry-problem.ts';
import { type Answer, ProblemError } from '@countersign/gate';
import type { ApiRequest, Handler } from './handler.ts';
import { testSignature } from './sandbox/signature-test.ts';
import { getWhoami } from './sandbox/whoami.ts';

/** What a method and a path lead to. */
export type ApiMatch =
  | {
      readonly operation: Operation;
      readonly parameters: Readonly<Record<string, string>>;
      readonly handler: Handler;
    }
  | { readonly problem: 'not_found' }
  | { readonly problem: 'method_not_allowed'; readonly allow: readonly string[] };

/** The API that is built in. */
export interface Api {
  /**
   * Finds the operation of a request. Never throws, whatever the path is.
   *
   * Paths are compared as called: the case counts, a slash at the end counts, and only parameters may be
   * percent-encoded. HEAD finds what GET finds.
   *
   * @param path without the query
   */
  find(method: string, path: string): ApiMatch;
}

/** What the API is made of. */
export interface ApiOptions extends Omit<ManagementParts, 'idempotency'> {
  /** How long a payment stays pending. */
  readonly paymentsCompleteAfterSeconds: number;
}

/** How long the answer to an `Idempotency-Key` is kept. */
const idempotencyKeptMs = 86_400_000;

/** Builds the API from the table of operations in the contract. */
export function createApi({ paymentsCompleteAfterSeconds, ...parts }: ApiOptions): Api {
  const { database } = parts;
  const idempotency = new Idempotency(database, idempotencyKeptMs);
  const payments: PaymentParts = {
    database,
    idempotency,
    completeAfterMs: paymentsCompleteAfterSeconds * 1000,
  };
  return new RoutedApi({
    getWhoami,
    testSignature,
    testSignatureByPost: testSignature,
    testSignatureByPut: testSignature,
    testSignatureByPatch: testSignature,
    testSignatureByDelete: testSignature,
    createPayment: createPayment(payments),
    listPayments: listPayments(payments),
    getPayment: getPayment(payments),
    cancelPayment: cancelPayment(payments),
    ...managementHandlers({ ...parts, idempotency }),
  });
}

interface Route {
  readonly operation: Operation;
  readonly handler: Handler;
}

class RoutedApi implements Api {
  readonly #router = createRouter({
    caseSensitive: true,
    ignoreTrailingSlash: false,
    maxParamLength: parameterLengthMax,
  });

  constructor(handlers: Readonly<Record<OperationId, Handler>>) {
    for (const operation of Object.values(operations)) {
      const route: Route = { operation, handler: failingSafely(handlers[operation.id]) };
      this.#router.on(operation.method, operation.path.replaceAll(/\{(\w+)\}/g, ':$1'), unused, route);
    }
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
    // The router would also read absolute URLs and cut off a query.
    if (!path.startsWith('/') || /[?#]/.test(path)) return undefined;
    const found = this.#router.find(method as HTTPMethod, path);
    if (found === null) return undefined;
    const { operation, handler } = found.store as Route;
    // No id is empty: "/v1/payments/" is another path than "/v1/payments".
    const parameters = found.params as Record<string, string>;
    if (Object.values(parameters).includes('')) return undefined;
    if (path.includes('%') && !hasPlainNames(path, operation.path)) return undefined;
    return { operation, handler, parameters };
  }
}

/** A clientId of 256 characters that are all percent-encoded. */
const parameterLengthMax = 768;

const methods = [...new Set(Object.values(operations).map((operation) => operation.method))].toSorted();

function unused(): void {
  // The router asks for a handler and never calls it: the route is what is looked for.
}

/** Whether every segment that is not a parameter is written as in the operation, not percent-encoded. */
function hasPlainNames(path: string, operationPath: string): boolean {
  const segments = path.split('/');
  const names = operationPath.split('/');
  return names.every((name, index) => name.startsWith('{') || name === segments[index]);
}

/**
 * An outage of storage is told as such, so that the caller repeats the request, and a refusal of the registry as what it
 * is for a caller.
 */
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
