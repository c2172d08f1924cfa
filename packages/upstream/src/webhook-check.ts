import { hash, verify } from 'node:crypto';
import {
  checkNumber,
  checkObject,
  checkOptionalBoolean,
  checkOptionalFunction,
  signedWebhook,
  wrongType,
} from '@countersign/signature/profile';
import { formatContentDigest, signatureBase } from '@countersign/signature/rfc9421';
import type { FindKey } from './key-directory.ts';
import type { JwkSet } from './key-set.ts';
import { keysOf } from './key-source.ts';
import { type ForwardedRequest, readRequest, type ReceivedRequest } from './received-request.ts';
import { signatureReader } from './service-signature.ts';
import { readSecrets, verifyStandardWebhook } from './standard-webhook.ts';
import { refuseWebhook, type WebhookRefusal } from './webhook-refusal.ts';

export interface WebhookCheckOptions {
  /** The webhook's secret, for Standard Webhooks; several while it is rotated. */
  readonly secret?: string | readonly string[];
  /** Verifies by RFC 9421 instead of with a secret: where the service publishes its keys. */
  readonly directoryUrl?: string;
  /** The keys, instead of `directoryUrl`. They change every day. */
  readonly keys?: JwkSet;
  /** The webhook's URL, as the service has it. With keys only: it is signed by them. */
  readonly url?: string;
  /** The IDs of events that were processed. Add each when you have processed it. */
  readonly seen?: SeenEvents;
  /** How far the clocks may differ, and how old a signature may be. Default 300. */
  readonly toleranceSeconds?: number;
  /** DANGEROUS: an attacker on the network path to the directory can replace its keys. */
  readonly allowDirectoryWithoutTls?: boolean;
  readonly fetch?: typeof fetch;
  /** The wall clock, in milliseconds. */
  readonly nowMs?: () => number;
}

/** Knows which events were processed: a `Set`, or a table of a database. */
export interface SeenEvents {
  readonly has: (eventId: string) => boolean | Promise<boolean>;
}

/** A webhook's request as a server received it. */
export interface ReceivedWebhook extends Pick<ForwardedRequest, 'method' | 'rawHeaders' | 'headers'> {
  /** Every byte of the body, before a parser read it; or the same as text, decoded from UTF-8. */
  readonly body: unknown;
}

/** An event that the service sent. Members may be added. */
export interface ReceivedWebhookEvent {
  /** The same each time that the event is sent. */
  readonly id: string;
  readonly type: string;
  /** When it happened, by RFC 3339. */
  readonly createdAt: string;
  readonly accountId: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An event, or the reason to reject the request. */
export type WebhookResult =
  | {
      readonly ok: true;
      readonly event: ReceivedWebhookEvent;
      /** True if `seen` has its ID: answer with 204, and do nothing. */
      readonly isRepeated: boolean;
    }
  | WebhookRefusal;

/** Checks one request. Rejects only with what `seen` rejects with, or with a TypeError if `nowMs` does not return the time. */
export type WebhookCheck = (request: ReceivedWebhook) => Promise<WebhookResult>;

/**
 * Creates the check of a webhook's receiver, by its secret (Standard Webhooks 1.0.0) or by the service's published keys (RFC 9421).
 * Create it once. Answer a rejected request with 400, or with 503 for `keys_unavailable`: the service tries again.
 *
 * Not checked: the order of events; and, without `seen`, whether an event came before.
 *
 * @throws TypeError if the options are invalid
 * @example
 * const check = createWebhookCheck({ secret: process.env.WEBHOOK_SECRET });
 * const { method, rawHeaders } = request;
 * const result = await check({ method, rawHeaders, body });
 */
export function createWebhookCheck(options: WebhookCheckOptions): WebhookCheck {
  checkOptions(options);
  const { nowMs = Date.now, toleranceSeconds = 300, seen } = options;
  const verifyWith =
    options.secret === undefined ? byKeys(options, nowMs) : bySecret(readSecrets(options.secret));
  return async (request) => {
    const received = read(request);
    if ('ok' in received) return received;
    const { body } = received;
    if (body === undefined)
      return refuseWebhook('body_missing', 'give the check the bytes of the body, as they came');
    const signed = await verifyWith(received, body);
    if ('ok' in signed) return signed;
    const refusal = checkTime(signed, secondsOf(nowMs), toleranceSeconds);
    if (refusal !== undefined) return refusal;
    const { event, reason } = readEvent(received, body);
    if (event === undefined) return refuseWebhook('event_malformed', reason);
    return { ok: true, event, isRepeated: (await seen?.has(event.id)) ?? false };
  };
}

function checkOptions(options: WebhookCheckOptions): void {
  checkObject(options, 'options');
  const { secret, directoryUrl, keys, url, toleranceSeconds, seen } = options;
  if ([secret, directoryUrl, keys].filter((each) => each !== undefined).length !== 1)
    throw new TypeError('Give one of secret, directoryUrl and keys.');
  if (directoryUrl !== undefined && typeof directoryUrl !== 'string')
    throw wrongType('directoryUrl', directoryUrl, 'a string');
  if (secret === undefined && !(typeof url === 'string' && URL.canParse(url)))
    throw wrongType('url', url, "the webhook's URL, as the service has it");
  if (toleranceSeconds !== undefined && !(Number.isFinite(toleranceSeconds) && toleranceSeconds >= 0))
    throw wrongType('toleranceSeconds', toleranceSeconds, 'a number of seconds, 0 or more');
  if (seen !== undefined) {
    checkObject(seen, 'seen');
    if (typeof seen.has !== 'function') throw wrongType('seen.has', seen.has, 'a function');
  }
  checkOptionalBoolean(options.allowDirectoryWithoutTls, 'allowDirectoryWithoutTls');
  for (const name of ['fetch', 'nowMs'] as const) checkOptionalFunction(options[name], name);
}

function secondsOf(nowMs: () => number): number {
  const now = nowMs();
  checkNumber(now, 'The result of nowMs');
  return Math.floor(now / 1000);
}

function read(request: ReceivedWebhook): ReceivedRequest | WebhookRefusal {
  if (typeof request !== 'object' || request === null)
    return refuseWebhook('request_malformed', 'the request is no object');
  const { method = 'POST', rawHeaders, headers } = request;
  if (method !== 'POST') return refuseWebhook('request_malformed', 'the service sends events by POST');
  const body = typeof request.body === 'string' ? Buffer.from(request.body) : request.body;
  const received = readRequest({ method, url: '/', rawHeaders, headers, body });
  if ('ok' in received)
    return refuseWebhook(
      received.code === 'body_missing' ? 'body_missing' : 'request_malformed',
      received.reason,
    );
  const repeated = writtenFields.find((name) => (received.fields.get(name)?.length ?? 0) > 1);
  return repeated === undefined
    ? received
    : refuseWebhook('header_ambiguous', `${repeated} occurs more than once`);
}

const writtenFields = [
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'content-digest',
  'content-type',
];

/** What a valid signature says about time, in Unix seconds. */
interface Signed {
  readonly created: number;
  readonly expires?: number;
}

type Verify = (received: ReceivedRequest, body: Uint8Array) => Promise<Signed | WebhookRefusal>;

function bySecret(secrets: readonly Buffer[]): Verify {
  return async (received, body) => verifyStandardWebhook(received, body, secrets);
}

const readSignature = signatureReader('service', [signedWebhook]);

function byKeys(options: WebhookCheckOptions, nowMs: () => number): Verify {
  const findKey: FindKey = keysOf(options, nowMs);
  const { url: targetUri = '' } = options;
  return async (received, body) => {
    const signed = readSignature(received);
    if ('ok' in signed) return refuseWebhook(signed.code, signed.reason);
    const field = (name: string): string | undefined => received.fields.get(name)?.[0];
    const missing = ['content-digest', 'content-type', 'webhook-id'].find(
      (name) => field(name) === undefined,
    );
    if (missing !== undefined)
      return refuseWebhook('signature_missing', `${missing}, which is signed, is missing`);
    if (field('content-digest') !== formatContentDigest(hash('sha256', body, 'buffer')))
      return refuseWebhook('digest_mismatch', 'Content-Digest is not the digest of this body');
    const key = await findKey(signed.keyid);
    if (key === 'unavailable')
      return refuseWebhook('keys_unavailable', 'the directory of keys could not be read');
    if (key === 'unknown' || !(key.endsAtSeconds >= secondsOf(nowMs)))
      return refuseWebhook(
        'key_unknown',
        `the service does not publish the key ${JSON.stringify(signed.keyid)}`,
      );
    const message = { method: 'POST', targetUri, field };
    const base = signatureBase(signed.covered.components, message, signed.signatureParams);
    return verify(null, Buffer.from(base, 'latin1'), key.keyObject, signed.signature)
      ? { created: signed.created, expires: signed.expires }
      : refuseWebhook('signature_invalid', 'the request was changed, or the webhook has another URL');
  };
}

function checkTime(
  { created, expires = Infinity }: Signed,
  nowSeconds: number,
  toleranceSeconds: number,
): WebhookRefusal | undefined {
  const ageSeconds = nowSeconds - created;
  if (ageSeconds < -toleranceSeconds)
    return refuseWebhook('created_in_future', `it was signed ${-ageSeconds} s ahead of the clock here`);
  if (ageSeconds > toleranceSeconds || nowSeconds > expires)
    return refuseWebhook('expired', `it was signed ${ageSeconds} s ago`);
  return undefined;
}

/** Returns the event, or why there is none. */
function readEvent(
  { fields }: ReceivedRequest,
  body: Uint8Array,
): { readonly event?: ReceivedWebhookEvent; readonly reason: string } {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return { reason: 'the body is not JSON' };
  }
  const event = (typeof value === 'object' && value !== null ? value : {}) as ReceivedWebhookEvent;
  const texts = [event.id, event.type, event.createdAt, event.accountId];
  if (
    !texts.every((text) => typeof text === 'string') ||
    typeof event.data !== 'object' ||
    event.data === null
  )
    return { reason: 'the body is no event' };
  return event.id === fields.get('webhook-id')?.[0]
    ? { event, reason: '' }
    : { reason: 'webhook-id is not the ID of the event' };
}
