/**
 * The table of findings, without the explainer: for programs that show explanations which another one made.
 *
 * @module
 */
export { type Certainty, type Evidence, evidenceOf } from './evidence.ts';
export { type FindingCode, findings, type FindingTexts } from './findings.ts';
