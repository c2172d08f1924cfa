import {
  formatContentDigest,
  profileTimeWindow,
  type Refusal,
  type RefusalCode,
} from '@countersign/signature';
import {
  checkBodyDigest,
  checkDateCovered,
  checkTarget,
  type PresentedSignature,
  presentedSignatureBase,
  readPresentedSignature,
  readSignatureHeaders,
  signatureInvalid,
} from '@countersign/signature/steps';
import { isEqual } from './search/digest-search.ts';
import { isProperEncoding, readEncodedMessage } from './rsa/encoded-message.ts';
import type { CheckName, CheckResult, ExplainOptions, ReceivedRequest } from './explanation.ts';
import { recoverEncodedMessage } from './rsa/rsa-public-operation.ts';
import type { ReadKey } from './search/signer-search.ts';

/** What the verifier's own steps say of a request. */
export interface CheckedRequest {
  readonly checks: readonly CheckResult[];
  readonly refusal: Refusal | undefined;
  /** The base that the service builds; undefined when it gets no further than the fields. */
  readonly base: string | undefined;
  readonly isSignatureValid: boolean;
}

/** The checks in the order of PROFILE 2.1, with the codes that their failures have. */
const checkTable: readonly { readonly name: CheckName; readonly codes: readonly RefusalCode[] }[] = [
  { name: 'framing', codes: ['request_malformed'] },
  { name: 'presence', codes: ['signature_missing'] },
  { name: 'syntax', codes: ['signature_malformed'] },
  { name: 'parameters', codes: ['parameters_invalid'] },
  { name: 'algorithm', codes: ['algorithm_not_allowed'] },
  { name: 'components', codes: ['components_invalid'] },
  { name: 'time', codes: ['created_expired', 'created_in_future', 'date_invalid', 'date_mismatch'] },
  { name: 'signature', codes: ['signature_invalid'] },
  { name: 'body', codes: ['digest_missing', 'digest_malformed', 'digest_mismatch'] },
];

/** Makes the checks with the steps of the library, so that the verdict is the verifier's. */
export function checkRequest(
  request: ReceivedRequest,
  keysOf: (keyid: string) => readonly ReadKey[],
  options: ExplainOptions,
): CheckedRequest {
  const outcome = run(request, keysOf, options);
  const { refusal, presented } = outcome;
  const failed = refusal && checkTable.findIndex(({ codes }) => codes.includes(refusal.code));
  const checks = checkTable.map(({ name }, index): CheckResult => {
    if (failed === undefined || index < failed) {
      const isUnknown =
        name === 'body' && request.body === undefined && presented?.contentDigest !== undefined;
      return isUnknown
        ? { name, state: 'not-reached', facts: { reason: 'the body is not known' } }
        : {
            name,
            state: wasReached(name, refusal) ? 'passed' : 'not-reached',
            facts: factsOf(name, presented, options),
          };
    }
    if (index > failed) return { name, state: 'not-reached', facts: {} };
    const { code, reason, expected, received } = refusal!;
    const facts = {
      code,
      reason,
      ...(expected !== undefined && { expected }),
      ...(received !== undefined && { received }),
    };
    return { name, state: 'failed', facts };
  });
  return { checks, refusal, base: outcome.base, isSignatureValid: outcome.isSignatureValid };
}

interface Outcome {
  readonly refusal: Refusal | undefined;
  readonly presented: PresentedSignature | undefined;
  readonly base: string | undefined;
  readonly isSignatureValid: boolean;
}

function run(
  request: ReceivedRequest,
  keysOf: (keyid: string) => readonly ReadKey[],
  options: ExplainOptions,
): Outcome {
  const { method, targetUri, body } = request;
  const nothing = { presented: undefined, base: undefined, isSignatureValid: false };
  const malformed = checkTarget(method, targetUri);
  if (malformed) return { ...nothing, refusal: malformed };

  const headers = readSignatureHeaders(request.headers);
  const hasBody = body && body.length > 0;
  const rules = { window: options.window ?? profileTimeWindow, nonce: options.nonce ?? 'off' } as const;
  const presented = readPresentedSignature(headers, hasBody, rules, options.nowSeconds);
  if (!presented.ok) return { ...nothing, refusal: presented, base: untimelyBase(request, hasBody, options) };

  const base = presentedSignatureBase(presented, method, targetUri);
  const keys = keysOf(presented.keyid);
  const isSignatureValid = keys.some((key) => verifies(key, base, presented.signature, options));
  const refusal = isSignatureValid
    ? (checkDateCovered(presented, options.acceptWithoutDate ?? false) ?? checkBody(presented, body, options))
    : signatureInvalid(keys.length > 0);
  return { refusal, presented, base, isSignatureValid };
}

/** A signature that is only too old or too new has a base all the same. */
function untimelyBase(
  request: ReceivedRequest,
  hasBody: boolean | undefined,
  options: ExplainOptions,
): string | undefined {
  const window = { maxAgeSeconds: Infinity, maxFutureSeconds: Infinity, maxDateDifferenceSeconds: Infinity };
  const rules = { window, nonce: options.nonce ?? 'off' } as const;
  const presented = readPresentedSignature(
    readSignatureHeaders(request.headers),
    hasBody,
    rules,
    options.nowSeconds,
  );
  return presented.ok ? presentedSignatureBase(presented, request.method, request.targetUri) : undefined;
}

/** RSASSA-PKCS1-v1_5-VERIFY (RFC 8017 section 8.2.2), by the encoded message that the signature gives back. */
function verifies(key: ReadKey, base: string, signature: Uint8Array, { sha256 }: ExplainOptions): boolean {
  const encoded = recoverEncodedMessage(signature, key);
  const message = encoded && readEncodedMessage(encoded, key.modulusBits, { sha256 });
  return message !== undefined && isProperEncoding(message) && isEqual(message.payload, sha256(latin1(base)));
}

function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function checkBody(
  presented: PresentedSignature,
  body: Uint8Array | undefined,
  { sha256 }: ExplainOptions,
): Refusal | undefined {
  if (body === undefined) return undefined;
  return checkBodyDigest(
    presented,
    body.length,
    body.length > 0 ? formatContentDigest(sha256(body)) : undefined,
  );
}

/** The form of a covered Content-Digest is checked before the signature, though it belongs to the body's check. */
function wasReached(name: CheckName, refusal: Refusal | undefined): boolean {
  const isEarlyDigest = refusal?.code === 'digest_missing' || refusal?.code === 'digest_malformed';
  return !(isEarlyDigest && name === 'signature');
}

function factsOf(
  name: CheckName,
  presented: PresentedSignature | undefined,
  { nowSeconds }: ExplainOptions,
): Readonly<Record<string, string | number>> {
  if (!presented) return {};
  switch (name) {
    case 'parameters':
      return { keyid: presented.keyid, created: presented.created };
    case 'components':
      return { components: presented.components.text };
    case 'time':
      return {
        ageSeconds: nowSeconds - presented.created,
        ...(presented.date !== undefined && { date: presented.date }),
      };
    case 'signature':
      return { signatureBytes: presented.signature.length };
    case 'body':
      return presented.contentDigest === undefined ? {} : { contentDigest: presented.contentDigest };
    default:
      return {};
  }
}
