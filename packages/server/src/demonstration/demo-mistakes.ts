import { signatureAlgorithm, type Signer, type SigningTime } from '@countersign/signature/node';
import type { DemoMistake } from './demo-clients.ts';

/** A request as the service received it, including its mistake. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request before it is signed. */
export interface UnsignedRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string;
  /** Unix seconds. */
  readonly nowSeconds: number;
}

interface Mistake {
  /** Changes the request before it is signed. */
  readonly before?: (request: UnsignedRequest) => UnsignedRequest;
  readonly time?: (nowSeconds: number) => SigningTime;
  /** Changes the signed request on its way to the service. */
  readonly after?: (request: SentRequest) => SentRequest;
}

const needsBody = (request: UnsignedRequest): UnsignedRequest =>
  request.body === ''
    ? {
        ...request,
        method: 'POST',
        url: request.url.replace(/\/v1\/.*$/, '/v1/payments'),
        body: payment(request.nowSeconds),
      }
    : request;

/** Mistakes that change the request. The others are mistakes in the client's registration, or in its timing. */
const mistakes: Readonly<Partial<Record<DemoMistake, Mistake>>> = {
  'body reformatted': {
    before: needsBody,
    after: (sent) => ({ ...sent, body: JSON.stringify(JSON.parse(sent.body), undefined, 2) }),
  },
  'newline added': { before: needsBody, after: (sent) => ({ ...sent, body: `${sent.body}\n` }) },
  'query encoded': {
    before: (request) => ({
      ...request,
      method: 'GET',
      body: '',
      url: request.url.replace(/\/v1\/.*$/, `/v1/payments?reference=invoice/${request.nowSeconds % 9000}`),
    }),
    after: (sent) => ({ ...sent, url: sent.url.replace('invoice/', 'invoice%2F') }),
  },
  'other host': {
    before: (request) => ({
      ...request,
      url: request.url.replace(/^(https?:\/\/)[^/]+/, '$1staging.example'),
    }),
  },
  'clock behind': { time: (nowSeconds) => ({ created: nowSeconds - 4000 - (nowSeconds % 60) }) },
  'clock ahead': { time: (nowSeconds) => ({ created: nowSeconds + 3600 + (nowSeconds % 60) }) },
  'date rewritten': {
    after: (sent) => ({
      ...sent,
      headers: {
        ...sent.headers,
        Date: new Date(Date.parse(sent.headers['Date'] ?? '') + 90_000).toUTCString(),
      },
    }),
  },
  'digest not signed': {
    before: needsBody,
    after: (sent) => changeInput(sent, ' "content-digest"', ''),
  },
  'other algorithm': { after: (sent) => changeInput(sent, signatureAlgorithm, 'hs2019') },
  'no permission': { before: needsBody },
  // An equal read may be sent twice.
  'sent twice': { before: needsBody },
};

/** Signs a request and makes a mistake. */
export function sendWithMistake(
  signer: Signer,
  unsigned: UnsignedRequest,
  mistake: DemoMistake,
): SentRequest {
  const { before, time, after } = mistakes[mistake] ?? {};
  const request = before?.(unsigned) ?? unsigned;
  const { method, url, body, nowSeconds } = request;
  const signed = signer.sign(
    { method, url, ...(body !== '' && { body }) },
    time?.(nowSeconds) ?? { created: nowSeconds },
  );
  const { pathname, search } = new URL(url);
  // The request goes to the service's own address, whatever the client signed.
  const called = unsigned.url.replace(/^(https?:\/\/[^/]+).*$/, '$1') + pathname + search;
  const sent = {
    method,
    url: called,
    headers: { ...signed.headers, ...(body !== '' && { 'Content-Type': 'application/json' }) },
    body,
  };
  return after?.(sent) ?? sent;
}

/** The body of a payment. */
export function payment(number: number): string {
  return JSON.stringify({ amount: 500 + (number % 90_000), currency: 'EUR', reference: `invoice-${number}` });
}

function changeInput(sent: SentRequest, from: string, to: string): SentRequest {
  const input = sent.headers['Signature-Input'] ?? '';
  return { ...sent, headers: { ...sent.headers, 'Signature-Input': input.replace(from, to) } };
}
