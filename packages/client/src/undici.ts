/**
 * Signs the requests of undici: `request`, `stream`, `pipeline` and its `fetch`.
 *
 * @module
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { stringify } from 'node:querystring';
import { SigningError } from '@countersign/signature';
import { isThrown, mayBeRefusal, problemBytesMax, readRefusal } from './refusals/read-refusal.ts';
import { bufferBody } from './signing/body-bytes.ts';
import { type AnswerHead, Call, isIdempotent } from './signing/call.ts';
import type { RequestSigner } from './signing/request-signer.ts';
import { isReplaced, withoutOwn } from './signing/own-headers.ts';
import { targetUrl } from './signing/target-url.ts';

/** The options of undici's `dispatch` that are used. */
interface DispatchOptions {
  readonly origin?: string | URL | undefined;
  readonly path: string;
  readonly method: string;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly query?: Record<string, unknown> | undefined;
  /** undici also accepts an event emitter, which cannot end a wait. */
  readonly signal?: unknown;
}

/** The handler of undici's `dispatch`. */
interface DispatchHandler {
  onRequestStart?(controller: unknown, context: unknown): void;
  onRequestUpgrade?(controller: unknown, status: number, headers: ResponseHeaders, socket: unknown): void;
  onResponseStart?(
    controller: unknown,
    status: number,
    headers: ResponseHeaders,
    statusMessage?: string,
  ): void;
  onResponseData?(controller: unknown, chunk: Uint8Array): void;
  onResponseEnd?(controller: unknown, trailers: ResponseHeaders): void;
  onResponseError?(controller: unknown, error: Error): void;
  onResponseStarted?(): void;
  onBodySent?(chunk: Uint8Array): void;
  onRequestSent?(): void;
}

type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;
type Dispatch = (options: DispatchOptions, handler: DispatchHandler) => boolean;

/** An interceptor for `compose`, whatever the exact types of this version of undici. */
export type SigningInterceptor = <Options extends object, Handler extends object>(
  dispatch: (options: Options, handler: Handler) => boolean,
) => (options: Options, handler: Handler) => boolean;

/**
 * Creates an interceptor that signs requests to one origin, or several, each attempt anew. Requests to other
 * origins pass unsigned. Put it first, and `retry` and `redirect` directly after it: then every attempt
 * passes through it, and it recognizes repeats, which may fail with a `RepeatNotSignedError`.
 *
 * @example
 * const agent = new Agent().compose(signingInterceptor(signer, 'https://api.example.com'), interceptors.retry());
 * const { statusCode, body } = await request('https://api.example.com/v1/payments', { dispatcher: agent });
 */
export function signingInterceptor(
  signer: RequestSigner,
  origins: string | readonly string[],
): SigningInterceptor {
  const calls = new RunningCalls(signer);
  const signed = new Set([origins].flat().map((origin) => targetUrl(origin).origin));
  const intercept = (dispatch: Dispatch) => (options: DispatchOptions, handler: DispatchHandler) => {
    const origin = URL.parse(String(options.origin ?? ''))?.origin;
    if (origin === undefined || !signed.has(origin)) return dispatch(options, handler);
    const running = calls.begin(options, handler);
    // Returns before the request is dispatched, as undici's own dns interceptor does.
    void dispatchSigned(signer, running, dispatch, { ...options, origin }, handler);
    return true;
  };
  return intercept as unknown as SigningInterceptor;
}

/** A call, and the requests that were dispatched for it and must not be repeated. */
interface RunningCall {
  readonly call: Call;
  readonly requests: DispatchOptions[];
  /** Runs the handler of a response. Any request dispatched during it may be a repeat. */
  readonly within: (handle: () => void) => void;
}

/**
 * Distinguishes repeats from new requests. undici's own interceptors pass their handler on, or wrap a new one
 * around it. Others may hide it: then a repeat is the same request, dispatched because of the response to one
 * of the call.
 */
class RunningCalls {
  readonly #signer: RequestSigner;
  readonly #ofHandlers = new WeakMap<object, RunningCall>();
  readonly #answered = new AsyncLocalStorage<RunningCall>();

  constructor(signer: RequestSigner) {
    this.#signer = signer;
  }

  begin(options: DispatchOptions, handler: DispatchHandler): RunningCall {
    const running = this.#find(options, handler) ?? this.#create();
    if (!isIdempotent(options.method)) running.requests.push(options);
    for (const layer of repeatersIn(handler)) this.#ofHandlers.set(layer, running);
    return running;
  }

  #create(): RunningCall {
    const running: RunningCall = {
      call: new Call(this.#signer),
      requests: [],
      within: (handle) => this.#answered.run(running, handle),
    };
    return running;
  }

  #find(options: DispatchOptions, handler: DispatchHandler): RunningCall | undefined {
    for (const layer of repeatersIn(handler)) {
      const running = this.#ofHandlers.get(layer);
      if (running) return running;
    }
    const answered = this.#answered.getStore();
    const { method, path, origin } = options;
    const url = URL.parse(path, String(origin))?.href ?? '';
    if (answered?.call.isRedirectedTo({ method, url })) return answered;
    return answered?.requests.some((request) => areSame(request, options)) ? answered : undefined;
  }
}

/**
 * Returns a handler and the ones that it wraps, except the innermost: that is the caller's, who may use it
 * for several calls.
 */
function repeatersIn(handler: DispatchHandler): readonly object[] {
  const chain: object[] = [];
  let next: unknown = handler;
  while (typeof next === 'object' && next !== null && !chain.includes(next)) {
    chain.push(next);
    next = (next as { readonly handler?: unknown }).handler;
  }
  return chain.slice(0, -1);
}

/** A stream may be wrapped, and empty the second time: treat it as the same. */
function areSame(earlier: DispatchOptions, later: DispatchOptions): boolean {
  if (earlier.method !== later.method || earlier.path !== later.path) return false;
  if (String(earlier.origin) !== String(later.origin) || earlier.query !== later.query) return false;
  return (earlier.body ?? null) === (later.body ?? null) || [earlier.body, later.body].every(isStream);
}

function isStream(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !ArrayBuffer.isView(body);
}

async function dispatchSigned(
  signer: RequestSigner,
  running: RunningCall,
  dispatch: Dispatch,
  options: DispatchOptions & { readonly origin: string },
  handler: DispatchHandler,
): Promise<void> {
  const { call, within } = running;
  const fail = (error: unknown): void => within(() => handler.onResponseError?.(null, error as Error));
  try {
    const { bytes, contentType } = await bufferBody(options.body, signer.bodyBytesMax);
    const lines = linesOf(options.headers);
    const headers = withoutOwn(lines, signer);
    // As undici does for a form. It sends texts without a type.
    if (contentType?.startsWith('multipart/') && !headers.some(([name]) => /^content-type$/i.test(name)))
      headers.push(['Content-Type', contentType]);
    const url = targetUrl(`${options.origin}${pathOf(options)}`);
    const send = async (): Promise<void> => {
      const attempt = await call.sign({
        method: options.method,
        url: url.href,
        body: bytes,
        header: (name) => valueIn(isReplaced(name) ? lines : headers, name),
        signal: options.signal instanceof AbortSignal ? options.signal : undefined,
      });
      dispatch(
        {
          ...options,
          method: attempt.method,
          path: `${url.pathname}${url.search}`,
          query: undefined,
          headers: [...headers, ...Object.entries(attempt.headers)].flat(),
          body: bytes ?? null,
        },
        new AnswerHandler(signer, running, handler, () => void send().catch(fail)),
      );
    };
    await send();
  } catch (error) {
    fail(error);
  }
}

function pathOf({ path, query }: DispatchOptions): string {
  if (!path.startsWith('/'))
    throw new SigningError('request_invalid', 'The path of a request must start with "/".');
  if (query === undefined) return path;
  // undici would throw this later, about the signed path.
  if (/[?#]/.test(path))
    throw new SigningError('request_invalid', 'Give the query in the path or as an option, not both.');
  const text = stringify(query as Parameters<typeof stringify>[0]);
  return text === '' ? path : `${path}?${text}`;
}

/** Reads headers in each form that undici accepts: an object, names and values in turn, or pairs. */
function linesOf(headers: unknown): [string, string][] {
  if (headers === undefined || headers === null) return [];
  if (Array.isArray(headers) && !Array.isArray(headers[0])) {
    const flat = headers.map(String);
    return flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? '']] : []));
  }
  const pairs: Iterable<[string, unknown]> =
    Symbol.iterator in Object(headers) ? (headers as Iterable<[string, unknown]>) : Object.entries(headers);
  return [...pairs].flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((item: unknown): [string, string][] =>
      item === undefined || item === null ? [] : [[name, `${item as string | number}`]],
    ),
  );
}

/** Returns the values of all lines with a name. */
function valueIn(
  lines: readonly (readonly [name: string, value: string])[],
  name: string,
): string | undefined {
  const values = lines.filter(([other]) => other.toLowerCase() === name).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}

/** Holds back a possible rejection until it is recognized. Everything else passes as it arrives. */
class AnswerHandler implements DispatchHandler {
  readonly #signer: RequestSigner;
  readonly #running: RunningCall;
  readonly #handler: DispatchHandler;
  readonly #again: () => void;
  #held:
    | { readonly head: AnswerHead; readonly release: () => void; chunks: Uint8Array[]; length: number }
    | undefined;

  constructor(signer: RequestSigner, running: RunningCall, handler: DispatchHandler, again: () => void) {
    this.#signer = signer;
    this.#running = running;
    this.#handler = handler;
    this.#again = again;
  }

  onRequestStart(controller: unknown, context: unknown): void {
    this.#handler.onRequestStart?.(controller, context);
  }

  onRequestUpgrade(controller: unknown, status: number, headers: ResponseHeaders, socket: unknown): void {
    this.#handler.onRequestUpgrade?.(controller, status, headers, socket);
  }

  onResponseStarted(): void {
    this.#handler.onResponseStarted?.();
  }

  onBodySent(chunk: Uint8Array): void {
    this.#handler.onBodySent?.(chunk);
  }

  onRequestSent(): void {
    this.#handler.onRequestSent?.();
  }

  onResponseStart(controller: unknown, status: number, headers: ResponseHeaders, message?: string): void {
    const head = {
      status,
      contentType: one(headers['content-type']),
      retryAfter: one(headers['retry-after']),
      location: one(headers['location']),
    };
    const pass = (): void =>
      this.#running.within(() => this.#handler.onResponseStart?.(controller, status, headers, message));
    if (!mayBeRefusal(head)) {
      this.#running.call.repeatsAfter(head, undefined);
      pass();
      return;
    }
    const release = (): void => {
      const { chunks } = this.#held!;
      this.#held = undefined;
      pass();
      for (const chunk of chunks) this.#handler.onResponseData?.(controller, chunk);
    };
    this.#held = { head, release, chunks: [], length: 0 };
  }

  onResponseData(controller: unknown, chunk: Uint8Array): void {
    const held = this.#held;
    if (!held) {
      this.#handler.onResponseData?.(controller, chunk);
      return;
    }
    held.chunks.push(chunk);
    held.length += chunk.length;
    if (held.length > problemBytesMax) held.release();
  }

  onResponseEnd(controller: unknown, trailers: ResponseHeaders): void {
    this.#running.within(() => this.#end(controller, trailers));
  }

  #end(controller: unknown, trailers: ResponseHeaders): void {
    const held = this.#held;
    const { throwsRefusals, problemTypeBase } = this.#signer;
    const refusal = held && readRefusal(held.head, Buffer.concat(held.chunks), problemTypeBase);
    if (held && this.#running.call.repeatsAfter(held.head, refusal)) {
      this.#again();
    } else if (refusal && isThrown(refusal, throwsRefusals)) {
      this.#handler.onResponseError?.(controller, refusal);
    } else {
      held?.release();
      this.#handler.onResponseEnd?.(controller, trailers);
    }
  }

  onResponseError(controller: unknown, error: Error): void {
    this.#running.call.failed(error);
    this.#running.within(() => this.#handler.onResponseError?.(controller, error));
  }
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
