import type { RequestExplanation } from '@countersign/contract';
import type { Explanation } from '@countersign/explain';

/** An explanation as the API shows it to somebody who may see every key that it was made with. */
export function shownExplanation(explanation: Explanation): RequestExplanation {
  const { verdict, checks, base, findings, isComplete } = explanation;
  return {
    verdict,
    checks,
    ...(base !== undefined && { base }),
    findings,
    isComplete,
    withheldFindings: 0,
  };
}

/** The same for somebody who may not see keys: without what tells of one, its owner, its state or its size. */
export function withoutKeys(explanation: RequestExplanation): RequestExplanation {
  const findings = explanation.findings.filter(({ code }) => !tellsOfKeys(code));
  const withheldFindings = explanation.findings.length - findings.length;
  return { ...explanation, findings, withheldFindings };
}

function tellsOfKeys(code: string): boolean {
  return /^key(?:id)?_/.test(code) || code === 'signature_truncated';
}
