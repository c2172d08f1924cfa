import { encodeBase64, type Refusal, type RefusalCode } from '@countersign/signature';
import type {
  DefinedProfile,
  ExaminedHead,
  ExaminedSignature,
  HeadCheck,
  MessageRefusal,
  MessageRefusalCode,
} from '@countersign/signature/messages/request';
import { isEqual, latin1Bytes } from '../byte-text.ts';
import { type CheckedRequest, hashesOf } from '../checks.ts';
import type {
  CandidateKey,
  CheckResult,
  ExplainedCheckName,
  ExplainOptions,
  RequestToExplain,
} from '../explanation.ts';
import { readUsable } from '../keys/candidates.ts';
import { algorithmsOf, type SigningKey, verifies } from '../keys/signing-key.ts';
import { digestOf } from './digest-of.ts';
import { examineRequest } from './examine-request.ts';
import { beyondProfile } from './beyond-profile.ts';
import { keyidOf } from './read-by-profile.ts';

/** The check of the list that each of a profile's checks is. */
const listed: Readonly<Record<HeadCheck, ExplainedCheckName>> = {
  message: 'framing',
  presence: 'presence',
  selection: 'syntax',
  parameters: 'parameters',
  algorithm: 'algorithm',
  components: 'components',
  time: 'time',
};

const names: readonly ExplainedCheckName[] = [...Object.values(listed), 'signature', 'body'];

/** A check that failed. */
interface Failure {
  readonly name: ExplainedCheckName;
  readonly code: MessageRefusalCode | RefusalCode;
  readonly reason: string;
  readonly expected?: string;
  readonly received?: string;
}

/** Runs the checks of a profile as a service does, with keys in place of a client. */
export function checkBy(
  defined: DefinedProfile,
  request: RequestToExplain,
  candidates: readonly CandidateKey[],
  options: ExplainOptions,
): CheckedRequest {
  const head = examineRequest(defined, request, options);
  const { signature } = head;
  const ofHead = headFailures(head, options);
  const keys = signature ? usableKeys(signature, candidates) : [];
  const isSigned = signature !== undefined && isSignedBy(keys, signature, options);
  const failures: Failure[] = [...ofHead];
  if (signature?.base !== undefined && !isSigned) {
    const ofAlgorithm = algorithmFailure(defined, signature, candidates, options);
    failures.push(
      ofAlgorithm ?? {
        name: 'signature',
        code: 'signature_invalid',
        reason:
          keys.length === 0
            ? 'no client and no key has this keyid'
            : 'the signature does not match any working key of this client',
      },
    );
  }
  const ofBody = signature && bodyFailure(signature, request, options);
  if (ofBody) failures.push(ofBody);
  const beyond = failures.length === 0 && signature ? beyondProfile(signature, request, options) : undefined;
  if (beyond) failures.push({ name: 'components', code: options.refusedWith!, reason: beyond.reason });
  const first = failures.toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name))[0];
  return {
    checks: names.map((name) => resultOf(name, failures, first, head, request)),
    refusal: first && refusalOf(first),
    base: signature?.base,
    isSignatureValid: isSigned,
  };
}

/** Runs the check of the body alone. */
export function checkBodyBy(
  defined: DefinedProfile,
  request: RequestToExplain,
  options: ExplainOptions,
): CheckResult {
  const head = examineRequest(defined, request, options);
  const failure = head.signature && bodyFailure(head.signature, request, options);
  return resultOf('body', failure ? [failure] : [], failure, head, request);
}

function headFailures({ failures, signature }: ExaminedHead, options: ExplainOptions): readonly Failure[] {
  const found = failures.map(({ check, refusal: { code, reason } }) => ({
    name: listed[check],
    code,
    reason,
  }));
  const has = (name: ExplainedCheckName): boolean => found.some((one) => one.name === name);
  // A service finds the client by keyid, and its replay guard needs to know when a signature was made.
  if (signature && options.refusedWith !== undefined && !has('parameters')) {
    const missing = (['keyid', 'created'] as const).filter(
      (name) => signature.parameters[name] === undefined,
    );
    if (missing.length > 0)
      found.push({
        name: 'parameters',
        code: 'parameters_invalid',
        reason: `the parameter "${missing[0]!}" is missing`,
      });
  }
  const ofWindow = signature && !has('time') ? windowFailure(signature, options) : undefined;
  return ofWindow ? [...found, ofWindow] : found;
}

/** A service's own window applies too. */
function windowFailure(
  { parameters: { created } }: ExaminedSignature,
  { window, nowSeconds }: ExplainOptions,
): Failure | undefined {
  if (created === undefined || window === undefined) return undefined;
  const age = nowSeconds - created;
  if (age > window.maxAgeSeconds)
    return {
      name: 'time',
      code: 'created_expired',
      reason: `created is ${age} s old; the limit is ${window.maxAgeSeconds} s`,
    };
  if (-age > window.maxFutureSeconds)
    return {
      name: 'time',
      code: 'created_in_future',
      reason: `created is ${-age} s ahead; the limit is ${window.maxFutureSeconds} s`,
    };
  return undefined;
}

/** Returns the client's keys that may have made the signature, if it announces their algorithm. */
function usableKeys(
  { parameters: { alg, keyid } }: ExaminedSignature,
  candidates: readonly CandidateKey[],
): readonly SigningKey[] {
  const own = readUsable(candidates, keyidOf(keyid, candidates));
  return alg === undefined ? own : own.filter((key) => algorithmsOf(key).includes(alg));
}

function isSignedBy(
  keys: readonly SigningKey[],
  { base, bytes, parameters: { alg } }: ExaminedSignature,
  options: ExplainOptions,
): boolean {
  if (base === undefined) return false;
  const text = latin1Bytes(base);
  const hashes = hashesOf(options);
  return keys.some((key) => {
    const rsaUses =
      alg === undefined ? key.rsaUses : key.rsaUses.filter(({ algorithm }) => algorithm === alg);
    return verifies({ ...key, rsaUses }, text, bytes, hashes);
  });
}

/** The client has a key that signed, but its profile does not sign with it. */
function algorithmFailure(
  { profile }: DefinedProfile,
  signature: ExaminedSignature,
  candidates: readonly CandidateKey[],
  options: ExplainOptions,
): Failure | undefined {
  const own = readUsable(candidates, keyidOf(signature.parameters.keyid, candidates));
  const strangers = own.filter(
    (key) => !algorithmsOf(key).some((name) => profile.algorithms.some((one) => one === name)),
  );
  if (strangers.length === 0 || !isSignedBy(strangers, signature, options)) return undefined;
  const [name = ''] = algorithmsOf(strangers[0]!);
  return {
    name: 'algorithm',
    code: 'algorithm_not_allowed',
    reason: `the profile of this client does not sign with ${name}`,
  };
}

function bodyFailure(
  { digests }: ExaminedSignature,
  { body }: RequestToExplain,
  options: ExplainOptions,
): Failure | undefined {
  if ('ok' in digests) return { name: 'body', ...codeAndReason(digests) };
  if (body === undefined) return undefined;
  for (const { algorithm, digest } of digests) {
    const expected = digestOf(algorithm, body, options);
    if (expected === undefined || isEqual(expected, digest)) continue;
    return {
      name: 'body',
      code: 'digest_mismatch',
      reason: `Content-Digest is not the ${algorithm} of the ${body.length} bytes received`,
      expected: `${algorithm}=:${encodeBase64(expected)}:`,
      received: `${algorithm}=:${encodeBase64(digest)}:`,
    };
  }
  return undefined;
}

function codeAndReason({ code, reason }: MessageRefusal): Pick<Failure, 'code' | 'reason'> {
  return { code, reason };
}

function resultOf(
  name: ExplainedCheckName,
  failures: readonly Failure[],
  first: Failure | undefined,
  { signature, failures: ofHead }: ExaminedHead,
  { body }: RequestToExplain,
): CheckResult {
  const failure = failures.find((one) => one.name === name);
  if (failure) {
    const { code, reason, expected, received } = failure;
    return {
      name,
      state: 'failed',
      facts: {
        code,
        reason,
        ...(expected !== undefined && { expected }),
        ...(received !== undefined && { received }),
      },
    };
  }
  const isReached =
    signature !== undefined || first === undefined || names.indexOf(name) < names.indexOf(first.name);
  if (!isReached) return { name, state: 'not-reached', facts: {} };
  if (name === 'signature' && signature?.base === undefined)
    return { name, state: 'not-reached', facts: { reason: 'it needs every covered component' } };
  if (name === 'time' && ofHead.some(({ check }) => check === 'parameters'))
    return { name, state: 'not-reached', facts: {} };
  if (
    name === 'body' &&
    body === undefined &&
    signature &&
    !('ok' in signature.digests) &&
    signature.digests.length > 0
  )
    return { name, state: 'not-reached', facts: { reason: 'the body is not known' } };
  return { name, state: 'passed', facts: signature ? factsOf(name, signature, ofHead.length === 0) : {} };
}

function factsOf(
  name: ExplainedCheckName,
  signature: ExaminedSignature,
  isInOrder: boolean,
): CheckResult['facts'] {
  const { parameters, covered, bytes, digests } = signature;
  if (name === 'syntax') return { label: signature.label };
  if (!isInOrder) return {};
  switch (name) {
    case 'parameters':
      return {
        ...(parameters.keyid !== undefined && { keyid: parameters.keyid }),
        ...(parameters.created !== undefined && { created: parameters.created }),
      };
    case 'components':
      return { components: `(${(covered ?? []).map(({ identifier }) => identifier.text).join(' ')})` };
    case 'signature':
      return { signatureBytes: bytes.length };
    case 'body': {
      const [digest] = 'ok' in digests ? [] : digests;
      return digest ? { contentDigest: `${digest.algorithm}=:${encodeBase64(digest.digest)}:` } : {};
    }
    default:
      return {};
  }
}

function refusalOf({ code, reason, expected, received }: Failure): Refusal {
  return {
    ok: false,
    code: code === 'message_malformed' ? 'request_malformed' : code,
    reason,
    ...(expected !== undefined && { expected }),
    ...(received !== undefined && { received }),
  };
}
