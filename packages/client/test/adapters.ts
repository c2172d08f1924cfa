import { Readable } from 'node:stream';
import { createAsyncSigner, MemoryUsedSeconds } from '@countersign/signature/node';
import axios from 'axios';
import got from 'got';
import ky from 'ky';
import { request } from 'undici';
import { signingAdapter } from '../src/axios.ts';
import { signingGot } from '../src/got.ts';
import { signingRequest } from '../src/http.ts';
import * as web from '../src/index.ts';
import { signingKy } from '../src/ky.ts';
import * as node from '../src/node.ts';
import { buildRequestSigner } from '../src/signing/request-signer.ts';
import { signingInterceptor } from '../src/undici.ts';
import type { Lab } from './lab.ts';
import { clientId, privateKeyPem } from './keys.ts';

export interface TestRequest {
  readonly method?: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
  /** Sends the body as the client's kind of stream, without its length. */
  readonly isStream?: boolean | undefined;
  /** When the client gives up. */
  readonly timeoutMs?: number | undefined;
}

export interface TestResponse {
  readonly status: number;
  readonly text: string;
}

/** Sends a request through an HTTP client as its users would, to the lab. */
export type Send = (request: TestRequest) => Promise<TestResponse>;

export interface AdapterUnderTest {
  readonly name: string;
  /** What the client itself does with a password in a URL, before its adapter sees it. */
  readonly passwords?: 'removed' | 'refused';
  /** Makes a signer of the kind that the client is used with: for Node unless set. */
  readonly createSigner?: (key: ClientKey, options?: TestOptions) => node.RequestSigner;
  readonly open: (signer: node.RequestSigner, connections: Connections) => Send;
}

export interface ClientKey {
  readonly clientId: string;
  /** PEM. */
  readonly privateKey: string;
}

/** The connections that the clients use. In a lab, all connections end there. */
export type Connections = Pick<Lab, 'dispatcher' | 'httpAgent' | 'httpsAgent'>;

/** Every HTTP client, with its adapter. */
export const adapters: readonly AdapterUnderTest[] = [
  { name: 'fetch', open: (signer, lab) => throughFetch(node.signingFetch(signer), lab) },
  {
    name: 'fetch with Web Crypto',
    createSigner: (key, options) => web.createRequestSigner({ ...key, ...options }),
    open: (signer, lab) => throughFetch(web.signingFetch(signer), lab),
  },
  { name: 'undici', passwords: 'removed', open: throughUndici },
  { name: 'axios', open: (signer, lab) => throughAxios(signer, lab, 'http') },
  { name: 'axios with its fetch adapter', open: (signer, lab) => throughAxios(signer, lab, 'fetch') },
  { name: 'got', open: throughGot },
  { name: 'ky', passwords: 'refused', open: throughKy },
  { name: 'node:http', open: throughHttp },
];

export type TestOptions = Partial<web.SharedOptions & { readonly clientId: string }>;

/** A signer of the lab's client. */
export function signerOnNode(options: TestOptions = {}): node.RequestSigner {
  return node.createRequestSigner({ clientId, privateKey: privateKeyPem, ...options });
}

/** The same for an adapter. */
export function signerFor({ createSigner }: AdapterUnderTest, options: TestOptions = {}): node.RequestSigner {
  return createSigner?.({ clientId, privateKey: privateKeyPem }, options) ?? signerOnNode(options);
}

/** A signer that shares its memory with no other, so that vectors can be signed again. */
export function signerWithOwnMemory(keyid: string, key: string, nowMs: number): node.RequestSigner {
  return signerRemembering(new MemoryUsedSeconds(), { clientId: keyid, key, now: () => nowMs });
}

/** A signer of the lab's client that knows no time but the test's. */
export function signerWithClock(now: () => number): node.RequestSigner {
  return signerRemembering(new MemoryUsedSeconds(now), { clientId, key: privateKeyPem, now });
}

function signerRemembering(
  usedSeconds: MemoryUsedSeconds,
  { key, ...options }: { readonly clientId: string; readonly key: string; readonly now: () => number },
): node.RequestSigner {
  return buildRequestSigner(options, {
    usedSeconds,
    ready: () => Promise.resolve(),
    profileKey: () => Promise.reject(new Error('No profile signs here.')),
    createSigner: (settings) => createAsyncSigner({ ...settings, privateKey: key }),
  });
}

export function throughFetch(fetch: node.SigningFetch, lab: Connections): Send {
  return async (sent) => {
    const { method, url, headers } = sent;
    const body = sent.isStream ? { body: webStream(sent), duplex: 'half' } : { body: sent.body };
    const init = { method, headers, ...body, ...signalOf(sent), dispatcher: lab.dispatcher };
    const response = await fetch(url, init as RequestInit);
    return { status: response.status, text: await response.text() };
  };
}

function throughUndici(signer: node.RequestSigner, lab: Connections): Send {
  return async (sent) => {
    const { method = 'GET', url, headers = null } = sent;
    const { origin } = new URL(url);
    const dispatcher = lab.dispatcher.compose(signingInterceptor(signer, origin));
    const body = bodyOf(sent) ?? null;
    const response = await request(url, { method, headers, body, ...signalOf(sent), dispatcher });
    return { status: response.statusCode, text: await response.body.text() };
  };
}

function throughAxios(signer: node.RequestSigner, lab: Connections, adapter: 'http' | 'fetch'): Send {
  const client = axios.create({
    adapter: signingAdapter(axios, signer, { adapters: [adapter] }),
    httpAgent: lab.httpAgent,
    httpsAgent: lab.httpsAgent,
    proxy: false,
    responseType: 'text',
    transformResponse: [],
    // Anything not listed here is sent unchanged.
    fetchOptions: { dispatcher: lab.dispatcher } as Record<string, unknown>,
  });
  return async (sent) => {
    const { method = 'GET', url, headers = {}, timeoutMs = 0 } = sent;
    try {
      const bytes = bodyOf(sent);
      const data = bytes instanceof Uint8Array ? Buffer.from(bytes) : bytes;
      const config = { method, url, headers, data, timeout: timeoutMs };
      const response = await client.request<string>(config);
      return { status: response.status, text: response.data };
    } catch (error) {
      throw withTestResponse(error, axios.isAxiosError<string>(error) ? error.response : undefined);
    }
  };
}

function throughGot(signer: node.RequestSigner, lab: Connections): Send {
  const client = got.extend(
    { agent: { http: lab.httpAgent, https: lab.httpsAgent as never }, retry: { limit: 0 } },
    signingGot(signer),
  );
  return async (sent) => {
    const { method = 'GET', url, headers = {}, timeoutMs } = sent;
    try {
      const body = bodyOf(sent);
      const options = {
        method: method as 'GET',
        headers,
        allowGetBody: true,
        ...(body !== undefined && { body }),
        ...(timeoutMs !== undefined && { timeout: { request: timeoutMs } }),
      };
      const response = await client(url, options);
      return { status: response.statusCode, text: response.body };
    } catch (error) {
      const { response } = error as { response?: { statusCode: number; body: string } };
      throw withTestResponse(error, response && { status: response.statusCode, data: response.body });
    }
  };
}

function throughKy(signer: node.RequestSigner, lab: Connections): Send {
  const client = ky.create({ ...signingKy(signer), retry: 0 });
  return async (sent) => {
    const { method, url, headers, timeoutMs: timeout } = sent;
    try {
      const body = sent.isStream ? { body: webStream(sent), duplex: 'half' } : { body: sent.body };
      const options = { method, headers, ...body, ...(timeout !== undefined && { timeout }) };
      const response = await client(url, { ...options, dispatcher: lab.dispatcher } as object);
      return { status: response.status, text: await response.text() };
    } catch (error) {
      const { response, data } = error as { response?: Response; data?: unknown };
      const text = typeof data === 'string' ? data : data === undefined ? '' : JSON.stringify(data);
      throw withTestResponse(error, response && { status: response.status, data: text });
    }
  };
}

function throughHttp(signer: node.RequestSigner, lab: Connections): Send {
  const send = signingRequest(signer);
  return async (sent) => {
    const { method, url, headers } = sent;
    const agent = url.startsWith('https') ? lab.httpsAgent : lab.httpAgent;
    const response = await send(url, { method, headers, body: bodyOf(sent), ...signalOf(sent), agent });
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() };
  };
}

function signalOf({ timeoutMs }: TestRequest): { readonly signal?: AbortSignal } {
  return timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) };
}

function bodyOf({ body, isStream }: TestRequest): string | Uint8Array<ArrayBuffer> | Readable | undefined {
  return isStream ? Readable.from(inPieces(body)) : body;
}

function webStream({ body }: TestRequest): unknown {
  return Readable.toWeb(Readable.from(inPieces(body)));
}

async function* inPieces(body: TestRequest['body']): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(body ?? '');
  const half = Math.ceil(bytes.length / 2);
  yield bytes.subarray(0, half);
  yield bytes.subarray(half);
}

/** Some clients throw errors of their own for a status; the test looks at the response in it. */
function withTestResponse(
  error: unknown,
  response: { readonly status: number; readonly data: string } | undefined,
): unknown {
  if (response === undefined) return error;
  return Object.assign(error as Error, { testResponse: { status: response.status, text: response.data } });
}
