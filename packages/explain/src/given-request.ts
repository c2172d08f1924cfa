import { concludeWithoutKey, type Conclusion } from './conclude.ts';
import { explain } from './explain.ts';
import type { CandidateKey, ExplainOptions, Explanation, ReceivedRequest } from './explanation.ts';

/** What somebody is told who waits for it. */
export interface GivenExplanation {
  readonly conclusion: Conclusion;
  /** Whether the newline at the end of the claimed base was taken off without knowing whether it was signed. */
  readonly isClaimTrimmed: boolean;
}

/** Somebody waits for one answer: ten times what a service spends. */
const searchLimits = { budgetMs: 2000, hypothesesMax: 1_000_000 };

/**
 * Explains a request that somebody has at hand, with the keys that are given. Without keys it tells what can be seen, and
 * the verdict is never `valid`. Never throws for bad input.
 *
 * Editors end a text with a newline, and a base that is signed with one is a mistake. So it is taken off the claimed base,
 * unless it was signed: only then the explanation without it says that something else was.
 */
export function explainGiven(
  request: ReceivedRequest,
  candidates: readonly CandidateKey[],
  { claimedBase, ...options }: ExplainOptions,
): GivenExplanation {
  const explainWith = (base: string | undefined): Explanation =>
    explain(request, candidates, {
      ...searchLimits,
      ...options,
      ...(base !== undefined && { claimedBase: base }),
    });
  if (candidates.length === 0) {
    const explanation = explainWith(claimedBase?.replace(/\r?\n$/, ''));
    const conclusion = concludeWithoutKey(explanation, request, options.sha256);
    return { conclusion, isClaimTrimmed: claimedBase?.endsWith('\n') === true };
  }
  if (claimedBase?.endsWith('\n') !== true)
    return { conclusion: explainWith(claimedBase), isClaimTrimmed: false };
  const without = explainWith(claimedBase.replace(/\r?\n$/, ''));
  const whole = isClaimed(without) ? undefined : explainWith(claimedBase);
  return { conclusion: whole && isClaimed(whole) ? whole : without, isClaimTrimmed: false };
}

function isClaimed({ findings }: Explanation): boolean {
  return !findings.some(({ code }) => code === 'base_claimed_not_signed');
}
