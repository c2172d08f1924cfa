import { closedJudge } from './closed-judge.ts';
import { explain } from './explain.ts';
import type {
  CandidateKey,
  CheckResult,
  ExplainOptions,
  Explanation,
  RequestToExplain,
} from './explanation.ts';
import { findings as table, type FindingTexts } from './findings/findings.ts';

/** An explanation that may lack a key. Without one, a request can be rejected but never found valid. */
export interface Conclusion extends Omit<Explanation, 'verdict'> {
  readonly verdict: 'valid' | 'refused' | 'undecided';
}

/** The explanation for a person who is waiting for it. */
export interface GivenExplanation {
  readonly conclusion: Conclusion;
  /** True if the claimed base lost its final newline without proof of whether that newline was signed. */
  readonly isClaimTrimmed: boolean;
}

/**
 * Ten times the service's budget: a person is waiting for this one explanation. The texts take about a second of an idle
 * processor; the brake leaves a busy one the time to try them all.
 */
const searchLimits = { budgetMs: 10_000, hypothesesMax: 1_000_000 };

/**
 * Explains a request that a person has at hand, with the keys they provide. Without keys it reports what can
 * be seen, and the verdict is never `valid`. Never throws for bad input.
 *
 * Editors end a text with a newline, and signing a base with one is a mistake. So the newline is removed from
 * the claimed base unless it was signed, which is the case if the explanation without it says that another
 * base was signed.
 */
export function explainGiven(
  request: RequestToExplain,
  candidates: readonly CandidateKey[],
  { claimedBase, ...options }: ExplainOptions,
): GivenExplanation {
  const explainWith = (base: string | undefined): Explanation =>
    explain(request, candidates, {
      ...searchLimits,
      ...options,
      ...(base !== undefined && { claimedBase: base }),
    });
  const endsWithNewline = claimedBase?.endsWith('\n') === true;
  const trimmed = claimedBase?.replace(/\r?\n$/, '');
  if (candidates.length === 0) {
    const conclusion = concludeWithoutKey(explainWith(trimmed), request, options);
    return { conclusion, isClaimTrimmed: endsWithNewline };
  }
  const without = explainWith(trimmed);
  if (!endsWithNewline || isClaimed(without)) return { conclusion: without, isClaimTrimmed: false };
  const whole = explainWith(claimedBase);
  return { conclusion: isClaimed(whole) ? whole : without, isClaimTrimmed: false };
}

function isClaimed({ findings }: Explanation): boolean {
  return !findings.some(({ code }) => code === 'base_claimed_not_signed');
}

/**
 * Removes what an explanation cannot know without a key: the signature check is not reached, but the body
 * check still runs.
 */
function concludeWithoutKey(
  explanation: Explanation,
  request: RequestToExplain,
  options: ExplainOptions,
): Conclusion {
  const { checkBody } = options.judge ?? closedJudge;
  const signature = explanation.checks.find(({ name }) => name === 'signature');
  const isStopped = signature?.state === 'failed';
  const checks = explanation.checks.map((check): CheckResult => {
    if (check.name === 'signature' && isStopped)
      return { name: 'signature', state: 'not-reached', facts: { reason: 'no key was given' } };
    return check.name === 'body' && isStopped ? checkBody(request, options) : check;
  });
  const findings = explanation.findings.filter(({ code }) => {
    const { needsKey }: FindingTexts = table[code];
    return needsKey !== true;
  });
  const isRefused = checks.some(({ state }) => state === 'failed');
  return { ...explanation, checks, findings, verdict: isRefused ? 'refused' : 'undecided' };
}
