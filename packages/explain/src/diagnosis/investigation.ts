import type { CandidateKey, ExplainOptions, Hashes, RequestToExplain } from '../explanation.ts';
import type { MeantRequest } from '../reading/meant-request.ts';
import type { Budget } from '../search/budget.ts';
import type { BodyForm } from '../search/digest-search.ts';

/** The data that every step of one explanation shares. */
export interface Investigation {
  readonly request: RequestToExplain;
  readonly candidates: readonly CandidateKey[];
  readonly options: ExplainOptions;
  readonly hashes: Hashes;
  readonly budget: Budget;
  readonly meant: MeantRequest;
  readonly forms: readonly BodyForm[];
  /** The text that the caller used as the body, proven by a digest. */
  readonly hashedText?: string | undefined;
}
