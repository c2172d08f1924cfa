import { signatureAlgorithm } from '@countersign/signature/node';
import { createHash, sign } from 'node:crypto';
import { baseUrl, keyPair } from '../service/running-service.ts';

/**
 * A request as the specification builds it, written by hand and without our signer, so that a test can break
 * every part of it. The signed text follows the parts; a fault deviates from the service's requirements.
 */
export interface Draft {
  method: string;
  /** The request target, as sent. */
  target: string;
  host: string;
  /** The URL that is signed, where it is not the target below the base URL. */
  targetUri?: string;
  body: string;
  /** The body that is sent instead of the signed one. */
  bodySent?: string;
  isChunked: boolean;
  keyid: string;
  privateKey: string;
  /** Unix seconds. */
  created: number;
  date: string | undefined;
  contentDigest: string | undefined;
  components: string[];
  alg: string;
  /** Text after the parameters, `;tag="x"`. */
  moreParameters: string;
  /** Changes the two fields after signing; undefined leaves the field out. */
  signatureInputSent: (value: string) => string | undefined;
  signatureSent: (value: string) => string | undefined;
  /** Header lines besides those that the draft itself needs. */
  headers: Record<string, string>;
}

/** Seconds of the clock that drafts and the services under test share; it stands still. */
export const nowSeconds: number = Math.floor(Date.now() / 1000);
/** That clock, for the service. */
export const nowMs = (): number => nowSeconds * 1000 + 500;

let drafts = 0;

/** A good `POST /v1/payments`; no two are equal. */
export function paymentDraft(keyid: string, changes: Partial<Draft> = {}): Draft {
  const body =
    changes.body ?? JSON.stringify({ amount: 100, currency: 'EUR', reference: `order-${++drafts}` });
  const more = { method: 'POST', target: '/v1/payments', body, contentDigest: digestOf(body) };
  const draft = bodylessDraft(keyid, {
    headers: { 'Content-Type': 'application/json' },
    ...more,
    ...changes,
  });
  return { ...draft, components: changes.components ?? ['@method', '@target-uri', 'content-digest', 'date'] };
}

/** A good `GET /v1/whoami`; each is from another second, so that none is a replay of an earlier one. */
export function bodylessDraft(keyid: string, changes: Partial<Draft> = {}): Draft {
  const created = nowSeconds - (++drafts % 250);
  return {
    method: 'GET',
    target: '/v1/whoami',
    host: new URL(baseUrl).host,
    body: '',
    isChunked: false,
    keyid,
    privateKey: keyPair.privateKey,
    created,
    date: dateOf(created),
    contentDigest: undefined,
    components: ['@method', '@target-uri', 'date'],
    alg: signatureAlgorithm,
    moreParameters: '',
    signatureInputSent: (value) => value,
    signatureSent: (value) => value,
    headers: {},
    ...changes,
  };
}

/** The Content-Digest field of a body (RFC 9530 section 2). */
export function digestOf(body: string): string {
  return `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
}

/** The IMF-fixdate of a second. */
export function dateOf(seconds: number): string {
  return new Date(seconds * 1000).toUTCString();
}

/** Signs the draft. The head ends with its empty line. */
export function requestOf(draft: Draft): { readonly head: string; readonly body: string } {
  const { method, target, host, keyid, components, created, alg, date, contentDigest } = draft;
  const list = `(${components.map((name) => `"${name}"`).join(' ')})`;
  const parameters = `${list};created=${created};keyid="${keyid}";alg="${alg}"${draft.moreParameters}`;
  const values: Record<string, string | undefined> = {
    '@method': method,
    '@target-uri': draft.targetUri ?? baseUrl + target,
    '@authority': host,
    'content-digest': contentDigest,
    date,
  };
  const lines = components.map((name) => `"${name}": ${values[name] ?? ''}\n`).join('');
  const signature = sign(
    'sha256',
    Buffer.from(`${lines}"@signature-params": ${parameters}`, 'latin1'),
    draft.privateKey,
  );
  const body = draft.bodySent ?? draft.body;
  const headers: Record<string, string | undefined> = {
    Host: host,
    Date: date,
    'Content-Digest': contentDigest,
    'Signature-Input': draft.signatureInputSent(`sig=${parameters}`),
    Signature: draft.signatureSent(`sig=:${signature.toString('base64')}:`),
    'Content-Length': draft.isChunked || body === '' ? undefined : String(body.length),
    'Transfer-Encoding': draft.isChunked ? 'chunked' : undefined,
    ...draft.headers,
  };
  const headerLines = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}: ${value}\r\n`,
  );
  const chunk = body === '' ? '' : `${body.length.toString(16)}\r\n${body}\r\n`;
  return {
    head: `${method} ${target} HTTP/1.1\r\n${headerLines.join('')}\r\n`,
    body: draft.isChunked ? `${chunk}0\r\n\r\n` : body,
  };
}
