import { type CandidateKey, codesOf, type Explanation, type RequestToExplain } from '@countersign/explain';
import { explainRequest, type ExplainRequestOptions } from '@countersign/explain/node';
import { type MistakeCase, readAccount } from './corpus.ts';

export interface Evaluated {
  readonly one: MistakeCase;
  readonly explanation: Explanation;
  /** Mistakes that no finding names. */
  readonly unnamed: readonly string[];
  /** Codes reported as proven that are not true of the request. */
  readonly untrueProven: readonly string[];
  /** Codes that are not true of the request, whatever their certainty. */
  readonly untrue: readonly string[];
}

export type EvaluationLimits = Pick<ExplainRequestOptions, 'hypothesesMax' | 'budgetMs'>;

/** A service's defaults without time limits: texts are counted, so every machine gets the same result. */
export const usualLimits: EvaluationLimits = { budgetMs: 60_000 };

const account = readAccount();
const candidates: readonly CandidateKey[] = account.keys.map(({ publicKeyPem, name: _name, ...key }) => ({
  ...key,
  spkiPem: publicKeyPem,
}));

/** Everything that a service can pass to the explainer for a case. */
export function inputOf({
  request,
  context,
  claimedBase,
}: MistakeCase): readonly [RequestToExplain, readonly CandidateKey[], ExplainRequestOptions] {
  const { method, targetUri, headers, bodyBase64 } = request;
  const body = Buffer.from(bodyBase64 ?? '', 'base64');
  const options = {
    nowSeconds: context.nowSeconds,
    baseUrls: account.baseUrls,
    internalHosts: account.internalHosts,
    ...(claimedBase !== undefined && { claimedBase }),
    // Only the service knows that a signature was used before.
    ...(context.isRepeated && { refusedWith: 'signature_replayed' as const }),
  };
  return [{ method, targetUri, headers, body }, candidates, options];
}

export function explainCase(one: MistakeCase, limits: EvaluationLimits): Explanation {
  const [request, keys, options] = inputOf(one);
  return explainRequest(request, keys, { ...options, ...limits });
}

/** Compares the findings with the actual mistakes. */
export function evaluate(one: MistakeCase, limits: EvaluationLimits): Evaluated {
  const explanation = explainCase(one, limits);
  const found = new Set<string>(explanation.findings.flatMap(codesOf));
  const others = (code: string): readonly string[] => one.sameAs?.[code] ?? [];
  const isTrue = new Set([...one.mistakes, ...one.mistakes.flatMap(others), ...(one.alsoTrue ?? [])]);
  const untrue = explanation.findings.flatMap((finding) =>
    codesOf(finding)
      .filter((code) => !isTrue.has(code))
      .map((code) => ({ code, certainty: finding.certainty })),
  );
  return {
    one,
    explanation,
    unnamed: one.mistakes.filter((code) => ![code, ...others(code)].some((name) => found.has(name))),
    untrueProven: untrue.filter(({ certainty }) => certainty === 'proven').map(({ code }) => code),
    untrue: untrue.map(({ code }) => code),
  };
}

/** Describes a case in one line. */
export function lineOf({ one, explanation, unnamed, untrueProven }: Evaluated): string {
  const found = explanation.findings
    .map((finding) => `${codesOf(finding).join(' + ')} (${finding.certainty})`)
    .join(', ');
  const wrong = untrueProven.length > 0 ? `; untrue but proven: ${untrueProven.join(', ')}` : '';
  const missed = unnamed.length > 0 ? `; not named: ${unnamed.join(', ')}` : '';
  return `${one.id}${missed}${wrong}; found: ${found || 'nothing'}`;
}
