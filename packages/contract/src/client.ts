import { ApiError, readRefusal } from './client/api-error.ts';
import type { ApiAnswer, ApiInput, CallOf, SignedOperationId } from './client/call.ts';
import { operationSchemas } from './operation-schemas.ts';
import { type Operation, type OperationId, operations } from './operations.ts';

/** Signs requests: a signer of `@countersign/signature`, or anything that does the same. */
export interface RequestSigner {
  sign(request: {
    readonly method: string;
    readonly url: string;
    readonly body?: string | undefined;
  }): SignedCall | Promise<SignedCall>;
}

/** What is sent: exactly this URL and body, with these header fields besides. */
export interface SignedCall {
  readonly url: string;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  readonly headers: object;
}

/** What a client of the API is made with. */
export interface ClientOptions {
  /** Where the service is, without `/v1` and without a slash at the end: `https://api.example.com`. */
  readonly baseUrl: string;
  readonly signer: RequestSigner;
  /** What sends the requests; the `fetch` of the platform unless set. */
  readonly fetch?: typeof globalThis.fetch;
}

/** A function for each operation of the API that programs can call. */
export type ApiClient = { readonly [Id in SignedOperationId]: CallOf<Id> };

/**
 * Makes a client of the API, with one function for each operation.
 *
 * A function resolves with the answer, and rejects with `ApiError` when the service refuses, or with what `fetch` rejects
 * with when it cannot be reached. It sends once: whether a request may be repeated is for the caller to decide, and a
 * repetition is a new call, which signs anew. Redirects are not followed, because a signature is for one URL.
 *
 * Not checked: that an answer is what the contract describes, beyond being JSON.
 *
 * @example
 * const api = createClient({ baseUrl: 'https://api.example.com', signer });
 * const { body, entityTag } = await api.getClient({ path: { clientId } });
 * await api.updateClient({ path: { clientId }, body: { name: 'Billing' }, ifMatch: entityTag ?? '*' });
 */
export function createClient(options: ClientOptions): ApiClient {
  const calls = Object.values(operations)
    .filter(({ callers }) => callers !== 'people')
    .map((operation) => [operation.id, (input: ApiInput = {}) => call(options, operation, input)]);
  return Object.fromEntries(calls) as ApiClient;
}

async function call(
  { baseUrl, signer, fetch: send = globalThis.fetch }: ClientOptions,
  operation: Operation,
  input: ApiInput,
): Promise<ApiAnswer> {
  const { method } = operation;
  const body = input.body === undefined ? undefined : JSON.stringify(input.body);
  const url = `${baseUrl}${pathOf(operation, input.path ?? {})}${queryOf(input.query ?? {})}`;
  const signed = await signer.sign({ method, url, body });
  const response = await send(signed.url, {
    method,
    headers: { ...headersOf(input, body), ...signed.headers },
    redirect: 'error',
    ...(signed.body !== undefined && { body: signed.body }),
    ...(input.signal && { signal: input.signal }),
  });
  if (!response.ok) throw await readRefusal(response);
  return readAnswer(response, operation.id, input);
}

async function readAnswer(response: Response, id: OperationId, { query }: ApiInput): Promise<ApiAnswer> {
  const { status, headers } = response;
  const format = query?.['format'];
  const isText = 'format' in (operationSchemas[id].query ?? {}) && format !== undefined && format !== 'json';
  const text = await response.text();
  return {
    status,
    body: isText ? text : readJson(text, response),
    entityTag: headers.get('ETag') ?? undefined,
    requestId: headers.get('Request-Id') ?? undefined,
    headers,
  };
}

function readJson(text: string, response: Response): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ApiError('answer_unreadable', 'The answer is not JSON: is the base URL right?', response, {
      cause: error,
    });
  }
}

function pathOf({ id, path }: Operation, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    // A path without it would be that of another operation; one of dots would not reach the service as signed.
    if (!value || value === '.' || value === '..')
      throw new TypeError(`${id} needs path.${name}, and it must not be empty or made of dots.`);
    return encodeURIComponent(value);
  });
}

function queryOf(values: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value ?? '')}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function headersOf({ ifMatch, idempotencyKey }: ApiInput, body: string | undefined): Record<string, string> {
  return {
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  };
}
