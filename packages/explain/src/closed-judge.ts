import { formatContentDigest } from '@countersign/signature';
import { checkRequest } from './checks.ts';
import { baseToSign } from './diagnosis/base-to-sign.ts';
import { bodyFindings } from './diagnosis/body-findings.ts';
import { fieldRefusals } from './diagnosis/field-refusals.ts';
import { visibleFindings } from './diagnosis/visible-findings.ts';
import type { CheckResult, ExplainOptions, RequestToExplain } from './explanation.ts';
import type { Judge } from './judge.ts';
import { readUsable } from './keys/candidates.ts';
import { readMeantRequest } from './reading/meant-request.ts';

/** Judges by the service's own profile. */
export const closedJudge: Judge = {
  keys: (_request, candidates) => candidates,
  check(request, candidates, options) {
    return checkRequest(request, (keyid) => readUsable(candidates, keyid), options);
  },
  checkBody,
  read: readMeantRequest,
  visible: visibleFindings,
  ofBody: bodyFindings,
  otherRefusals: fieldRefusals,
  toSign: (...given) => ({ base: baseToSign(...given) }),
};

function checkBody({ body, headers }: RequestToExplain, { sha256 }: ExplainOptions): CheckResult {
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
