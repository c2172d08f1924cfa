import { formatContentDigest, profileTimeWindow, type Refusal } from '@countersign/signature';
import {
  type Check,
  checks as profileChecks,
  checksOf,
  Examination,
  type Means,
  profileOf,
  readSignatureHeaders,
} from '@countersign/signature/profile';
import { latin1Bytes } from './byte-text.ts';
import type {
  ExplainedCheckName,
  CheckResult,
  ExplainOptions,
  Hashes,
  RequestToExplain,
} from './explanation.ts';
import { type SigningKey, verifies } from './keys/signing-key.ts';

/** The result of the verifier's own checks. */
export interface CheckedRequest {
  readonly checks: readonly CheckResult[];
  readonly refusal: Refusal | undefined;
  /** The base that the service builds. Undefined if the fields are malformed. */
  readonly base: string | undefined;
  readonly isSignatureValid: boolean;
}

/**
 * Walks the verifier's list, so the verdict is the verifier's. Continues past a signature that is merely too
 * old or too new, because it still has a base.
 */
export function checkRequest(
  request: RequestToExplain,
  keysOf: (keyid: string) => readonly SigningKey[],
  options: ExplainOptions,
): CheckedRequest {
  const { method, targetUri, body } = request;
  const examination = new Examination<readonly SigningKey[]>(
    {
      method,
      targetUri,
      headers: readSignatureHeaders(request.headers),
      hasBody: body && body.length > 0,
      nowSeconds: options.nowSeconds,
    },
    { window: options.window ?? profileTimeWindow, nonce: options.nonce ?? 'off' },
  );
  examination.body = body ?? new Uint8Array();
  const means = meansOf(keysOf, options);
  let refusal: Refusal | undefined;
  const passed = new Set<Check>();
  for (const check of checksOf('target', 'head', ...(body ? (['body'] as const) : []))) {
    // These means are synchronous, so the check is too.
    const found = check.run(examination, means) as Refusal | undefined;
    refusal ??= found;
    if (found && !isUntimely(found)) break;
    if (refusal === undefined) passed.add(check);
  }
  const isTimely = refusal === undefined || !isUntimely(refusal);
  const { base, client } = examination;
  const examined = isTimely && base !== undefined ? examination : undefined;
  return {
    checks: resultsOf(refusal, passed, examined, body !== undefined),
    refusal,
    base,
    isSignatureValid: isTimely && client !== undefined,
  };
}

/** Builds the means of the checks, with keys instead of a client. */
export function meansOf(
  keysOf: (keyid: string) => readonly SigningKey[],
  options: ExplainOptions,
): Means<readonly SigningKey[]> {
  return {
    findClient: (keyid) => {
      const keys = keysOf(keyid);
      return keys.length === 0 ? undefined : keys;
    },
    findVerifyingKey: (keys, { alg, base, signature }) =>
      keys?.findIndex(
        (key) => key.algorithm === alg && verifies(key, latin1Bytes(base), signature, hashesOf(options)),
      ) ?? -1,
    profileOf: () => profileOf(options),
    contentDigest: (bytes) => formatContentDigest(options.sha256(bytes)),
    useSignature: () => undefined,
  };
}

/** Returns all hash functions that an explanation has. */
export function hashesOf({ hashes, sha256 }: ExplainOptions): Hashes & Required<Pick<Hashes, 'sha256'>> {
  return { ...hashes, sha256 };
}

function isUntimely({ code }: Refusal): boolean {
  return code === 'created_expired' || code === 'created_in_future' || code === 'date_mismatch';
}

const explainedNames: readonly ExplainedCheckName[] = [
  'framing',
  'presence',
  'syntax',
  'parameters',
  'algorithm',
  'components',
  'time',
  'signature',
  'body',
];

/**
 * Returns the result of each check by name, in the order of their numbers. Parts of some checks run later
 * than others (profile 2.1), so a check that ran before the failed one may come after it in the list.
 * `examined` holds what the checks read if they got as far as the signature.
 */
function resultsOf(
  refusal: Refusal | undefined,
  passed: ReadonlySet<Check>,
  examined: Examination | undefined,
  isBodyKnown: boolean,
): readonly CheckResult[] {
  const failed = refusal && profileChecks.find(({ codes }) => codes.includes(refusal.code))?.name;
  return explainedNames.map((name): CheckResult => {
    if (refusal && name === failed) return { name, state: 'failed', facts: factsOfRefusal(refusal) };
    const parts = profileChecks.filter((check) => check.name === name);
    const last = refusal && name === 'body' ? parts.at(-1)! : parts[0]!;
    if (name === 'body' && !isBodyKnown && examined?.contentDigest !== undefined)
      return { name, state: 'not-reached', facts: { reason: 'the body is not known' } };
    if (!passed.has(last)) return { name, state: 'not-reached', facts: notReached(name, refusal) };
    return { name, state: 'passed', facts: examined ? factsOf(name, examined) : {} };
  });
}

/** The one check that another check further down prevents. */
function notReached(name: ExplainedCheckName, refusal: Refusal | undefined): CheckResult['facts'] {
  const isOfDigest = refusal?.code === 'digest_missing' || refusal?.code === 'digest_malformed';
  return name === 'signature' && isOfDigest ? { reason: 'it needs a valid Content-Digest first' } : {};
}

function factsOfRefusal({ code, reason, expected, received }: Refusal): CheckResult['facts'] {
  return {
    code,
    reason,
    ...(expected !== undefined && { expected }),
    ...(received !== undefined && { received }),
  };
}

function factsOf(name: ExplainedCheckName, examined: Examination): CheckResult['facts'] {
  switch (name) {
    case 'parameters':
      return { keyid: examined.keyid, created: examined.created };
    case 'components':
      return { components: examined.components.text };
    case 'time':
      return {
        ageSeconds: examined.nowSeconds - examined.created,
        ...(examined.date !== undefined && { date: examined.date }),
      };
    case 'signature':
      return { signatureBytes: examined.signature.length };
    case 'body':
      return examined.contentDigest === undefined ? {} : { contentDigest: examined.contentDigest };
    default:
      return {};
  }
}
