import type { CheckedRequest } from './checks.ts';
import type { BodyFindings } from './diagnosis/body-findings.ts';
import type { Investigation } from './diagnosis/investigation.ts';
import type {
  CandidateKey,
  CheckResult,
  ExplainOptions,
  RequestToExplain,
  WantedByProfile,
} from './explanation.ts';
import type { Finding } from './findings/finding.ts';
import type { Refusal } from '@countersign/signature';
import type { MeantRequest } from './reading/meant-request.ts';
import type { FoundSigner } from './search/signer-search.ts';

/** Everything in an explanation that depends on the profile. The search for what was signed does not. */
export interface Judge {
  /** Returns the keys with the client IDs and algorithms that this request is judged with. */
  readonly keys: (request: RequestToExplain, candidates: readonly CandidateKey[]) => readonly CandidateKey[];
  /** Runs the verifier's checks. */
  readonly check: (
    request: RequestToExplain,
    candidates: readonly CandidateKey[],
    options: ExplainOptions,
  ) => CheckedRequest;
  /** Runs the check of the body alone, for a request whose signature cannot be checked. */
  readonly checkBody: (request: RequestToExplain, options: ExplainOptions) => CheckResult;
  readonly read: (
    request: RequestToExplain,
    candidates: readonly CandidateKey[],
    options: ExplainOptions,
  ) => MeantRequest;
  /** Finds everything that is visible without a key or a search. */
  readonly visible: (investigation: Investigation, refusal: Refusal) => readonly Finding[];
  /** Finds what is wrong with the digest of the body. */
  readonly ofBody: (investigation: Investigation) => BodyFindings;
  /** Returns the checks that fail besides the first, as far as findings must cover them. */
  readonly otherRefusals: (request: RequestToExplain, options: ExplainOptions) => readonly Refusal[];
  /** Returns what to sign with every finding fixed. */
  readonly toSign: (
    investigation: Investigation,
    findings: readonly Finding[],
    signer: FoundSigner | undefined,
  ) => ToSign;
}

export interface ToSign {
  readonly base: string | undefined;
  readonly wanted?: WantedByProfile | undefined;
}
