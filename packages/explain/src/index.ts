/**
 * Explains why a request is refused: names the mistakes, and proves them where the key gives back what was signed.
 * Pure and synchronous, without I/O, for every runtime.
 *
 * @module
 */
export type { Conclusion } from './conclude.ts';
export { explain } from './explain.ts';
export type {
  CandidateKey,
  Certainty,
  CheckName,
  CheckResult,
  Evidence,
  Explanation,
  ExplainOptions,
  Finding,
  HashFunction,
  OtherHash,
  ReceivedRequest,
} from './explanation.ts';
export { type FindingCode, findings, type FindingTexts } from './findings/findings.ts';
export { explainGiven, type GivenExplanation } from './given-request.ts';
export { portableHashes, portableSha256 } from './hashes/portable-hashes.ts';
