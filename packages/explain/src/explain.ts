import {
  formatContentDigest,
  profileTimeWindow,
  type Refusal,
  type RefusalCode,
} from '@countersign/signature';
import { type BaseDraft, writeBase } from './search/base-draft.ts';
import {
  type BaseMatch,
  claimedTarget,
  encodeBase,
  searchBase,
  type SearchTarget,
  targetOf,
} from './search/base-search.ts';
import { baseDimensions } from './search/base-dimensions.ts';
import { Budget } from './budget.ts';
import { type CheckedRequest, checkRequest } from './checks.ts';
import { componentFindings, parameterFindings } from './findings/component-findings.ts';
import { bodyForms, type BodyForm, type Hashes, searchDigest } from './search/digest-search.ts';
import type { Note } from './search/enumeration.ts';
import { evidenceOf } from './evidence.ts';
import type {
  CandidateKey,
  Certainty,
  Explanation,
  ExplainOptions,
  Finding,
  ReceivedRequest,
} from './explanation.ts';
import { finding, type FindingCode } from './findings/findings.ts';
import { finishes } from './variations/form-variations.ts';
import { keyFindings, keyidFindings, unknownKeyFinding } from './findings/key-findings.ts';
import { type MeantSignature, readMeantSignature } from './reading/lenient-signature.ts';
import { matchFindings, mergeNotes } from './findings/match-findings.ts';
import {
  declaredDraft,
  type MeantRequest,
  mendedBase,
  profileStructure,
  readMeantRequest,
} from './reading/meant-request.ts';
import { fieldTitle, missingField } from './reading/received-fields.ts';
import { schemeFindings } from './findings/scheme-findings.ts';
import {
  findSigner,
  type FoundSigner,
  isUsable,
  readCandidates,
  type ReadKey,
} from './search/signer-search.ts';
import { timeFindings } from './findings/time-findings.ts';

/**
 * Explains why a request is refused: which check fails, which mistakes can be seen, and which can be proved. For a request
 * that the verifier accepts the findings are empty.
 *
 * The verdict is the verifier's, with the candidates that are usable for the keyid. Of a proved finding the evidence is
 * what the caller signed. Not known here: whether the client is active, its network, its roles, and other requests.
 *
 * Never throws for bad input. Everything that the reader may not know must not be among the candidates.
 *
 * @example
 * const { findings } = explain(request, keys, { nowSeconds, sha256 });
 * for (const { what, mend } of findings) console.log(what, mend);
 */
export function explain(
  request: ReceivedRequest,
  candidates: readonly CandidateKey[],
  options: ExplainOptions,
): Explanation {
  return new Explaining(request, candidates, options).run();
}

class Explaining {
  readonly #request: ReceivedRequest;
  readonly #candidates: readonly CandidateKey[];
  readonly #options: ExplainOptions;
  readonly #hashes: Hashes;
  readonly #budget: Budget;
  readonly #findings: Finding[] = [];

  constructor(request: ReceivedRequest, candidates: readonly CandidateKey[], options: ExplainOptions) {
    this.#request = request;
    this.#candidates = candidates;
    this.#options = options;
    this.#hashes = { ...options.hashes, sha256: options.sha256 };
    this.#budget = new Budget({
      hypothesesMax: options.hypothesesMax ?? 200_000,
      budgetMs: options.budgetMs ?? 200,
      monotonicMs: options.monotonicMs,
    });
  }

  run(): Explanation {
    const checked = checkRequest(this.#request, (keyid) => this.#usableKeys(keyid), this.#options);
    if (!checked.refusal) {
      if (this.#options.refusedWith === 'signature_replayed')
        this.#findings.push(finding('request_replayed', 'observed'));
      return this.#explanation(checked, checked.base);
    }
    const meant = readMeantRequest(this.#request);
    const forms = this.#request.body ? bodyForms(this.#request.body, this.#options.inflate) : [];
    this.#findings.push(...this.#visible(meant, checked));
    this.#explainBody(meant, forms);
    if (!checked.isSignatureValid) this.#explainSignature(meant, forms);
    if (this.#findings.length === 0) this.#findings.push(plainFinding(checked.refusal));
    return this.#explanation(checked, checked.base ?? mendedBase(this.#request, meant, this.#options));
  }

  #usableKeys(keyid: string): readonly ReadKey[] {
    return readCandidates(
      this.#candidates.filter((candidate) => isUsable(candidate, keyid)),
      keyid,
    );
  }

  #explanation(checked: CheckedRequest, base: string | undefined): Explanation {
    return {
      verdict: checked.refusal || this.#options.refusedWith ? 'refused' : 'valid',
      checks: checked.checks,
      base,
      findings: withoutRepetition(this.#findings),
      isComplete: !this.#budget.isSpent,
      hypotheses: this.#budget.hypotheses,
    };
  }

  /** Everything that can be seen without a key. */
  #visible(meant: MeantRequest, checked: CheckedRequest): readonly Finding[] {
    const { input, cavage, received, created, hasBody } = meant;
    const { window = profileTimeWindow, acceptWithoutDate = false, nowSeconds } = this.#options;
    const findings: Finding[] = [];
    if (checked.refusal?.code === 'request_malformed')
      findings.push(finding('request_malformed', 'observed', { detail: checked.refusal.reason }));
    if (cavage) findings.push(finding('cavage_authorization', 'observed'));
    const isByOldHeader = cavage?.signature !== undefined;
    const covered = new Set(input?.components.map((name) => name.toLowerCase()));
    for (const name of received.missing) {
      if (isByOldHeader && (name === 'signature' || name === 'signature-input')) continue;
      if (name === 'date' && input && !covered.has('date') && acceptWithoutDate) continue;
      findings.push(missingField(name, covered.has(name) && this.#cameThroughProxy()));
    }
    if (
      hasBody === undefined &&
      covered.has('content-digest') &&
      received.fields['content-digest'].value === undefined
    )
      findings.push(missingField('content-digest', this.#cameThroughProxy()));
    findings.push(...received.findings);
    if (input) {
      findings.push(
        ...input.findings,
        ...componentFindings(input, hasBody, acceptWithoutDate),
        ...parameterFindings(input),
      );
    } else if (received.fields['signature-input'].value !== undefined) {
      findings.push(
        finding('signature_input_format', 'observed', { detail: received.fields['signature-input'].value }),
      );
    }
    findings.push(...(created?.findings ?? []));
    findings.push(...timeFindings(created?.seconds, received.fields.date.value, window, nowSeconds));
    return findings;
  }

  #cameThroughProxy(): boolean {
    return this.#request.headers.some(([name]) => /^(?:via|forwarded|x-forwarded-.+|x-real-ip)$/i.test(name));
  }

  /** Check 12: the digest that was sent against the body that came. */
  #explainBody(meant: MeantRequest, forms: readonly BodyForm[]): void {
    const { digest, received } = meant;
    const { body } = this.#request;
    const text = received.fields['content-digest'].value;
    if (text === undefined) return;
    if (!digest) {
      this.#findings.push(finding('digest_form', 'observed', { detail: text }));
      return;
    }
    const covers = meant.input?.components.some((name) => name.toLowerCase() === 'content-digest') ?? true;
    if (body === undefined || (body.length === 0 && !covers)) {
      for (const { code, detail } of mergeNotes(digest.notes))
        this.#findings.push(finding(code, 'observed', { detail }));
      return;
    }
    const budget = this.#budget.part(0.5);
    const match = searchDigest(digest, forms, this.#hashes, budget);
    this.#budget.absorb(budget);
    const certainty: Certainty = match ? 'proven' : 'observed';
    const evidence = this.#digestEvidence(text, body);
    for (const { code, detail } of mergeNotes(digest.notes))
      this.#findings.push(finding(code, certainty, { detail, evidence }));
    const sent = forms[0]?.bytes.length;
    for (const { code, detail } of mergeNotes(match?.notes ?? [])) {
      this.#findings.push(
        finding(code, 'proven', { detail, evidence: this.#bodyEvidence(match?.hashedText, sent) }),
      );
    }
    if (match || body.length === 0) return;
    const coding = meant.others.get('content-encoding');
    if (coding !== undefined && coding !== 'identity')
      this.#findings.push(
        finding('body_compression', 'likely', { detail: `the body has the coding ${coding}` }),
      );
    this.#findings.push(finding('body_other', 'likely', { evidence }));
  }

  #digestEvidence(text: string, body: Uint8Array) {
    return evidenceOf(formatContentDigest(this.#options.sha256(body)), text);
  }

  /** The body that came beside the text that was hashed. */
  #bodyEvidence(hashedText: string | undefined, bodyBytes: number | undefined) {
    if (
      this.#options.omitBodyText ||
      hashedText === undefined ||
      bodyBytes === undefined ||
      bodyBytes > 16 * 1024
    )
      return undefined;
    const body = new TextDecoder().decode(this.#request.body);
    return body === hashedText ? undefined : evidenceOf(body, hashedText);
  }

  /** Check 8: the key, then what it signed. */
  #explainSignature(meant: MeantRequest, forms: readonly BodyForm[]): void {
    const { keyid } = meant;
    const keys = readCandidates(this.#candidates, keyid);
    const signature = this.#meantSignature(meant, keys);
    if (signature) this.#findings.push(...signature.findings);
    else if (meant.received.fields.signature.value !== undefined && !meant.cavage)
      this.#findings.push(
        finding('signature_form', 'observed', { detail: `${fieldTitle('signature')} holds no Base64` }),
      );
    const signer = signature && findSigner(signature.bytes, keys, this.#hashes, this.#budget);
    this.#findings.push(...keyidFindings(keyid, this.#candidates, signer));
    if (signer) this.#explainBase(meant, forms, signer);
    else if (signature) {
      this.#explainClaim(meant, forms);
      const isWhole = signature.findings.every(
        ({ code }) => code !== 'signature_truncated' && code !== 'signature_form',
      );
      if (isWhole && keys.length > 0)
        this.#findings.push(unknownKeyFinding(signature.bytes.length, keyid, keys));
    }
  }

  #meantSignature({ received, cavage }: MeantRequest, keys: readonly ReadKey[]): MeantSignature | undefined {
    const text =
      cavage?.signature === undefined ? received.fields.signature.value : `sig=:${cavage.signature}:`;
    return text === undefined
      ? undefined
      : readMeantSignature(text, new Set(keys.map(({ modulusBytes }) => modulusBytes)));
  }

  #explainBase(meant: MeantRequest, forms: readonly BodyForm[], signer: FoundSigner): void {
    const { claimedBase } = this.#options;
    const target = targetOf(signer.encoded, this.#hashes);
    const { clientId } = signer.key.candidate;
    const declared = declaredDraft(this.#request, meant, this.#options, clientId);
    const match = target && this.#searchBase(meant, forms, declared, target);
    const certainty: Certainty = match ? 'proven' : 'observed';
    this.#findings.push(...schemeFindings(signer, certainty));
    this.#findings.push(...keyFindings(meant.keyid, this.#candidates, signer, certainty));
    if (match) this.#pushMatch(match, meant, declared, 'proven');
    const claim =
      target && claimedBase !== undefined && readClaim(claimedBase, match?.draft ?? declared, target);
    if (claimedBase !== undefined && !claim)
      this.#findings.push(finding('base_claimed_not_signed', 'observed'));
    if (match) return;
    if (claim) {
      for (const { code, detail } of claim.notes) this.#findings.push(finding(code, 'proven', { detail }));
      this.#findings.push(differingBase(writeBase(declared, meant.others), claimedBase, 'proven'));
    } else if (isWholeDeclared(meant)) this.#findings.push(finding('base_unrecognised', 'likely'));
  }

  #searchBase(
    meant: MeantRequest,
    forms: readonly BodyForm[],
    declared: BaseDraft,
    target: SearchTarget,
  ): BaseMatch | undefined {
    // Whoever uses the header of the old drafts may have built the base of the profile all the same.
    const drafts = [declared];
    if (declared.structure.isCavage)
      drafts.unshift({ ...declared, structure: profileStructure(meant.hasBody ?? false) });
    for (const draft of drafts) {
      const isLast = draft === declared;
      const budget = isLast ? this.#budget : this.#budget.part(0.05);
      const dimensions = baseDimensions(
        this.#request,
        meant,
        forms,
        this.#candidates,
        this.#options,
        budget,
        draft,
      );
      const match = searchBase({ ...draft }, dimensions, meant.others, target, budget);
      if (!isLast) this.#budget.absorb(budget);
      if (match) return match;
    }
    return undefined;
  }

  /** Without a key that fits, what the caller says it built is compared all the same. */
  #explainClaim(meant: MeantRequest, forms: readonly BodyForm[]): void {
    const { claimedBase } = this.#options;
    if (claimedBase === undefined) return;
    const declared = declaredDraft(this.#request, meant, this.#options);
    const usual = writeBase(declared, meant.others);
    if (usual === claimedBase) return;
    const match = this.#searchBase(meant, forms, declared, claimedTarget(claimedBase));
    if (match) this.#pushMatch(match, meant, declared, 'likely');
    else this.#findings.push(differingBase(usual, claimedBase, 'likely'));
  }

  #pushMatch(
    match: BaseMatch,
    meant: MeantRequest,
    declared: ReturnType<typeof declaredDraft>,
    certainty: Certainty,
  ): void {
    this.#findings.push(...matchFindings(match, declared, meant.others, certainty));
    // What was signed and did not come was lost after signing.
    for (const name of ['date', 'content-digest'] as const) {
      if (certainty !== 'proven' || meant.received.fields[name].value !== undefined) continue;
      if (
        !match.draft.structure.lines.includes(name) ||
        match.draft[name === 'date' ? 'date' : 'contentDigest'] === ''
      )
        continue;
      const detail = `${fieldTitle(name)} was in the signature`;
      this.#findings.push(finding('header_stripped', 'proven', { detail, action: fieldTitle(name) }));
    }
  }
}

/** Whether the request tells every line of the base that it is to be verified with. */
function isWholeDeclared({ input, cavage, received: { missing } }: MeantRequest): boolean {
  return input !== undefined && !cavage && missing.length === 0;
}

/** What the signer did with a claimed base, if that is what was signed. `draft` says how texts become bytes. */
function readClaim(
  claimedBase: string,
  draft: BaseDraft,
  target: SearchTarget,
): { readonly notes: readonly Note[] } | undefined {
  const fits = (finish: BaseDraft['finish']): boolean =>
    target.fits(encodeBase(claimedBase, draft.charset), { ...draft, finish });
  if (fits(undefined)) return { notes: target.notes };
  const { notes } = finishes.find(({ value }) => fits(value)) ?? {};
  return notes && { notes: [...notes, ...target.notes] };
}

/** The finding that a base differs, with the line where it does. */
function differingBase(expected: string, claimed: string, certainty: Certainty): Finding {
  const evidence = evidenceOf(expected, claimed);
  const line = expected.slice(0, evidence.firstDifference).split('\n').length;
  const text = (base: string): string => JSON.stringify(base.split('\n')[line - 1] ?? 'nothing');
  const detail = `line ${line} is ${text(claimed)}, and should be ${text(expected)}`;
  return finding('base_differs', certainty, { detail, evidence });
}

/** What is left to say when nothing more is found: what the check itself says. */
function plainFinding({ code, reason }: Refusal): Finding {
  return finding(plainCodes[code] ?? 'base_unrecognised', 'observed', { detail: reason });
}

const plainCodes: Readonly<Partial<Record<RefusalCode, FindingCode>>> = {
  signature_missing: 'header_missing',
  signature_malformed: 'signature_form',
  parameters_invalid: 'parameter_unknown',
  algorithm_not_allowed: 'algorithm_other',
  components_invalid: 'base_missing_component',
  date_invalid: 'date_format',
  digest_missing: 'header_missing',
  digest_malformed: 'digest_form',
};

/** Of findings with one code the surest stays, in the place of the first. */
function withoutRepetition(findings: readonly Finding[]): readonly Finding[] {
  const isEmptyProven = findings.some(
    ({ code, certainty }) => code === 'body_empty' && certainty === 'proven',
  );
  const rank = { proven: 0, observed: 1, likely: 2 };
  const kept = new Map<string, Finding>();
  for (const one of findings) {
    // No body was lost: there was none to begin with.
    if (one.code === 'body_missing' && isEmptyProven) continue;
    const key = one.code.startsWith('header_') ? `${one.code} ${one.what}` : one.code;
    const before = kept.get(key);
    if (!before || rank[one.certainty] < rank[before.certainty]) kept.set(key, one);
  }
  return [...kept.values()];
}
