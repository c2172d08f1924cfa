import { readRefusal, unreadable } from './client/api-error.ts';
import type { ApiAnswer, ApiInput, CallOf, InputOf, SignedOperationId } from './client/call.ts';
import type { AnswerOf } from './operation-schemas.ts';
import { type Operation, type OperationId, operations } from './operations.ts';

/** Signs requests: a signer of `@countersign/signature`, or anything with the same shape. */
export interface RequestSigner {
  sign(request: {
    readonly method: string;
    readonly url: string;
    readonly body?: string | undefined;
  }): SignedCall | Promise<SignedCall>;
}

/** The URL and body to send exactly as they are, with the header fields to add. */
export interface SignedCall {
  readonly url: string;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  readonly headers: object;
}

/** Options of `createClient`. */
export interface ClientOptions {
  /** The service's URL without `/v1` and without a trailing slash: `https://api.example.com`. */
  readonly baseUrl: string;
  readonly signer: RequestSigner;
  /** Defaults to the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** A function for each operation that an application can call. */
export type ApiClient = { readonly [Id in SignedOperationId]: CallOf<Id> };

/** A request in the form that senders receive. */
export interface ApiRequest {
  readonly method: Operation['method'];
  /** Path and query. Never a whole URL, so that nothing can be sent to another host. */
  readonly target: `/${string}`;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Sends a request with proof of the caller: a signature or a session. */
export type SendRequest = (request: ApiRequest) => Promise<Response>;

/**
 * Creates a client that signs, with one function for each operation.
 *
 * A function resolves with the response. It rejects with `ApiError` if the service rejects the request, and
 * passes on errors of `fetch` and the signer. It sends once: the caller decides whether to retry, and a retry
 * is a new call with a new signature. It follows no redirects, because a signature is for one URL.
 *
 * Not checked: that a response matches the contract, beyond being JSON.
 *
 * @example
 * const api = createClient({ baseUrl: 'https://api.example.com', signer });
 * const { body, entityTag } = await api.getClient({ path: { clientId } });
 * await api.updateClient({ path: { clientId }, body: { name: 'Billing' }, ifMatch: entityTag ?? '*' });
 */
export function createClient(options: ClientOptions): ApiClient {
  const send = signingSender(options);
  const calls = Object.values(operations)
    .filter(({ callers }) => callers !== 'people')
    .map(({ id }) => [id, (input: ApiInput = {}) => callOperation(send, id, input as InputOf<typeof id>)]);
  return Object.fromEntries(calls) as ApiClient;
}

function signingSender({ baseUrl, signer, fetch = globalThis.fetch }: ClientOptions): SendRequest {
  return async ({ method, target, headers, body, signal }) => {
    const signed = await signer.sign({ method, url: `${baseUrl}${target}`, body });
    return fetch(signed.url, {
      method,
      headers: { ...headers, ...signed.headers },
      redirect: 'error',
      ...(signed.body !== undefined && { body: signed.body }),
      ...(signal && { signal }),
    });
  };
}

/** Calls an operation through any sender. Rejects with `ApiError` if the service rejects the request. */
export async function callOperation<Id extends OperationId>(
  send: SendRequest,
  id: Id,
  input: InputOf<Id>,
): Promise<ApiAnswer<AnswerOf<Id>>> {
  const { path = {}, query = {}, body, ifMatch, idempotencyKey, signal } = input as ApiInput;
  const headers = {
    ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  };
  const target = `${pathOf(operations[id], path)}${queryOf(query)}` as const;
  const isText = query['format'] !== undefined && query['format'] !== 'json';
  const { method } = operations[id];
  const answer = await request(send, { method, target, headers, body, signal, isText });
  return answer as ApiAnswer<AnswerOf<Id>>;
}

/**
 * Sends a request with a JSON body and reads the response. Rejects with `ApiError` if the service rejects the
 * request.
 */
export async function request(
  send: SendRequest,
  parts: Pick<ApiRequest, 'method' | 'target'> & {
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly signal?: AbortSignal | undefined;
    /** True if the response is text, not JSON. */
    readonly isText?: boolean;
  },
): Promise<ApiAnswer> {
  const { method, target, signal, isText = false } = parts;
  const body = parts.body === undefined ? undefined : JSON.stringify(parts.body);
  const headers = { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...parts.headers };
  const response = await send({ method, target, headers, body, signal });
  if (!response.ok) throw await readRefusal(response);
  const text = await response.text();
  return {
    status: response.status,
    body: isText ? text : readJson(text, response),
    entityTag: response.headers.get('ETag') ?? undefined,
    requestId: response.headers.get('Request-Id') ?? undefined,
    headers: response.headers,
  };
}

function readJson(text: string, response: Response): unknown {
  if (text === '' && (response.status === 202 || response.status === 204)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw unreadable(response, 'The answer is not JSON', error);
  }
}

function pathOf({ id, path }: Operation, values: Readonly<Record<string, string>>): `/${string}` {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    // An empty value would give another operation's path, and dots would not reach the service as signed.
    if (!value || value === '.' || value === '..')
      throw new TypeError(`${id} needs path.${name}, and it must not be empty or made of dots.`);
    return encodeURIComponent(value);
  }) as `/${string}`;
}

/** No parameter of the API accepts an empty value, so an empty one is left out. */
function queryOf(values: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value ?? '')}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
