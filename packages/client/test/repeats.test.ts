import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { after, before, beforeEach, describe, it } from 'node:test';
import axios, { type AxiosError, type AxiosInstance, type InternalAxiosRequestConfig } from 'axios';
import got, { type ExtendOptions, type Got } from 'got';
import ky, { type Hooks, type KyInstance, type Options } from 'ky';
import { type Dispatcher, interceptors, request as undiciRequest } from 'undici';
import { signingAdapter } from '../src/axios.ts';
import { signingGot } from '../src/got.ts';
import { signingKy } from '../src/ky.ts';
import {
  RefusedError,
  RepeatNotSignedError,
  type RequestSigner,
  signingFetch,
  SigningError,
} from '../src/node.ts';
import { signingInterceptor } from '../src/undici.ts';
import { adapters, signerFor, signerOnNode, type TestOptions } from './adapters.ts';
import { type Answer, headerOf, type Lab, openLab, problemAnswer, type Received } from './lab.ts';

/*
 * Retries that HTTP clients make by themselves: a call must never make two payments. Responses are lost
 * after the service has acted.
 */

const api = 'https://api.example.test';

let lab: Lab;
before(async () => {
  lab = await openLab();
});
after(() => lab.close());
beforeEach(() => lab.reset());

interface Post {
  readonly path: string;
  readonly method?: 'POST' | 'PATCH' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
}

/** An HTTP client that repeats every failed request twice, and its status. */
interface RepeatingClient {
  readonly name: string;
  readonly open: (signer: RequestSigner) => (post: Post) => Promise<number>;
}

const body = 'a payment';
const retriedMethods = ['post', 'patch', 'put'] as const;

/** Does what axios-retry 4 does: repeats with the configuration in the error. Its `retryCondition` decides. */
function repeatWithConfig(client: AxiosInstance, retryCondition: (error: unknown) => boolean): void {
  interface Repeated extends InternalAxiosRequestConfig {
    repeats?: { count: number };
  }
  client.interceptors.response.use(undefined, async (error: Error & { readonly config?: Repeated }) => {
    const { config } = error;
    if (!config) throw error;
    const repeats = (config.repeats ??= { count: 0 });
    if (repeats.count === 2 || !retryCondition(error)) throw error;
    repeats.count += 1;
    config.transformRequest = [(data: unknown) => data];
    return client(config);
  });
}

/** Its default: a request without a response, and 429 and 5xx of idempotent methods. */
function isNetworkOrIdempotentRequestError(error: unknown): boolean {
  if (!axios.isAxiosError(error)) return false;
  const { response, code, config } = error;
  if (response === undefined && code !== undefined && code !== 'ERR_CANCELED') return true;
  const status = response?.status ?? 0;
  return config?.method === 'put' && (status === 429 || status >= 500);
}

function axiosClient(
  adapter: 'http' | 'fetch',
  retryCondition: (error: unknown) => boolean,
): RepeatingClient['open'] {
  return (signer) => {
    const client = axiosInstance(signer, adapter);
    repeatWithConfig(client, retryCondition);
    return async ({ path, method = 'POST', headers = {} }) =>
      (await client.request({ url: path, method, headers, data: body })).status;
  };
}

function axiosInstance(signer: RequestSigner, adapter: 'http' | 'fetch' = 'http'): AxiosInstance {
  return axios.create({
    baseURL: api,
    adapter: signingAdapter(axios, signer, { adapters: [adapter] }),
    httpsAgent: lab.httpsAgent,
    proxy: false,
    fetchOptions: { dispatcher: lab.dispatcher } as Record<string, unknown>,
  });
}

function gotClient(signer: RequestSigner, hooks: NonNullable<ExtendOptions['hooks']> = {}): Got {
  return got.extend(
    {
      agent: { https: lab.httpsAgent as never },
      retry: { methods: ['POST', 'PATCH', 'PUT'], limit: 2, backoffLimit: 1 },
      hooks,
    },
    signingGot(signer),
  );
}

/** Not by an option of ky, which copies it when hooks pass it on. */
const sendToLab = (url: string, init: RequestInit): Promise<Response> =>
  fetch(url, { ...init, dispatcher: lab.dispatcher } as RequestInit);

function kyClient(signer: RequestSigner, hooks: Hooks = { beforeRetry: [() => undefined] }): KyInstance {
  const retry = { methods: [...retriedMethods], limit: 2, delay: () => 1, retryOnTimeout: true };
  return ky.create({ ...signingKy(signer, { fetch: sendToLab }), retry }).extend({ hooks });
}

/** The result of lodash's cloneDeep for a value: functions stay, and instances lose their private fields. */
function deepCopy<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || value instanceof EventEmitter) return value;
  const copy = (Array.isArray(value) ? [] : Object.create(Object.getPrototypeOf(value) as object)) as Value;
  for (const name of Object.keys(value) as (keyof Value)[]) copy[name] = deepCopy(value[name]);
  return copy;
}

/** The result of observing libraries for a value. */
function deepProxy<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || value instanceof EventEmitter) return value;
  return new Proxy(value, {
    get: (target, name) => deepProxy((target as Record<PropertyKey, unknown>)[name]),
  });
}

const always = (): boolean => true;

function undiciClient(...inner: Parameters<Lab['dispatcher']['compose']>): RepeatingClient['open'] {
  return (signer) => {
    const retry = interceptors.retry({
      methods: ['POST', 'PATCH', 'PUT'],
      maxRetries: 2,
      minTimeout: 1,
      retryAfter: false,
    });
    const dispatcher = lab.dispatcher.compose(signingInterceptor(signer, api), ...inner, retry);
    return async ({ path, method = 'POST', headers = {} }) =>
      (await undiciRequest(api + path, { method, headers, body, dispatcher })).statusCode;
  };
}

/** Passes everything on, as a logger does. */
function hidingInterceptor(dispatch: Dispatcher.Dispatch): Dispatcher.Dispatch {
  return (options, handler) =>
    dispatch(options, {
      onRequestStart: (...args) => handler.onRequestStart?.(...args),
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });
}

const clients: readonly RepeatingClient[] = [
  {
    name: 'axios as axios-retry does by default',
    open: axiosClient('http', isNetworkOrIdempotentRequestError),
  },
  { name: 'axios with retryCondition: () => true', open: axiosClient('http', always) },
  { name: 'axios with its fetch adapter', open: axiosClient('fetch', always) },
  {
    name: 'got',
    open: (signer) => {
      const client = gotClient(signer);
      return async ({ path, method = 'POST', headers = {} }) =>
        (await client(api + path, { method, headers, body })).statusCode;
    },
  },
  {
    name: 'got with a delay for everything',
    open: (signer) => {
      const calculateDelay = ({ attemptCount }: { attemptCount: number }): number =>
        attemptCount > 2 ? 0 : 1;
      const client: Got = got.extend(
        { agent: { https: lab.httpsAgent as never }, retry: { calculateDelay, enforceRetryRules: false } },
        signingGot(signer),
      );
      return async ({ path, method = 'POST', headers = {} }) =>
        (await client(api + path, { method, headers, body })).statusCode;
    },
  },
  {
    name: 'ky',
    open: (signer) => {
      const client = kyClient(signer);
      return async ({ path, method = 'POST', headers = {} }) =>
        (await client(api + path, { method, headers, body })).status;
    },
  },
  { name: 'undici with retry', open: undiciClient() },
  {
    name: 'undici with retry around redirect',
    open: undiciClient(interceptors.redirect({ maxRedirections: 2 })),
  },
  {
    name: 'undici with interceptors between that hide their handlers',
    open: undiciClient(hidingInterceptor, interceptors.redirect({ maxRedirections: 2 }), hidingInterceptor),
  },
  { name: 'undici with decompress between', open: undiciClient(interceptors.decompress()) },
];

/** Each test has a path of its own, because all share the memory of used seconds. */
let tests = 0;
const newPath = (): string => `/repeats-${(tests += 1)}`;

async function outcomeOf(sent: Promise<number>): Promise<unknown> {
  try {
    return await sent;
  } catch (error) {
    return error;
  }
}

const signer = (options: TestOptions = {}): RequestSigner => signerOnNode(options);

for (const { name, open } of clients) {
  describe(name, () => {
    it('makes one payment of a call whose answer is lost', async () => {
      for (const method of ['POST', 'PATCH'] as const) {
        lab.received.length = 0;
        lab.hop.losses = 1;
        const outcome = await outcomeOf(open(signer())({ path: newPath(), method }));
        assert.equal(lab.received.length, 1, String(outcome));
        assert.ok(outcome instanceof Error);
        assert.ok(outcome instanceof RepeatNotSignedError, String(outcome));
        assert.ok(outcome instanceof SigningError);
        assert.equal(outcome.code, 'repeat_not_signed');
        assert.match(
          outcome.message,
          new RegExp(`^This ${method} was sent once already, .* Idempotency-Key`),
        );
        assert.ok(outcome.cause instanceof Error, 'the lost connection is the cause');
      }
    });

    it('signs a repeat with an Idempotency-Key anew', async () => {
      lab.hop.losses = 1;
      const post = { path: newPath(), headers: { 'Idempotency-Key': 'invoice 7' } };
      assert.equal(await outcomeOf(open(signer())(post)), 200);
      assert.deepEqual(
        lab.received.map((one) => [one.verdict, headerOf(one, 'idempotency-key'), String(one.body)]),
        [
          ['accepted', 'invoice 7', body],
          ['accepted', 'invoice 7', body],
        ],
      );
      assert.equal(new Set(lab.received.map((one) => headerOf(one, 'signature'))).size, 2);
    });

    it('does not take an empty Idempotency-Key for one', async () => {
      lab.hop.losses = 1;
      const post = { path: newPath(), headers: { 'Idempotency-Key': ' ' } };
      assert.ok((await outcomeOf(open(signer())(post))) instanceof RepeatNotSignedError);
      assert.equal(lab.received.length, 1);
    });

    it('adds one Idempotency-Key for all attempts of a call, if it is told to', async () => {
      const send = open(signer({ idempotencyKeys: true }));
      const path = newPath();
      lab.hop.losses = 1;
      assert.equal(await outcomeOf(send({ path })), 200);
      assert.equal(await send({ path }), 200);
      const keys = lab.received.map((one) => headerOf(one, 'idempotency-key'));
      assert.equal(keys.length, 3);
      assert.match(keys[0]!, /^[0-9a-f-]{36}$/);
      assert.equal(keys[1], keys[0]);
      assert.notEqual(keys[2], keys[0]);
      lab.received.length = 0;
      await send({ path, headers: { 'Idempotency-Key': 'mine' } });
      await send({ path, method: 'PUT' });
      assert.deepEqual(
        lab.received.map((one) => headerOf(one, 'idempotency-key')),
        ['mine', undefined],
      );
    });

    it('signs a repeat of what may be repeated anew', async () => {
      lab.hop.losses = 1;
      assert.equal(await outcomeOf(open(signer())({ path: newPath(), method: 'PUT' })), 200);
      assert.deepEqual(
        lab.received.map(({ verdict }) => verdict),
        ['accepted', 'accepted'],
      );
    });

    it("does not repeat after an API's own 503", async () => {
      lab.respond = () => ({ status: 503, body: 'the API' });
      const outcome = await outcomeOf(open(signer())({ path: newPath() }));
      assert.ok(outcome instanceof Error, String(outcome));
      assert.equal(lab.received.length, 1);
    });

    it('makes one payment of a call whose redirect was followed in vain', async () => {
      const vain: readonly ((receipt: Received) => Answer | undefined)[] = [
        () => {
          lab.hop.losses = 1;
          return undefined;
        },
        () => problemAnswer('rate_limited'),
      ];
      for (const status of [301, 302, 303])
        for (const answer of vain) {
          lab.received.length = 0;
          const path = newPath();
          let receipts = 0;
          lab.respond = (one) => {
            if (one.method === 'POST') return { status, headers: { Location: `${api}${path}/receipt` } };
            return (receipts += 1) === 1 ? answer(one) : undefined;
          };
          const outcome = await outcomeOf(open(signer())({ path }));
          const paid = lab.received.filter(({ method }) => method === 'POST').length;
          assert.equal(paid, 1, `${status}: ${String(outcome)}`);
        }
    });

    it('makes one payment where a redirect leads, and none again where it began', async () => {
      for (const answer of ['lost', 'refused'] as const) {
        lab.received.length = 0;
        const path = newPath();
        let moved = 0;
        lab.respond = ({ url }) => {
          if (!url.endsWith('/moved')) return { status: 307, headers: { Location: `${path}/moved` } };
          if ((moved += 1) > 1) return undefined;
          if (answer === 'refused') return problemAnswer('rate_limited');
          lab.hop.losses = 1;
          return undefined;
        };
        const outcome = await outcomeOf(open(signer())({ path }));
        const begun = lab.received.filter(({ url }) => url.endsWith(path)).length;
        assert.equal(begun, 1, `${answer}: ${String(outcome)}`);
        if (answer === 'lost') assert.ok(moved <= 1, String(outcome));
      }
    });

    // By default, axios-retry does not repeat a POST that has a response.
    if (name !== 'axios as axios-retry does by default') {
      it('repeats after 503 and 429 of the service, which prove that nothing happened', async () => {
        for (const code of ['guard_unavailable', 'rate_limited'] as const) {
          lab.received.length = 0;
          lab.respond = () => (lab.received.length < 3 ? problemAnswer(code) : undefined);
          const send = open(signer({ idempotencyKeys: true }));
          assert.equal(await outcomeOf(send({ path: newPath() })), 200);
          assert.equal(lab.received.length, 3);
          assert.equal(new Set(lab.received.map((one) => headerOf(one, 'idempotency-key'))).size, 1);
          lab.received.length = 0;
          assert.equal(await outcomeOf(open(signer())({ path: newPath() })), 200);
          assert.equal(lab.received.length, 3);
        }
      });
    }
  });
}

describe('a refusal that proves nothing', () => {
  const own: Answer = {
    status: 503,
    headers: { 'Content-Type': 'application/problem+json' },
    body: '{"type":"https://shop.example/problems#guard_unavailable","code":"guard_unavailable","status":503}',
  };
  const answers: readonly (readonly [name: string, answer: Answer])[] = [
    ['an upstream that did not respond', problemAnswer('upstream_timeout')],
    ['a lost answer of the upstream', problemAnswer('upstream_failed')],
    ['an unknown outcome', problemAnswer('outcome_unknown')],
    ['a replay', problemAnswer('signature_replayed')],
    ["the API's own problem with a code of the service", own],
  ];
  for (const [name, answer] of answers) {
    it(`gets no second signature: ${name}`, async () => {
      lab.respond = () => answer;
      const client = axiosClient('http', always)(signer({ throwsRefusals: false }));
      assert.ok((await outcomeOf(client({ path: newPath() }))) instanceof RepeatNotSignedError);
      assert.equal(lab.received.length, 1);
    });
  }
});

describe('an Idempotency-Key that differs between the attempts', () => {
  const keyed: readonly (readonly [name: string, send: (path: string) => Promise<unknown>])[] = [
    [
      'axios',
      (path) => {
        const client = axiosInstance(signer());
        client.interceptors.request.use((config) => {
          config.headers.set('Idempotency-Key', crypto.randomUUID());
          return config;
        });
        repeatWithConfig(client, always);
        return client.post(path, body);
      },
    ],
    [
      'got',
      (path) =>
        gotClient(signer(), {
          beforeRequest: [
            ({ headers }) => {
              headers['idempotency-key'] = crypto.randomUUID();
            },
          ],
        }).post(api + path, { body }),
    ],
    [
      'ky, on the repeat alone',
      (path) =>
        kyClient(signer(), {
          beforeRetry: [({ request }) => request.headers.set('Idempotency-Key', 'late')],
        }).post(api + path, { body }),
    ],
    [
      'ky, that has lost it',
      (path) =>
        kyClient(signer(), {
          beforeRetry: [({ request }) => request.headers.delete('Idempotency-Key')],
        }).post(api + path, { body, headers: { 'Idempotency-Key': 'first' } }),
    ],
  ];
  for (const [name, send] of keyed)
    it(`protects from nothing: ${name}`, async () => {
      lab.hop.losses = 1;
      await assert.rejects(send(newPath()), RepeatNotSignedError);
      assert.equal(lab.received.length, 1);
    });

  it('may follow a refusal which proves that nothing happened', async () => {
    lab.respond = () => (lab.received.length < 3 ? problemAnswer('rate_limited') : undefined);
    await keyed[0]![1](newPath());
    assert.equal(new Set(lab.received.map((one) => headerOf(one, 'idempotency-key'))).size, 3);
  });

  it('is not hidden by a refusal of the repeat', async () => {
    lab.respond = () => (lab.received.length === 2 ? problemAnswer('rate_limited') : undefined);
    lab.hop.losses = 1;
    const client = kyClient(signer(), {
      beforeRetry: [
        ({ request, retryCount }) => {
          if (retryCount === 2) request.headers.delete('Idempotency-Key');
        },
      ],
    });
    const sent = client.post(api + newPath(), { body, headers: { 'Idempotency-Key': 'first' } });
    await assert.rejects(sent, RepeatNotSignedError);
    assert.equal(lab.received.length, 2);
  });
});

describe('a call that hooks handle', () => {
  it('stays one call when a ky hook sends the request again with its options', async () => {
    lab.respond = () => (lab.received.length === 1 ? { status: 401, body: 'log in' } : undefined);
    const client: KyInstance = kyClient(signer(), {
      afterResponse: [
        ({ request, options, response }) =>
          response.status === 401 ? client(request, options as Options) : response,
      ],
    });
    await assert.rejects(client.post(api + newPath(), { body }), RepeatNotSignedError);
    assert.equal(lab.received.length, 1);
  });

  it('keeps its Idempotency-Key there', async () => {
    lab.respond = () => (lab.received.length === 1 ? { status: 401, body: 'log in' } : undefined);
    const client: KyInstance = kyClient(signer({ idempotencyKeys: true }), {
      afterResponse: [
        ({ request, options, response }) =>
          response.status === 401 ? client(request, options as Options) : response,
      ],
    });
    await client.post(api + newPath(), { body });
    const keys = lab.received.map((one) => headerOf(one, 'idempotency-key'));
    assert.equal(keys.length, 2);
    assert.equal(keys[1], keys[0]);
  });

  it('is recognized as a repeat when got hooks replace the context', async () => {
    const replace = (options: { context: Record<string, unknown> }): void => {
      options.context = { trace: 1 };
    };
    for (const hooks of [
      { beforeRequest: [replace] },
      { beforeRetry: [({ options }: { options: { context: Record<string, unknown> } }) => replace(options)] },
    ]) {
      lab.received.length = 0;
      lab.hop.losses = 1;
      await assert.rejects(gotClient(signer(), hooks).post(api + newPath(), { body }), RepeatNotSignedError);
      assert.equal(lab.received.length, 1);
      lab.hop.losses = 1;
      const headers = { 'Idempotency-Key': 'invoice 8' };
      await gotClient(signer(), hooks).post(api + newPath(), { body, headers });
      assert.equal(lab.received.length, 3);
    }
  });

  it('is recognized as a repeat when axios gets a deep copy, or a deep proxy, of the configuration', async () => {
    for (const copyOf of [deepCopy, deepProxy]) {
      lab.received.length = 0;
      lab.hop.losses = 1;
      const client = axiosInstance(signer());
      const failed = await client
        .post(newPath(), body)
        .catch((error: unknown) => (error as AxiosError).config!);
      await assert.rejects(client(copyOf(failed)), RepeatNotSignedError);
      assert.equal(lab.received.length, 1);
    }
  });

  it('is over with its success: axios makes another one of the same configuration', async () => {
    const client = axiosInstance(signer({ idempotencyKeys: true }));
    const { config } = await client.post(newPath(), body);
    await client.request({ ...config, data: 'another payment' });
    await client.request(config);
    const keys = lab.received.map((one) => headerOf(one, 'idempotency-key'));
    assert.equal(new Set(keys).size, 3);
  });

  it('gives its Idempotency-Key to no other payment', async () => {
    const client = axiosInstance(signer({ idempotencyKeys: true }));
    lab.hop.losses = 1;
    const failed = await client
      .post(newPath(), body)
      .catch((error: unknown) => (error as AxiosError).config!);
    await assert.rejects(client.request({ ...failed, data: 'another payment' }), RepeatNotSignedError);
    assert.equal(lab.received.length, 1);
  });
});

describe('undici with responseError between retry and the signer', () => {
  it('makes one payment of a call', async () => {
    for (const answer of ['lost', 'refused'] as const) {
      lab.received.length = 0;
      if (answer === 'lost') lab.hop.losses = 1;
      else lab.respond = () => ({ status: 503, body: 'the API' });
      const outcome = await outcomeOf(
        undiciClient(interceptors.responseError())(signer())({ path: newPath() }),
      );
      assert.ok(outcome instanceof Error);
      assert.equal(lab.received.length, 1);
    }
  });
});

describe('undici with an interceptor that repeats by a timer', () => {
  it('makes one payment of a call if its handlers can be seen', async () => {
    const dispatcher = lab.dispatcher.compose(signingInterceptor(signer(), api));
    const layerOf = (handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler =>
      Object.assign(Object.create(handler) as Dispatcher.DispatchHandler, { handler });
    const path = newPath();
    const repeated = (
      around: (end: Dispatcher.DispatchHandler) => Dispatcher.DispatchHandler,
    ): Promise<void> =>
      new Promise((resolve, reject) => {
        ended = resolve;
        failed = reject;
        dispatcher.dispatch({ origin: api, path, method: 'POST', body }, around(kept));
      });
    let ended: () => void;
    let failed: (error: Error) => void;
    const kept = layerOf({
      onRequestStart: () => undefined,
      onResponseStart: () => undefined,
      onResponseData: () => undefined,
      onResponseEnd: () => ended(),
      onResponseError: (_controller, error) => failed(error),
    });
    await repeated(layerOf);
    await assert.rejects(repeated(layerOf), RepeatNotSignedError);
    assert.equal(lab.received.length, 1);
  });
});

describe('calls of undici that are no repeats', () => {
  const dispatcherOf = (options: TestOptions = {}): Dispatcher =>
    lab.dispatcher.compose(signingInterceptor(signer(options), api));

  it('have a Call each when they share a handler', async () => {
    const dispatcher = dispatcherOf({ idempotencyKeys: true });
    const path = newPath();
    for (let payments = 1; payments <= 3; payments++) await shared(dispatcher, path, `payment ${payments}`);
    assert.equal(new Set(lab.received.map((one) => headerOf(one, 'idempotency-key'))).size, 3);
  });

  it('may be made where the answer to another arrives', async () => {
    const dispatcher = dispatcherOf();
    const send = async (path: string, text: string): Promise<Dispatcher.ResponseData> =>
      undiciRequest(api + path, { method: 'POST', body: text, dispatcher });
    const path = newPath();
    const first = await send(path, 'payment 1');
    const next = new Promise<Dispatcher.ResponseData>((resolve, reject) => {
      first.body.once('end', () => void send(path, 'payment 2').then(resolve, reject));
    });
    await first.body.dump();
    assert.equal((await next).statusCode, 200);
    await (await next).body.dump();
    const again = await send(path, 'payment 2');
    assert.equal(again.statusCode, 200);
    await again.body.dump();
    assert.equal(lab.received.length, 3);
  });

  const ends: (() => void)[] = [];
  const failures: ((error: Error) => void)[] = [];
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: () => undefined,
    onResponseStart: () => undefined,
    onResponseData: () => undefined,
    onResponseEnd: () => ends.pop()!(),
    onResponseError: (_controller, error) => failures.pop()!(error),
  };
  const shared = (dispatcher: Dispatcher, path: string, text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      ends.push(resolve);
      failures.push(reject);
      dispatcher.dispatch({ origin: api, path, method: 'POST', body: text }, handler);
    });
});

describe('a fetch below the signer that repeats', () => {
  it('sends the same signature, and the refusal says that the first may have been accepted', async () => {
    const repeating = signingFetch(signer(), {
      fetch: (url, init) => sendToLab(url, init).catch(() => sendToLab(url, init)),
    });
    lab.hop.losses = 1;
    await assert.rejects(repeating(`${api}${newPath()}`, { method: 'POST', body }), (error) => {
      assert.ok(error instanceof RefusedError, String(error));
      assert.equal(error.code, 'signature_replayed');
      assert.match(error.message, /may have been accepted: look up its outcome/);
      return true;
    });
    assert.deepEqual(
      lab.received.map(({ verdict }) => verdict),
      ['accepted', 'signature_replayed'],
    );
  });
});

describe('ky whose hooks were replaced', () => {
  it('says so instead of sending', async () => {
    const client = ky.create({ ...signingKy(signer()), hooks: {}, dispatcher: lab.dispatcher } as object);
    await assert.rejects(client.post(api + newPath(), { body }), {
      code: 'request_invalid',
      message: /hooks of signingKy were replaced.*extend/,
    });
    assert.deepEqual(lab.received, []);
  });
});

describe('a redirect of a POST', () => {
  it('is no repeat', async () => {
    for (const adapter of adapters) {
      const [from, to] = [newPath(), newPath()];
      lab.received.length = 0;
      lab.respond = ({ url }) =>
        url.endsWith(from) ? { status: 307, headers: { Location: api + to } } : undefined;
      await adapter
        .open(
          signerFor(adapter),
          lab,
        )({ method: 'POST', url: api + from, body })
        .catch(() => undefined);
      for (const { verdict } of lab.received) assert.equal(verdict, 'accepted', adapter.name);
      const follows = adapter.name !== 'node:http' && adapter.name !== 'undici';
      assert.equal(lab.received.length, follows ? 2 : 1, adapter.name);
    }
  });
});
