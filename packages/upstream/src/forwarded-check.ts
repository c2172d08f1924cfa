import { hash, verify } from 'node:crypto';
import {
  checkNumber,
  checkObject,
  checkOptionalBoolean,
  checkOptionalFunction,
  forwarded,
  forwardedProfiled,
  wrongType,
} from '@countersign/signature/profile';
import { formatContentDigest, signatureBase } from '@countersign/signature/rfc9421';
import { calledUrls, readAudience } from './audience.ts';
import { findUnsignedHeader, findUnsoundHeader, type Identity, readIdentity } from './identity-headers.ts';
import type { FindKey } from './key-directory.ts';
import type { JwkSet, VerifyingKey } from './key-set.ts';
import { keysOf } from './key-source.ts';
import {
  announcesBody,
  type ForwardedRequest,
  readRequest,
  type ReceivedRequest,
} from './received-request.ts';
import { type Refusal, refuse } from './refusal.ts';
import { type ServiceSignature, signatureReader } from './service-signature.ts';
import { UsedRequestIds } from './used-request-ids.ts';

export interface ForwardedCheckOptions {
  /**
   * The base URLs at which clients call this API, the same as the gateway's `apiBaseUrls`. A signature for
   * another API behind the same gateway is rejected.
   */
  readonly audience: readonly string[];
  /** The address of the keys: `/.well-known/http-message-signatures-directory` of the service. */
  readonly directoryUrl?: string;
  /** The keys, instead of `directoryUrl`. They change every day. */
  readonly keys?: JwkSet;
  /** The age at which a signature is rejected, even if the gateway gave it more time. Default 60. */
  readonly maxAgeSeconds?: number;
  /** The maximum lead of the gateway's clock over this one. Default 10. */
  readonly maxFutureSeconds?: number;
  /** Accepts each request once. Every process has its own memory, which is lost on restart. */
  readonly once?: boolean;
  /** DANGEROUS: an attacker on the network path to the directory can replace its keys. */
  readonly allowDirectoryWithoutTls?: boolean;
  readonly fetch?: typeof fetch;
  /** The wall clock, in milliseconds. */
  readonly nowMs?: () => number;
}

/** A request that came through the gateway, or the reason to reject it. */
export type ForwardedResult =
  | (Identity & {
      readonly ok: true;
      /** The URL that the client called. Trust this, not `Host`. */
      readonly targetUri: string;
    })
  | Refusal;

/**
 * Checks one request. Never rejects because of the request's content; rejects with a TypeError if `nowMs`
 * does not return the time.
 */
export type ForwardedCheck = (request: ForwardedRequest) => Promise<ForwardedResult>;

/**
 * Creates the check of an API behind a gateway that signs what it forwards. Create it once. Respond to a
 * rejected request with 401, or with 503 for `keys_unavailable` and `memory_full`; never treat it as an
 * anonymous request.
 *
 * Not checked: headers that the gateway does not sign, such as `Content-Type` and `X-Forwarded-For`; and,
 * without `once`, that the request is not a repetition within its minute.
 *
 * @throws TypeError if the options are invalid
 * @example
 * const check = createForwardedCheck({
 *   directoryUrl: 'https://auth.example.com/.well-known/http-message-signatures-directory',
 *   audience: ['https://api.example.com'],
 * });
 * const { method, url, rawHeaders } = request;
 * const result = await check({ method, url, rawHeaders, body });
 */
export function createForwardedCheck(options: ForwardedCheckOptions): ForwardedCheck {
  checkOptions(options);
  const { time } = forwarded;
  const {
    maxAgeSeconds = time.maxAgeSeconds,
    maxFutureSeconds = time.maxFutureSeconds,
    once = false,
    nowMs = Date.now,
  } = options;
  const means: Means = {
    audience: readAudience(options.audience),
    findKey: keysOf(options, nowMs),
    nowSeconds: () => {
      const now = nowMs();
      checkNumber(now, 'The result of nowMs');
      return Math.floor(now / 1000);
    },
    maxAgeSeconds,
    maxFutureSeconds,
    used: once ? new UsedRequestIds(rememberedMax) : undefined,
  };
  return (request) => check(request, means);
}

const rememberedMax = 100_000;
const readForwardedSignature = signatureReader('gateway', [forwarded, forwardedProfiled]);

function checkOptions(options: ForwardedCheckOptions): void {
  checkObject(options, 'options');
  if (options.directoryUrl !== undefined && typeof options.directoryUrl !== 'string')
    throw wrongType('directoryUrl', options.directoryUrl, 'a string');
  for (const name of ['maxAgeSeconds', 'maxFutureSeconds'] as const) {
    const value = options[name];
    if (value !== undefined && !(Number.isFinite(value) && value >= 0))
      throw wrongType(name, value, 'a number of seconds, 0 or more');
  }
  for (const name of ['once', 'allowDirectoryWithoutTls'] as const) checkOptionalBoolean(options[name], name);
  for (const name of ['fetch', 'nowMs'] as const) checkOptionalFunction(options[name], name);
}

interface Means {
  readonly audience: readonly string[];
  readonly findKey: FindKey;
  readonly nowSeconds: () => number;
  readonly maxAgeSeconds: number;
  readonly maxFutureSeconds: number;
  readonly used: UsedRequestIds | undefined;
}

async function check(request: ForwardedRequest, means: Means): Promise<ForwardedResult> {
  const examined = examine(request, means);
  if ('ok' in examined) return examined;
  const { identity, signature } = examined;
  const key = await means.findKey(signature.keyid);
  if (key === 'unavailable') return refuse('keys_unavailable', 'the directory of keys could not be read');
  if (key === 'unknown' || !(key.endsAtSeconds >= means.nowSeconds()))
    return refuse('key_unknown', `no node of the service uses the key ${JSON.stringify(signature.keyid)}`);
  const targetUri = findSignedUrl(examined, key);
  if (targetUri === undefined)
    return refuse(
      'signature_invalid',
      'the request was changed, or sent to a base URL that is not in audience',
    );
  const endsAtSeconds = Math.min(signature.expires, signature.created + means.maxAgeSeconds);
  const use = means.used?.use(identity.requestId, endsAtSeconds, means.nowSeconds()) ?? 'first';
  if (use === 'repeated') return refuse('repeated', `the request ${identity.requestId} came before`);
  if (use === 'full')
    return refuse('memory_full', `more than ${rememberedMax} requests came within a minute`);
  return { ok: true, ...identity, targetUri };
}

/** A request that has passed everything except the verification of its signature. */
interface Examined {
  readonly received: ReceivedRequest;
  readonly identity: Identity;
  readonly signature: ServiceSignature;
  /** The URLs that the client may have called. */
  readonly calledUrls: readonly string[];
}

/** Does everything that needs no key, and keeps nothing that could change while the check waits for one. */
function examine(request: ForwardedRequest, means: Means): Examined | Refusal {
  const received = readRequest(request);
  if ('ok' in received) return received;
  const unsound = findUnsoundHeader(received);
  if (unsound) return unsound;
  const signature = readForwardedSignature(received);
  if ('ok' in signature) return signature;
  const unsigned = findUnsignedHeader(received, signature.covered);
  if (unsigned) return unsigned;
  const identity = readIdentity(received, signature.covered);
  if ('ok' in identity) return identity;
  const urls = calledUrls(received.url, means.audience);
  if (urls.length === 0)
    return refuse('audience_wrong', `${JSON.stringify(received.url)} is not below a base URL of audience`);
  const refusal = checkTime(signature, means) ?? checkBody(received, signature);
  return refusal ?? { received, identity, signature, calledUrls: urls };
}

function checkTime(
  { created, expires }: ServiceSignature,
  { nowSeconds, maxAgeSeconds, maxFutureSeconds }: Means,
): Refusal | undefined {
  const ageSeconds = nowSeconds() - created;
  if (!(ageSeconds >= -maxFutureSeconds))
    return refuse('created_in_future', `it was signed ${-ageSeconds} s ahead of the clock here`);
  if (!(ageSeconds <= maxAgeSeconds) || !(nowSeconds() <= expires))
    return refuse('expired', `it was signed ${ageSeconds} s ago`);
  return undefined;
}

function checkBody(received: ReceivedRequest, { covered }: ServiceSignature): Refusal | undefined {
  const { body, fields } = received;
  const coversBody = covered.coversContentDigest;
  if (body === undefined && (coversBody || announcesBody(received)))
    return refuse('body_missing', 'give the check the bytes of the body, as they came');
  const hasBody = body !== undefined && body.length > 0;
  if (hasBody !== coversBody)
    return refuse('body_unsigned', hasBody ? 'the body is not signed' : 'the body that is signed is missing');
  if (!hasBody) return undefined;
  const isSame = formatContentDigest(hash('sha256', body, 'buffer')) === fields.get('content-digest')?.[0];
  return isSame ? undefined : refuse('digest_mismatch', 'Content-Digest is not the digest of this body');
}

/** Returns the URL for which the signature verifies; undefined if there is none. */
function findSignedUrl(
  { received, signature, calledUrls: urls }: Examined,
  { keyObject }: VerifyingKey,
): string | undefined {
  const { method, fields } = received;
  return urls.find((targetUri) => {
    const message = { method, targetUri, field: (name: string) => fields.get(name)?.[0] };
    const base = signatureBase(signature.covered.components, message, signature.signatureParams);
    return verify(null, Buffer.from(base, 'latin1'), keyObject, signature.signature);
  });
}
