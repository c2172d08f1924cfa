import {
  operations,
  type AnswerOf,
  type ApiInput,
  type InputOf,
  type Operation,
  type OperationId,
} from '@countersign/contract';
import { currentAccount } from './current-account.ts';
import { readJson, send } from './send.ts';

/** What an operation takes, as the contract says: `path`, `query`, `body`, `ifMatch`, `idempotencyKey`, `signal`. */
export type OperationInput<Id extends OperationId> = InputOf<Id>;

/** What an operation answers. */
export type OperationAnswer<Id extends OperationId> = AnswerOf<Id>;

/** An answer, and the state that it shows, for `ifMatch` of the next change. */
export interface Entity<Body> {
  readonly body: Body;
  readonly entityTag: string | undefined;
}

/** Left out when an operation needs nothing. */
type Arguments<Id extends OperationId> =
  object extends OperationInput<Id> ? [input?: OperationInput<Id>] : [input: OperationInput<Id>];

/**
 * Calls the management API with the session, for the current account. Every function rejects with `ApiError`; a call that
 * needs a fresh proof of who the person is asks for it by itself, and is `cancelled` when they decline.
 *
 * @example
 * const { data } = await api.call('listClients', { query: { limit: 50 } });
 */
export const api = {
  /** Resolves with the body of the answer. */
  async call<Id extends OperationId>(id: Id, ...[input]: Arguments<Id>): Promise<OperationAnswer<Id>> {
    return (await callOperation(id, input)).body as OperationAnswer<Id>;
  },

  /** Resolves with the body of the answer and its entity tag. */
  async callWithEntityTag<Id extends OperationId>(
    id: Id,
    ...[input]: Arguments<Id>
  ): Promise<Entity<OperationAnswer<Id>>> {
    return (await callOperation(id, input)) as Entity<OperationAnswer<Id>>;
  },

  /** Resolves with the text of an export, `format: 'csv'` or `'ndjson'`, and where the next part begins. */
  async export(
    id: 'listRequests' | 'listAuditEvents',
    input: ApiInput,
  ): Promise<{ readonly text: string; readonly nextCursor: string | undefined }> {
    const response = await sendOperation(id, input);
    return { text: await response.text(), nextCursor: response.headers.get('Next-Cursor') ?? undefined };
  },
} as const;

async function callOperation(id: OperationId, input: ApiInput = {}): Promise<Entity<unknown>> {
  const response = await sendOperation(id, input);
  return { body: await readJson(response), entityTag: response.headers.get('ETag') ?? undefined };
}

function sendOperation(id: OperationId, input: ApiInput): Promise<Response> {
  const operation = operations[id];
  const accountId = currentAccount();
  return send({
    method: operation.method,
    target: `${pathOf(operation, input.path ?? {})}${queryOf(input.query ?? {})}`,
    body: input.body,
    signal: input.signal,
    headers: {
      ...(accountId !== undefined && { 'Countersign-Account': accountId }),
      ...(input.ifMatch !== undefined && { 'If-Match': input.ifMatch }),
      ...(input.idempotencyKey !== undefined && { 'Idempotency-Key': input.idempotencyKey }),
    },
  });
}

function pathOf({ id, path }: Operation, values: Readonly<Record<string, string>>): `/${string}` {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    // A path without it would be that of another operation, and dots would lead elsewhere.
    if (!value || value === '.' || value === '..') throw new TypeError(`${id} needs path.${name}.`);
    return encodeURIComponent(value);
  }) as `/${string}`;
}

function queryOf(values: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value ?? '')}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
