import {
  formatContentDigest,
  profileTimeWindow,
  type Refusal,
  type RefusalCode,
} from '@countersign/signature';
import {
  checks as profileChecks,
  checksOf,
  Examination,
  type Means,
  readSignatureHeaders,
} from '@countersign/signature/profile';
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

/** The checks that a request alone can be held against, by their numbers, with the codes that their failures have. */
const checkTable: readonly { readonly name: CheckName; readonly codes: readonly RefusalCode[] }[] = (
  [
    'framing',
    'presence',
    'syntax',
    'parameters',
    'algorithm',
    'components',
    'time',
    'signature',
    'body',
  ] as const
).map((name) => ({
  name,
  codes: profileChecks.flatMap((check) => (check.name === name ? check.codes : [])),
}));

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
  /** What the checks have read; undefined when they did not get as far as the signature. */
  readonly presented: Examination | undefined;
  readonly base: string | undefined;
  readonly isSignatureValid: boolean;
}

/** Walks the verifier's list. A wrong time does not end it: the signature has a base all the same. */
function run(
  request: ReceivedRequest,
  keysOf: (keyid: string) => readonly ReadKey[],
  options: ExplainOptions,
): Outcome {
  const { body } = request;
  const examination = new Examination<readonly ReadKey[]>(
    {
      method: request.method,
      targetUri: request.targetUri,
      headers: readSignatureHeaders(request.headers),
      hasBody: body && body.length > 0,
      nowSeconds: options.nowSeconds,
    },
    { window: options.window ?? profileTimeWindow, nonce: options.nonce ?? 'off' },
  );
  const list = checksOf('target', 'head', ...(body === undefined ? [] : (['body'] as const)));
  examination.body = body ?? noBytes;
  const means: Means<readonly ReadKey[]> = {
    findClient: (keyid) => {
      const keys = keysOf(keyid);
      return keys.length === 0 ? undefined : keys;
    },
    findVerifyingKey: (keys, base, signature) =>
      keys?.findIndex((key) => verifies(key, base, signature, options)) ?? -1,
    acceptsWithoutDate: () => options.acceptWithoutDate ?? false,
    contentDigest: (bytes) => formatContentDigest(options.sha256(bytes)),
    useSignature: () => undefined,
  };
  let refusal: Refusal | undefined;
  for (const check of list) {
    // The means answer at once, and so does the check.
    const found = check.run(examination, means) as Refusal | undefined;
    refusal ??= found;
    if (found !== undefined && !isUntimely(found)) break;
  }
  const isTimely = refusal === undefined || !isUntimely(refusal);
  const { base, client } = examination;
  return {
    refusal,
    presented: isTimely && base !== undefined ? examination : undefined,
    base,
    isSignatureValid: isTimely && client !== undefined,
  };
}

function isUntimely({ code }: Refusal): boolean {
  return code === 'created_expired' || code === 'created_in_future' || code === 'date_mismatch';
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

/** The form of a covered Content-Digest is checked before the signature, though it belongs to the body's check. */
function wasReached(name: CheckName, refusal: Refusal | undefined): boolean {
  const isEarlyDigest = refusal?.code === 'digest_missing' || refusal?.code === 'digest_malformed';
  return !(isEarlyDigest && name === 'signature');
}

function factsOf(
  name: CheckName,
  presented: Examination | undefined,
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

const noBytes = new Uint8Array(0);
