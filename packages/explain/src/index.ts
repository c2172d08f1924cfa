/**
 * Explains why a signed request is rejected: names the mistakes, and proves them from the hash that a
 * signature reveals. Pure and synchronous, without I/O, for every runtime.
 *
 * @module
 */
export { explain } from './explain.ts';
export type {
  CandidateKey,
  ExplainedCheckName,
  CheckResult,
  Explanation,
  ExplainOptions,
  HashFunction,
  OtherHash,
  RequestToExplain,
} from './explanation.ts';
export {
  type Certainty,
  type Evidence,
  type EvidenceKind,
  evidenceKind,
  evidenceOf,
  firstDifferingCharacter,
  isSameEvidence,
} from './findings/evidence.ts';
export { codesOf, type Finding } from './findings/finding.ts';
export { type FindingCode, findings, type FindingTexts } from './findings/findings.ts';
export { type VisiblePiece, visiblePieces } from './findings/visible-pieces.ts';
export { type Conclusion, explainGiven, type GivenExplanation } from './given-request.ts';
export { portableHashes, portableSha256 } from './hashes/portable-hashes.ts';
export type { ByteDifference } from './hops/byte-difference.ts';
export { type ChangeCode, changeKinds, type ChangeTexts } from './hops/change-kinds.ts';
export { explainHops, type Hop, type HopsExplanation, isChangedOnTheWay } from './hops/explain-hops.ts';
export type { ChangedPart, HopChange, NamedChange } from './hops/hop-change.ts';
export type { RequestView } from './hops/request-view.ts';
export type { ViewState } from './hops/view-state.ts';
