import type { CandidateKey, ExplainOptions, Explanation } from '@countersign/signature/explain';
import { explainRequest } from '@countersign/signature/node';
import type { Field } from '../terminal/layout.ts';
import { concludeWithoutKey } from './conclude.ts';
import type { RequestToExplain } from './request-to-explain.ts';
import type { Explained } from './show-explanation.ts';

/** What a request is explained with. */
export interface ExplainSettings {
  readonly targetUri: string;
  readonly candidates: readonly CandidateKey[];
  readonly nowSeconds: number;
  /** Where the time comes from, in words. */
  readonly clockSource: string;
  /** What the caller says it built, as the file holds it. */
  readonly claimedBase: string | undefined;
  readonly options: Partial<ExplainOptions>;
}

/** Somebody waits for one answer: ten times what a service spends. */
const searchLimits = { budgetMs: 2000, hypothesesMax: 1_000_000 };

/** Explains a request with the keys that are given, on this machine. Without keys it tells what can be seen. */
export function explainGiven(request: RequestToExplain, settings: ExplainSettings): Explained {
  const { targetUri, candidates, nowSeconds, clockSource, claimedBase } = settings;
  const { method, headers, body, source } = request;
  const explainWith = (base: string | undefined): Explanation =>
    explainRequest({ method, targetUri, headers, body }, candidates, {
      ...settings.options,
      ...searchLimits,
      nowSeconds,
      ...(base !== undefined && { claimedBase: base }),
    });
  const hasKey = candidates.length > 0;
  const { explanation, advice } = explainClaim(claimedBase, hasKey, explainWith);
  const conclusion = hasKey ? explanation : concludeWithoutKey(explanation, request);
  const bodyText = body === undefined ? 'not known' : body.length === 0 ? 'none' : `${body.length} bytes`;
  const clock = new Date(nowSeconds * 1000).toISOString().replace('.000Z', 'Z');
  return {
    conclusion,
    hasKey,
    about: [
      ['request', `${method} ${targetUri}`],
      ['body', bodyText],
      ...candidates.map(({ fingerprint, clientId }): Field => [
        'key',
        `${fingerprint} for ${clientId || 'any client'}`,
      ]),
      ['clock', `${clock} (${clockSource})`],
    ],
    request: {
      source,
      method,
      targetUri,
      bodyBytes: body?.length,
      clock,
      keys: candidates.map(({ fingerprint, clientId }) => ({ fingerprint, clientId })),
    },
    advice: [
      ...advice,
      ...(conclusion.isComplete ? [] : ['The search ended at its limit: there may be more to find.']),
    ],
  };
}

/**
 * Editors end a file with a newline, and a base that is signed with one is a mistake. So it is taken off, unless it was
 * signed: only then the explanation without it says that something else was.
 */
function explainClaim(
  claimedBase: string | undefined,
  hasKey: boolean,
  explainWith: (base: string | undefined) => Explanation,
): { readonly explanation: Explanation; readonly advice: readonly string[] } {
  if (claimedBase === undefined || !claimedBase.endsWith('\n'))
    return { explanation: explainWith(claimedBase), advice: [] };
  const isClaimed = ({ findings }: Explanation): boolean =>
    !findings.some(({ code }) => code === 'base_claimed_not_signed');
  const without = explainWith(claimedBase.replace(/\r?\n$/, ''));
  if (!hasKey) {
    const note =
      'The newline at the end of the --base file is taken for that of an editor. If it was signed, it is a mistake: nothing comes after the last line.';
    return { explanation: without, advice: [note] };
  }
  const whole = isClaimed(without) ? undefined : explainWith(claimedBase);
  return { explanation: whole && isClaimed(whole) ? whole : without, advice: [] };
}
