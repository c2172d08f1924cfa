import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import axios, { type AxiosInstance, type InternalAxiosRequestConfig } from 'axios';
import got, { type Got } from 'got';
import ky from 'ky';
import { interceptors, request as undiciRequest } from 'undici';
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
import { type Answer, headerOf, type Lab, openLab, problemAnswer } from './lab.ts';

/* What HTTP clients repeat by themselves: never two payments of one call. Answers are lost after the service has acted. */

const api = 'https://api.example.test';

let lab: Lab;
before(async () => {
  lab = await openLab();
});
after(() => lab.close());
beforeEach(() => {
  lab.received.length = 0;
  lab.respond = () => undefined;
  lab.hop.losses = 0;
});

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

/** What axios-retry 4 does: a repeat with the configuration in the error. Its `retryCondition` decides. */
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

/** Its default: whatever has no answer, and 429 and 5xx of idempotent methods. */
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
    const client = axios.create({
      baseURL: api,
      adapter: signingAdapter(axios, signer, { adapters: [adapter] }),
      httpsAgent: lab.httpsAgent,
      proxy: false,
      fetchOptions: { dispatcher: lab.dispatcher } as Record<string, unknown>,
    });
    repeatWithConfig(client, retryCondition);
    return async ({ path, method = 'POST', headers = {} }) =>
      (await client.request({ url: path, method, headers, data: body })).status;
  };
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

const retriedMethods = ['post', 'patch', 'put'] as const;

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
      const client: Got = got.extend(
        {
          agent: { https: lab.httpsAgent as never },
          retry: { methods: ['POST', 'PATCH', 'PUT'], limit: 2, backoffLimit: 1 },
        },
        signingGot(signer),
      );
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
      const retry = { methods: [...retriedMethods], limit: 2, delay: () => 1, retryOnTimeout: true };
      const client = ky
        .create({ ...signingKy(signer), retry, dispatcher: lab.dispatcher } as object)
        .extend({ hooks: { beforeRetry: [() => undefined] } });
      return async ({ path, method = 'POST', headers = {} }) =>
        (await client(api + path, { method, headers, body })).status;
    },
  },
  { name: 'undici with retry', open: undiciClient() },
  {
    name: 'undici with retry around redirect',
    open: undiciClient(interceptors.redirect({ maxRedirections: 2 })),
  },
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

    // By default, axios-retry leaves a POST with an answer alone.
    if (name !== 'axios as axios-retry does by default') {
      it('repeats after 503 and 429 of the service, which prove that nothing happened', async () => {
        for (const code of ['guard_unavailable', 'rate_limited'] as const) {
          lab.received.length = 0;
          lab.respond = () => (lab.received.length < 3 ? problemAnswer(code) : undefined);
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

describe('a fetch below the signer that repeats', () => {
  it('sends the same signature, and the refusal says that the first may have been accepted', async () => {
    const send = (url: string, init: RequestInit): Promise<Response> =>
      fetch(url, { ...init, dispatcher: lab.dispatcher } as RequestInit);
    const repeating = signingFetch(signer(), {
      fetch: (url, init) => send(url, init).catch(() => send(url, init)),
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
