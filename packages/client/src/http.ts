/**
 * Signs the requests of `node:http` and `node:https`.
 *
 * @module
 */
import { type IncomingMessage, request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { isThrown, mayBeRefusal, problemBytesMax, readRefusal } from './refusals/read-refusal.ts';
import type { RefusedError } from './refusals/refused-error.ts';
import { bufferBody } from './signing/body-bytes.ts';
import { type AnswerHead, Call } from './signing/call.ts';
import type { RequestSigner } from './signing/request-signer.ts';
import { ownHeaderNames } from './signing/own-headers.ts';
import { targetUrl } from './signing/target-url.ts';

/** The body, and the options of `http.request` except those that the URL contains. */
export interface SignedRequestOptions extends Omit<
  RequestOptions,
  'auth' | 'headers' | 'host' | 'hostname' | 'path' | 'port' | 'protocol' | 'setHost'
> {
  readonly headers?: Readonly<Record<string, string | number | readonly string[] | undefined>> | undefined;
  /** Text, bytes or a stream, which is buffered. */
  readonly body?: unknown;
}

/** A response of node:http; after reading a problem document, a stream with the same head. */
export type SignedResponse = Readable &
  Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'statusCode' | 'statusMessage'>;

/**
 * Creates a function that signs a request, sends it with node:http or node:https, and resolves to the
 * response. Like those, it follows no redirect.
 *
 * @example
 * const request = signingRequest(signer);
 * const response = await request('https://api.example.com/v1/payments', { method: 'POST', body: '{}', agent });
 */
export function signingRequest(
  signer: RequestSigner,
): (url: string | URL, options?: SignedRequestOptions) => Promise<SignedResponse> {
  return async (url, { body, headers, ...options } = {}) => {
    const target = targetUrl(url);
    const { bytes } = await bufferBody(body, signer.bodyBytesMax);
    const call = new Call(signer);
    for (;;) {
      const attempt = await call.sign({
        method: options.method ?? 'GET',
        url: target.href,
        body: bytes,
        header: (name) => headerOf(headers, name),
        signal: options.signal,
        waitMsMax: options.timeout || undefined,
      });
      const all = { ...callersOf(headers, signer), ...lengthOf(bytes), ...attempt.headers };
      const message = await exchange(target, { ...options, method: attempt.method, headers: all }, bytes);
      const { head, response, refusal } = await readAnswer(message, signer.problemTypeBase);
      if (call.repeatsAfter(head, refusal)) continue;
      if (refusal === undefined || !isThrown(refusal, signer.throwsRefusals)) return response;
      throw refusal;
    }
  };
}

interface Answer {
  readonly head: AnswerHead;
  readonly response: SignedResponse;
  readonly refusal: RefusedError | undefined;
}

function headerOf(headers: SignedRequestOptions['headers'] = {}, name: string): string | undefined {
  const [, value] = Object.entries(headers).find(([one]) => one.toLowerCase() === name) ?? [];
  if (value === undefined) return undefined;
  return Array.isArray(value) ? value.join(', ') : String(value);
}

function callersOf(
  headers: SignedRequestOptions['headers'] = {},
  signer: RequestSigner,
): Record<string, string | string[]> {
  const own = ownHeaderNames(signer);
  const kept = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && !own.includes(name.toLowerCase()),
  );
  return Object.fromEntries(
    kept.map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : String(value)]),
  );
}

/** node:http does not announce the body of a GET, DELETE or OPTIONS by itself, but still sends it. */
function lengthOf(body: Uint8Array | undefined): Record<string, string> {
  return body === undefined ? {} : { 'Content-Length': String(body.length) };
}

function exchange(url: URL, options: RequestOptions, body: Uint8Array | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, resolve);
    request.on('error', reject);
    request.end(body);
  });
}

/** Reads a possible rejection, and puts everything else back. */
async function readAnswer(message: IncomingMessage, problemTypeBase: string | undefined): Promise<Answer> {
  const { headers, rawHeaders, statusCode, statusMessage } = message;
  const head: AnswerHead = {
    status: statusCode ?? 0,
    contentType: headers['content-type'],
    retryAfter: headers['retry-after'],
    location: headers.location,
  };
  if (!mayBeRefusal(head)) return { head, response: message, refusal: undefined };
  const chunks: Buffer[] = [];
  let length = 0;
  const source = message.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  for await (const chunk of source) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > problemBytesMax) break;
  }
  const read = Readable.from(restored(chunks, message), { objectMode: false });
  const response = Object.assign(read, { headers, rawHeaders, statusCode, statusMessage });
  return { head, response, refusal: readRefusal(head, Buffer.concat(chunks), problemTypeBase) };
}

async function* restored(chunks: readonly Buffer[], rest: IncomingMessage): AsyncGenerator<Buffer> {
  yield* chunks;
  if (!rest.readableEnded) yield* rest as AsyncIterable<Buffer>;
}
