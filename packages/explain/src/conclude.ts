import { formatContentDigest } from '@countersign/signature';
import type { CheckResult, Explanation, Finding, HashFunction, ReceivedRequest } from './explanation.ts';

/** What is known after explaining. Without a key a request can be refused, but not found valid. */
export interface Conclusion extends Omit<Explanation, 'verdict'> {
  readonly verdict: 'valid' | 'refused' | 'undecided';
}

/** What only a key can tell is not said without one. */
const needsKey: ReadonlySet<string> = new Set<Finding['code']>([
  'keyid_unknown',
  'key_unknown',
  'base_unrecognised',
]);

/**
 * An explanation that was made without a key, without what it cannot know: the check of the signature is not reached, and
 * that of the body, which comes after it, is made all the same.
 */
export function concludeWithoutKey(
  explanation: Explanation,
  request: ReceivedRequest,
  sha256: HashFunction,
): Conclusion {
  const signature = explanation.checks.find(({ name }) => name === 'signature');
  const isStopped = signature?.state === 'failed';
  const checks = explanation.checks.map((check): CheckResult => {
    if (check.name === 'signature' && isStopped)
      return { name: 'signature', state: 'not-reached', facts: { reason: 'no key was given' } };
    return check.name === 'body' && isStopped ? bodyCheck(request, sha256) : check;
  });
  const findings = explanation.findings.filter(({ code }) => !needsKey.has(code));
  const isRefused = checks.some(({ state }) => state === 'failed');
  return { ...explanation, checks, findings, verdict: isRefused ? 'refused' : 'undecided' };
}

function bodyCheck({ body, headers }: ReceivedRequest, sha256: HashFunction): CheckResult {
  const [, received] = headers.find(([name]) => name.toLowerCase() === 'content-digest') ?? [];
  if (body === undefined)
    return { name: 'body', state: 'not-reached', facts: { reason: 'the body is not known' } };
  if (received === undefined) return { name: 'body', state: 'passed', facts: {} };
  const expected = formatContentDigest(sha256(body));
  return expected === received.trim()
    ? { name: 'body', state: 'passed', facts: { contentDigest: received } }
    : {
        name: 'body',
        state: 'failed',
        facts: {
          code: 'digest_mismatch',
          reason: `the digest is not that of the ${body.length} bytes of the body`,
          expected,
          received,
        },
      };
}
