import type { Refusal, RefusalCode } from '@countersign/signature';
import { type CheckedRequest, hashesOf } from './checks.ts';
import { closedJudge } from './closed-judge.ts';
import { withCallerAdvice } from './diagnosis/caller-advice.ts';
import type { Investigation } from './diagnosis/investigation.ts';
import { diagnoseSignature } from './diagnosis/signature-findings.ts';
import type { CandidateKey, ExplainOptions, Explanation, RequestToExplain } from './explanation.ts';
import { codesOf, type Finding, finding } from './findings/finding.ts';
import type { FindingCode } from './findings/findings.ts';
import type { Judge } from './judge.ts';
import { Budget } from './search/budget.ts';
import { bodyForms } from './search/digest-search.ts';

/**
 * Explains why a request is rejected: which check fails, which mistakes are visible, and which can be proved.
 * A request that the verifier accepts has no findings.
 *
 * The verdict is the verifier's, using the candidates that are usable for the keyid. A proven finding's evidence is what
 * the caller signed. Not considered: whether the client is active, its network, its roles, and other requests.
 *
 * Never throws for bad input. Only pass candidates that the reader of the explanation may know about.
 *
 * @example
 * const { findings } = explain(request, keys, { nowSeconds, sha256 });
 * for (const { what, mend } of findings) console.log(what, mend);
 */
export function explain(
  request: RequestToExplain,
  given: readonly CandidateKey[],
  options: ExplainOptions,
): Explanation {
  const budget = new Budget({
    hypothesesMax: options.hypothesesMax ?? hypothesesUsual,
    budgetMs: options.budgetMs ?? 1000,
    monotonicMs: options.monotonicMs,
  });
  const judge = options.judge ?? closedJudge;
  const candidates = judge.keys(request, given);
  const checked = judge.check(request, candidates, options);
  const { findings, base, wanted } = diagnose({ request, candidates, options }, judge, budget, checked);
  return {
    verdict: checked.refusal || options.refusedWith ? 'refused' : 'valid',
    checks: checked.checks,
    base,
    ...(wanted && { wanted }),
    findings: withCallerAdvice(withoutRepetition(withoutDecodedUrl(findings)), request).map(withoutFacts),
    isComplete: !budget.isCutShort,
    hypotheses: budget.hypotheses,
  };
}

const hypothesesUsual = 64_000;

function diagnose(
  { request, candidates, options }: Pick<Investigation, 'request' | 'candidates' | 'options'>,
  judge: Judge,
  budget: Budget,
  { refusal, base, isSignatureValid }: CheckedRequest,
): Pick<Explanation, 'findings' | 'base' | 'wanted'> {
  if (!refusal) {
    const isReplay = options.refusedWith === 'signature_replayed';
    // Signing the same base again makes the same signature.
    return isReplay
      ? { findings: [finding('request_replayed', 'observed')], base: undefined }
      : { findings: [], base };
  }
  const meant = judge.read(request, candidates, options);
  const hashes = hashesOf(options);
  const forms = request.body ? bodyForms(request.body, options.inflate) : [];
  const investigation: Investigation = { request, candidates, options, hashes, budget, meant, forms };
  const visible = judge.visible(investigation, refusal);
  const { findings: ofBody, hashedText } = judge.ofBody(investigation);
  const signature = isSignatureValid ? undefined : diagnoseSignature({ ...investigation, hashedText });
  const seen = [...visible, ...ofBody, ...(signature?.findings ?? [])];
  const others = judge.otherRefusals(request, options).filter(({ reason }) => reason !== refusal.reason);
  const findings = withOwnFindings(seen, [refusal, ...others]);
  return { findings, ...judge.toSign(investigation, findings, signature?.signer) };
}

/** Adds why each check fails, the first one first, in the check's own words if no finding covers it. */
function withOwnFindings(findings: readonly Finding[], refusals: readonly Refusal[]): readonly Finding[] {
  return refusals.toReversed().reduce(withOwnFinding, findings);
}

function withOwnFinding(findings: readonly Finding[], refusal: Refusal): readonly Finding[] {
  const owners = ownersOf(refusal);
  if (!owners) return findings.length > 0 ? findings : [plainFinding(refusal)];
  const isOwn = (one: Finding): boolean =>
    codesOf(one).some((code) => owners.test(code)) && isAboutField(one, refusal);
  const own = findings.filter(isOwn);
  return own.length > 0
    ? [...own, ...findings.filter((one) => !isOwn(one))]
    : [plainFinding(refusal), ...findings];
}

/** A finding about header fields covers only the rejections of these fields. */
function isAboutField({ code, facts }: Finding, { field }: Refusal): boolean {
  return !code.startsWith('header_') || field === undefined || facts?.fields?.includes(field) === true;
}

/** Two fields may be malformed, each in its own way. */
function ownersOf({ code, field }: Refusal): RegExp | undefined {
  const isOfSignature = code === 'signature_malformed' && field === 'signature';
  return isOfSignature ? ownersOfSignature : ownersOfCheck[code];
}

const ownersOfSignature = /^(?:signature_(?!sha|md5|pss|of_|hashed|no_|reversed|input)|header_)/;

/** Returns the findings that explain why a check failed. A failed signature may have any cause. */
const ownersOfCheck: Readonly<Partial<Record<RefusalCode, RegExp>>> = {
  request_malformed: /^request_malformed$/,
  signature_missing: /^(?:header_|cavage_)/,
  signature_malformed:
    /^(?:profile_|signature_(?!sha|md5|pss|of_|hashed|no_|reversed)|header_|parameter_|created_)/,
  parameters_invalid: /^(?:profile_|parameter_|created_|keyid_|signature_input_format$)/,
  algorithm_not_allowed: /^(?:profile_|algorithm_)/,
  components_invalid: /^(?:profile_|base_|digest_not_covered$|body_missing$)/,
  created_expired: /^(?:clock_|created_)/,
  created_in_future: /^(?:clock_|created_)/,
  date_invalid: /^(?:date_|header_)/,
  date_mismatch: /^(?:date_|clock_)/,
  digest_missing: /^(?:header_|digest_)/,
  digest_malformed: /^(?:digest_|header_)/,
};

/** The reason of the check itself. */
function plainFinding({ code, reason, field }: Refusal): Finding {
  const isOfInput = code === 'signature_malformed' && field === 'signature-input';
  const plain = isOfInput ? 'signature_input_format' : plainCodes[code];
  return finding(plain ?? 'base_unrecognised', 'observed', {
    detail: reason,
    ...(field !== undefined && { facts: { fields: [field] } }),
  });
}

const plainCodes: Readonly<Partial<Record<RefusalCode, FindingCode>>> = {
  request_malformed: 'request_malformed',
  signature_missing: 'header_missing',
  signature_malformed: 'signature_form',
  parameters_invalid: 'parameter_form',
  algorithm_not_allowed: 'algorithm_other',
  components_invalid: 'base_missing_component',
  created_expired: 'clock_off',
  created_in_future: 'clock_off',
  date_invalid: 'date_format',
  date_mismatch: 'date_differs',
  digest_missing: 'header_missing',
  digest_malformed: 'digest_form',
};

/**
 * A URL is malformed because it was decoded after signing: one cause, which the finding about its encoding
 * explains.
 */
function withoutDecodedUrl(findings: readonly Finding[]): readonly Finding[] {
  const malformed = findings.find(({ code }) => code === 'request_malformed');
  const decoded = findings.find(
    ({ code, certainty }) => /^url_(?:path|query)_encoding$/.test(code) && certainty === 'proven',
  );
  // Another malformed request has another cause.
  if (!decoded || malformed?.facts?.isOfTargetCharacter !== true) return findings;
  const alsoCodes = [...(decoded.alsoCodes ?? []), malformed.code];
  return findings.flatMap((one) =>
    one === malformed ? [] : one === decoded ? [{ ...one, alsoCodes }] : [one],
  );
}

/** Keeps the most certain of the findings with the same code, at the position of the first. */
function withoutRepetition(findings: readonly Finding[]): readonly Finding[] {
  const isAbsenceProven = findings.some(
    (one) =>
      one.certainty === 'proven' &&
      (one.code === 'body_empty' || one.alsoCodes?.includes('body_missing') === true),
  );
  // A Date that was replaced is not what the caller wrote.
  const isDateReplaced = findings.some(
    ({ certainty, alsoCodes = [] }) => certainty === 'proven' && alsoCodes.includes('date_differs'),
  );
  const lost = new Set(
    findings
      .filter(({ code, certainty }) => code === 'header_stripped' && certainty === 'proven')
      .flatMap(({ facts }) => facts?.fields ?? []),
  );
  const rank = { proven: 0, observed: 1, likely: 2 };
  const kept = new Map<string, Finding>();
  for (const one of findings) {
    // The body was not lost: another finding explains what was hashed without one.
    if (one.code === 'body_missing' && isAbsenceProven) continue;
    if (isDateReplaced && one.certainty !== 'proven' && ofDate.has(one.code)) continue;
    // A header that was signed was lost on the way.
    if (one.code === 'header_missing' && one.facts?.fields?.some((field) => lost.has(field)) === true)
      continue;
    const key = severalPerCode.test(one.code) ? `${one.code} ${one.what}` : one.code;
    const before = kept.get(key);
    if (!before || rank[one.certainty] < rank[before.certainty]) kept.set(key, one);
  }
  return [...kept.values()];
}

/** Any header may be missing, and a signature may be changed in its bytes and in the text around them. */
const severalPerCode = /^(?:header_|signature_form$)/;
/** A form that HTTP does not allow is wrong whoever wrote it. */
const ofDate: ReadonlySet<FindingCode> = new Set(['date_differs', 'date_time_zone']);

/** Removes the facts, which are for code; people get sentences. */
function withoutFacts({ facts: _facts, ...shown }: Finding): Finding {
  return shown;
}
