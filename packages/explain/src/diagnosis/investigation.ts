import type { CandidateKey, ExplainOptions, Hashes, RequestToExplain } from '../explanation.ts';
import type { MeantRequest } from '../reading/meant-request.ts';
import type { Budget } from '../search/budget.ts';
import type { BodyForm } from '../search/digest-search.ts';

/** What every step of one explanation works with. */
export interface Investigation {
  readonly request: RequestToExplain;
  readonly candidates: readonly CandidateKey[];
  readonly options: ExplainOptions;
  readonly hashes: Hashes;
  readonly budget: Budget;
  readonly meant: MeantRequest;
  readonly forms: readonly BodyForm[];
  /** The text that a digest proves to be what the caller took for the body. */
  readonly hashedText?: string | undefined;
}
