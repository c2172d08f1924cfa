import type { CandidateKey, Explanation, ReceivedRequest } from '@countersign/explain';
import type { ExplainRequestOptions } from '@countersign/explain/node';
import type { UnkeptParts } from './kept-explanation.ts';

/** What is to be explained, and what it may be explained with: the keys that its reader may know of. */
export interface ExplanationTask {
  readonly request: ReceivedRequest;
  readonly candidates: readonly CandidateKey[];
  readonly options: ExplainRequestOptions;
  /** Set when the explanation is to be kept: what of the request must not be. */
  readonly unkept?: UnkeptParts;
}

/** An explanation, and what it has cost. */
export interface ExplanationOutcome {
  readonly explanation: Explanation;
  readonly durationMs: number;
  /** The text that is kept, when it was asked for. */
  readonly kept?: string | undefined;
}
