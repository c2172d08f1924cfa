import assert from 'node:assert/strict';
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, beforeEach, describe, it } from 'node:test';
import axios from 'axios';
import got, { type Got } from 'got';
import ky from 'ky';
import { fetch as undiciFetch, interceptors, request } from 'undici';
import { signingAdapter } from '../src/axios.ts';
import { signingGot } from '../src/got.ts';
import { signingRequest } from '../src/http.ts';
import * as web from '../src/index.ts';
import { signingKy } from '../src/ky.ts';
import { RefusedError, type RequestSigner, signingFetch, SigningError } from '../src/node.ts';
import { signingInterceptor } from '../src/undici.ts';
import { signerOnNode } from './adapters.ts';
import { clientId, privateKeyPem } from './keys.ts';
import { headerOf, type Lab, openLab, problemAnswer } from './lab.ts';

/* The peculiarities of each HTTP client: its ways to pass a body or a query, its retries, its redirects. */

const api = 'https://api.example.test';

let lab: Lab;
let signer: RequestSigner;
before(async () => {
  lab = await openLab();
  signer = signerOnNode();
});
after(() => lab.close());
beforeEach(() => lab.reset());

const arrived = (): string[][] =>
  lab.received.map(({ method, url, verdict, body }) => [
    method,
    url.slice(api.length),
    verdict,
    String(body),
  ]);
const signatures = (): Set<string | undefined> =>
  new Set(lab.received.map((one) => headerOf(one, 'signature')));
/** Responds to the first requests with 503 and to the rest like a service. */
const failFirst = (count: number): void => {
  lab.respond = () => (lab.received.length <= count ? problemAnswer('guard_unavailable') : undefined);
};
/** Sends one path to another origin. */
const redirectAway = (): void => {
  lab.respond = ({ url }) =>
    url.startsWith(`${api}/away`)
      ? { status: 302, headers: { Location: 'https://elsewhere.example.test/there' } }
      : { status: 200, body: 'there' };
};
const assertUnsignedElsewhere = (): void => {
  assert.deepEqual(
    lab.received.map(({ url }) => url),
    [`${api}/away`, 'https://elsewhere.example.test/there'],
  );
  for (const name of ['signature', 'signature-input', 'content-digest', 'date'])
    assert.equal(headerOf(lab.received[1]!, name), undefined, name);
};

describe('fetch', () => {
  const send = (input: string | URL | Request, init: object = {}): Promise<Response> =>
    signingFetch(signer)(input, { dispatcher: lab.dispatcher, ...init } as RequestInit);

  it('takes every kind of body that fetch takes', async () => {
    const form = new FormData();
    form.set('a', 'ü');
    form.set('file', new Blob(['bytes']), 'file.txt');
    const bodies: readonly (readonly [BodyInit, RegExp, RegExp])[] = [
      ['text ü', /^text\/plain;charset=UTF-8$/, /^text ü$/],
      [
        new URLSearchParams({ a: '1 ü' }),
        /^application\/x-www-form-urlencoded;charset=UTF-8$/,
        /^a=1\+%C3%BC$/,
      ],
      [new Blob(['{}'], { type: 'application/json' }), /^application\/json$/, /^\{\}$/],
      [form, /^multipart\/form-data; ?boundary=/, /name="a"\r\n\r\nü\r\n[^]*bytes/],
      [new TextEncoder().encode('bytes'), /^undefined$/, /^bytes$/],
      [new TextEncoder().encode('buffer').buffer, /^undefined$/, /^buffer$/],
      [new DataView(new TextEncoder().encode('xviewx').buffer, 1, 4), /^undefined$/, /^view$/],
      [new Blob(['stream']).stream(), /^undefined$/, /^stream$/],
      [Readable.from(['node ', 'stream']) as unknown as BodyInit, /^undefined$/, /^node stream$/],
    ];
    for (const [body, type, text] of bodies) {
      lab.received.length = 0;
      await send(`${api}/bodies`, { method: 'POST', body });
      const [one] = lab.received;
      assert.equal(one?.verdict, 'accepted', String(text));
      assert.match(String(headerOf(one, 'content-type')), type);
      assert.match(String(one.body), text);
    }
  });

  it('takes a Request, and lets options change it', async () => {
    const given = new Request(`${api}/request?a#b`, {
      method: 'put',
      body: 'of the request',
      headers: { 'X-A': '1' },
    });
    await send(given);
    await send(new Request(`${api}/request`, { method: 'POST', body: 'x' }), {
      body: 'y',
      headers: { 'X-A': '2' },
    });
    assert.deepEqual(arrived(), [
      ['PUT', '/request?a', 'accepted', 'of the request'],
      ['POST', '/request', 'accepted', 'y'],
    ]);
    assert.deepEqual(
      lab.received.map((one) => headerOf(one, 'x-a')),
      ['1', '2'],
    );
  });

  it('does not send what the caller changes meanwhile', async () => {
    const body = new TextEncoder().encode('as given');
    const sent = send(`${api}/changed`, { method: 'POST', body });
    body.fill(0);
    await sent;
    assert.deepEqual(arrived(), [['POST', '/changed', 'accepted', 'as given']]);
  });

  it('ends a stream that is too long', async () => {
    let ended = false;
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
      cancel: () => void (ended = true),
    });
    const limited = signingFetch(signerOnNode({ bodyBytesMax: 100_000 }));
    await assert.rejects(limited(`${api}/endless`, { method: 'POST', body: endless }), {
      code: 'body_too_large',
      message: /more than 100000 bytes.*raise bodyBytesMax/,
    });
    assert.ok(ended);
  });

  it('is stopped by its signal', async () => {
    const stopped = send(`${api}/stopped`, { signal: AbortSignal.abort(new Error('the caller left')) });
    await assert.rejects(stopped, /the caller left/);
    assert.deepEqual(arrived(), []);
  });

  it('follows redirects as fetch does, each signed, and says when there are too many', async () => {
    const targets: Readonly<Record<string, [number, string]>> = {
      '/303': [303, '/end'],
      '/301': [301, '/end'],
      '/308': [308, '/end#part'],
      '/loop': [302, '/loop'],
    };
    lab.respond = ({ url }) => {
      const [status, location] = targets[url.slice(api.length)] ?? [];
      return status === undefined ? undefined : { status, headers: { Location: location! } };
    };
    for (const path of ['/303', '/301', '/308'])
      await send(api + path, { method: 'POST', body: 'x', headers: { 'Content-Type': 'a/b' } });
    assert.deepEqual(arrived(), [
      ['POST', '/303', 'accepted', 'x'],
      ['GET', '/end', 'accepted', ''],
      ['POST', '/301', 'accepted', 'x'],
      ['GET', '/end', 'accepted', ''],
      ['POST', '/308', 'accepted', 'x'],
      ['POST', '/end', 'accepted', 'x'],
    ]);
    assert.equal(headerOf(lab.received[1]!, 'content-type'), undefined);
    await assert.rejects(
      send(`${api}/loop`),
      /TypeError: The redirect was not followed: there were more than 20/,
    );
    await assert.rejects(send(`${api}/303`, { redirect: 'error' }), TypeError);
    assert.equal((await send(`${api}/303`, { redirect: 'manual' })).status, 303);
    redirectAway();
    const answer = await send(`${api}/away`);
    assert.deepEqual(
      [answer.status, answer.headers.get('Location')],
      [302, 'https://elsewhere.example.test/there'],
    );
    assert.equal(lab.received.filter(({ url }) => url.includes('elsewhere')).length, 0);
  });

  it('returns refusals as responses when it is told to', async () => {
    lab.respond = () => problemAnswer('permission_denied');
    const quiet = signingFetch(signerOnNode({ throwsRefusals: false }));
    const response = await quiet(`${api}/quiet`, { dispatcher: lab.dispatcher } as RequestInit);
    assert.equal(response.status, 403);
    assert.equal(((await response.json()) as { code: string }).code, 'permission_denied');
  });

  it('signs with what was given to the entry for every runtime', async () => {
    const key = await crypto.subtle.importKey(
      'pkcs8',
      Buffer.from(privateKeyPem.replace(/-----.*-----|\s/g, ''), 'base64'),
      { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
      false,
      ['sign'],
    );
    const sign = async (bytes: Uint8Array): Promise<Uint8Array> =>
      new Uint8Array(await crypto.subtle.sign('RSASSA-PKCS1-v1_5', key, bytes as Uint8Array<ArrayBuffer>));
    const source = { keyId: 'test', sign, publicKey: () => Promise.reject(new Error('not asked')) };
    for (const [index, privateKey] of [privateKeyPem, key, sign, source].entries()) {
      const fetch = web.signingFetch({ clientId, privateKey });
      const init = { method: 'POST', body: 'x', dispatcher: lab.dispatcher } as RequestInit;
      const equal = await Promise.all([1, 2, 3].map(() => fetch(`${api}/web/${index}`, init)));
      assert.deepEqual(
        equal.map(({ status }) => status),
        [200, 200, 200],
      );
    }
    const broken = web.createRequestSigner({ clientId, privateKey: 'no key' });
    await assert.rejects(broken.ready(), { code: 'private_key_invalid' });
    const nobody = web.createRequestSigner({ clientId: '', privateKey: key });
    await assert.rejects(nobody.sign({ method: 'GET', url: api }), { code: 'keyid_invalid' });
  });

  it('without Date and with a nonce, for services that are set so', async () => {
    lab.respond = () => ({ status: 204 });
    const odd = signingFetch(signerOnNode({ coverDate: false, nonce: true }));
    await Promise.all(
      Array.from({ length: 40 }, () => odd(`${api}/odd`, { dispatcher: lab.dispatcher } as RequestInit)),
    );
    assert.equal(signatures().size, 40);
    for (const one of lab.received) {
      assert.equal(headerOf(one, 'date'), undefined);
      assert.match(
        headerOf(one, 'signature-input')!,
        /^sig=\("@method" "@target-uri"\);.*;nonce="[0-9a-f-]{36}"$/,
      );
    }
  });
});

describe('undici', () => {
  it('takes headers, bodies and queries in each of its forms', async () => {
    const dispatcher = lab.dispatcher.compose(signingInterceptor(signer, api));
    const folder = mkdtempSync(join(tmpdir(), 'countersign-undici-'));
    try {
      const file = join(folder, 'file');
      writeFileSync(file, 'of a file');
      const options = [
        { headers: ['X-A', '1', 'Date', 'now'], body: createReadStream(file) },
        { headers: new Map([['X-A', '1']]), body: Buffer.from('buffer') },
        { headers: { 'X-A': ['1'], date: 'now' }, query: { b: ['2', 'ü'], a: ' ' } },
      ];
      for (const one of options) await request(`${api}/forms`, { method: 'PUT', dispatcher, ...one });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    assert.deepEqual(arrived(), [
      ['PUT', '/forms', 'accepted', 'of a file'],
      ['PUT', '/forms', 'accepted', 'buffer'],
      ['PUT', '/forms?b=2&b=%C3%BC&a=%20', 'accepted', ''],
    ]);
    for (const one of lab.received) assert.equal(headerOf(one, 'x-a'), '1');
  });

  it('signs each retry anew', async () => {
    failFirst(2);
    const retry = interceptors.retry({ maxRetries: 3, minTimeout: 1, retryAfter: false });
    const dispatcher = lab.dispatcher.compose(signingInterceptor(signer, api), retry);
    const { statusCode } = await request(`${api}/retried`, { method: 'PUT', dispatcher });
    assert.equal(statusCode, 200);
    assert.deepEqual(
      lab.received.map(({ verdict }) => verdict),
      ['accepted', 'accepted', 'accepted'],
    );
    assert.equal(signatures().size, 3);
  });

  it('signs redirects on the origin, and sends none of it elsewhere', async () => {
    const redirect = interceptors.redirect({ maxRedirections: 3 });
    const dispatcher = lab.dispatcher.compose(signingInterceptor(signer, api), redirect);
    redirectAway();
    await request(`${api}/away`, { dispatcher });
    assertUnsignedElsewhere();
    lab.received.length = 0;
    lab.respond = ({ url }) =>
      url.endsWith('/from') ? { status: 302, headers: { Location: '/to' } } : undefined;
    await request(`${api}/from`, { dispatcher });
    assert.deepEqual(arrived(), [
      ['GET', '/from', 'accepted', ''],
      ['GET', '/to', 'accepted', ''],
    ]);
  });

  it('works under its fetch', async () => {
    const dispatcher = lab.dispatcher.compose(signingInterceptor(signer, api));
    const response = await undiciFetch(`${api}/fetch`, { method: 'POST', body: 'text', dispatcher });
    assert.equal(response.status, 200);
    lab.respond = () => problemAnswer('client_disabled');
    const refused: unknown = await undiciFetch(`${api}/fetch`, { dispatcher }).catch(
      (error: unknown) => error,
    );
    assert.ok(refused instanceof Error && refused.cause instanceof RefusedError, String(refused));
  });
});

describe('axios', () => {
  const open = (adapter: 'http' | 'fetch', one: RequestSigner = signer): ReturnType<typeof axios.create> =>
    axios.create({
      baseURL: `${api}/v1/`,
      adapter: signingAdapter(axios, one, { adapters: [adapter] }),
      httpsAgent: lab.httpsAgent,
      proxy: false,
      fetchOptions: { dispatcher: lab.dispatcher } as Record<string, unknown>,
    });

  for (const adapter of ['http', 'fetch'] as const) {
    it(`signs params, JSON, forms and streams as they are sent: ${adapter}`, async () => {
      const client = open(adapter);
      const form = new FormData();
      form.set('a', 'b');
      await client.get('payments', { params: { b: 'x y', a: ['1', '2'], c: 'ü' } });
      await client.post('payments', { amount: 1, reference: 'ü' });
      await client.post('payments', new URLSearchParams({ a: 'b c' }));
      await client.post('payments', form);
      await client.post('payments', Readable.from(['a ', 'stream']), {
        headers: { 'Content-Type': 'text/plain' },
      });
      await client.delete('payments/1');
      assert.deepEqual(
        lab.received.map(({ method, url, verdict }) => [method, url.slice(api.length), verdict]),
        [
          ['GET', '/v1/payments?b=x+y&a%5B%5D=1&a%5B%5D=2&c=%C3%BC', 'accepted'],
          ['POST', '/v1/payments', 'accepted'],
          ['POST', '/v1/payments', 'accepted'],
          ['POST', '/v1/payments', 'accepted'],
          ['POST', '/v1/payments', 'accepted'],
          ['DELETE', '/v1/payments/1', 'accepted'],
        ],
      );
      const [, json, encoded, multipart, stream] = lab.received;
      assert.deepEqual(
        [String(json!.body), headerOf(json!, 'content-type')],
        ['{"amount":1,"reference":"ü"}', 'application/json'],
      );
      assert.equal(String(encoded!.body), 'a=b+c');
      assert.match(headerOf(multipart!, 'content-type')!, /^multipart\/form-data; ?boundary=/);
      assert.equal(String(stream!.body), 'a stream');
    });

    it(`follows redirects on the origin alone, and as many as it is told to: ${adapter}`, async () => {
      lab.respond = ({ url }) =>
        url.endsWith('/from') ? { status: 302, headers: { Location: '/to' } } : undefined;
      const client = open(adapter);
      await client.post('from', { a: 1 });
      const [first, second] = arrived();
      assert.deepEqual([first?.[0], second], ['POST', ['GET', '/to', 'accepted', '']]);
      const stays = await client.get('from', { maxRedirects: 0, validateStatus: null });
      assert.equal(stays.status, 302);
      redirectAway();
      lab.received.length = 0;
      const away = await client.get(`${api}/away`, { validateStatus: null });
      assert.equal(away.status, 302);
      assert.equal(lab.received.length, 1);
    });

    it(`keeps the errors and the parsing of axios for the API's own answers: ${adapter}`, async () => {
      lab.respond = () => ({ status: 404, headers: { 'Content-Type': 'application/json' }, body: '{"a":1}' });
      const error: unknown = await open(adapter)
        .get('missing')
        .catch((one: unknown) => one);
      assert.ok(axios.isAxiosError(error));
      assert.deepEqual(error.response?.data, { a: 1 });
      for (const config of [error.config, error.response?.config])
        assert.deepEqual([config?.url, config?.maxRedirects], ['missing', undefined]);
      lab.respond = () => problemAnswer('network_not_allowed');
      const refused = open(adapter).get('missing', { responseType: 'arraybuffer' });
      await assert.rejects(
        refused,
        (one) => one instanceof RefusedError && one.code === 'network_not_allowed',
      );
    });
  }
});

describe('got', () => {
  const open = (one: RequestSigner = signer): Got =>
    got.extend({ agent: { https: lab.httpsAgent as never }, retry: { backoffLimit: 1 } }, signingGot(one));

  it('signs queries, JSON, forms and streams as they are sent', async () => {
    const client = open();
    const form = new FormData();
    form.set('a', 'b');
    await client(`${api}/got`, { searchParams: { b: 'x y', a: 'ü' } });
    await client.post(`${api}/got`, { json: { amount: 1 } });
    await client.post(`${api}/got`, { form: { a: 'b c' } });
    await client.post(`${api}/got`, { body: form });
    await client.post(`${api}/got`, { body: Readable.from(['a ', 'stream']) });
    assert.deepEqual(
      lab.received.map(({ url, verdict }) => [url.slice(api.length), verdict]),
      [
        ['/got?b=x+y&a=%C3%BC', 'accepted'],
        ['/got', 'accepted'],
        ['/got', 'accepted'],
        ['/got', 'accepted'],
        ['/got', 'accepted'],
      ],
    );
    assert.deepEqual(
      lab.received.map(({ body }) => String(body).length > 0),
      [false, true, true, true, true],
    );
  });

  it('signs each retry anew', async () => {
    failFirst(2);
    const retried = await open()(`${api}/retried`, { method: 'PUT', retry: { limit: 2 } });
    assert.equal(retried.statusCode, 200);
    assert.deepEqual(
      lab.received.map(({ verdict }) => verdict),
      ['accepted', 'accepted', 'accepted'],
    );
    assert.equal(signatures().size, 3);
  });

  it('follows redirects, elsewhere without a signature', async () => {
    redirectAway();
    assert.equal((await open()(`${api}/away`)).body, 'there');
    assertUnsignedElsewhere();
  });

  it('refuses what is piped into a stream, and signs a stream with a body', async () => {
    const piped = open().stream.post(`${api}/piped`);
    piped.end('late');
    await assert.rejects(
      piped.toArray(),
      (error) => error instanceof SigningError && /piped/.test(error.message),
    );
    assert.deepEqual(arrived(), []);
    const stream = open().stream.post(`${api}/stream`, { body: 'early' });
    assert.equal(Buffer.concat(await stream.toArray()).toString(), '{"bytes":5}');
    assert.deepEqual(arrived(), [['POST', '/stream', 'accepted', 'early']]);
  });
});

describe('ky', () => {
  const open = (one: RequestSigner = signer): typeof ky =>
    ky.create({
      ...signingKy(one),
      prefix: api,
      retry: { delay: () => 1 },
      dispatcher: lab.dispatcher,
    } as object);

  it('signs queries, JSON and forms as they are sent', async () => {
    const client = open();
    await client('ky', { searchParams: { b: 'x y', a: 'ü' } });
    await client.post('ky', { json: { amount: 1 } });
    await client.post('ky', { body: new URLSearchParams({ a: 'b' }) });
    assert.deepEqual(arrived(), [
      ['GET', '/ky?b=x+y&a=%C3%BC', 'accepted', ''],
      ['POST', '/ky', 'accepted', '{"amount":1}'],
      ['POST', '/ky', 'accepted', 'a=b'],
    ]);
  });

  it('signs each retry anew', async () => {
    failFirst(2);
    assert.equal((await open().put('retried', { body: 'x' })).status, 200);
    assert.deepEqual(
      arrived().map(([, , verdict, body]) => [verdict, body]),
      [
        ['accepted', 'x'],
        ['accepted', 'x'],
        ['accepted', 'x'],
      ],
    );
    assert.equal(signatures().size, 3);
  });
});

describe('a body over the limit', () => {
  it('is a typed error of ky too, whose retries clone the body', { timeout: 60_000 }, async () => {
    const client = ky.create({ ...signingKy(signer), dispatcher: lab.dispatcher } as object);
    const sent = client.put(`${api}/large`, { body: new Uint8Array(11 * 1024 * 1024), timeout: false });
    await assert.rejects(sent, (error) => {
      assert.ok(error instanceof SigningError, String(error));
      assert.equal(error.code, 'body_too_large');
      return true;
    });
    assert.deepEqual(arrived(), []);
  });
});

describe('node:http', () => {
  it('signs a stream, and gives the response as it comes', async () => {
    lab.respond = () => ({ status: 200, headers: { 'X-B': '2' }, body: 'answer' });
    const response = await signingRequest(signer)(new URL(`${api}/http`), {
      method: 'POST',
      agent: lab.httpsAgent,
      headers: { 'X-A': ['1', '2'], 'X-None': undefined, date: 'now' },
      body: Readable.from(['a ', 'stream']),
    });
    assert.equal(Buffer.concat(await response.toArray()).toString(), 'answer');
    assert.equal(response.headers['x-b'], '2');
    assert.deepEqual(arrived(), [['POST', '/http', 'accepted', 'a stream']]);
  });

  it('is stopped by its signal, and reports a lost connection', async () => {
    const send = signingRequest(signer);
    await assert.rejects(send(`${api}/x`, { agent: lab.httpsAgent, signal: AbortSignal.abort() }), {
      name: 'AbortError',
    });
    await assert.rejects(send('http://127.0.0.1:9/'), { code: 'ECONNREFUSED' });
  });
});
