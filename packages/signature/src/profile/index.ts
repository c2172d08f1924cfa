/**
 * The profile in its parts, for programs that put steps of their own between the checks, as a gateway and the explainer
 * do. The list of checks and its order stay the library's; `verifyRequest` of the other entries leaves nothing to forget.
 *
 * @module
 */
export { type Check, type CheckName, checks, checksOf, checkTarget, type Stage, walk } from './checks.ts';
export {
  type Awaitable,
  Examination,
  type ExaminedRequest,
  isPromise,
  type Means,
  type SignatureRules,
} from './examination.ts';
export { profileSignatureBase } from './profile.ts';
export { type Refusal, type RefusalCode, refuse } from './refusal.ts';
export { type HeaderLine, readSignatureHeaders, type SignatureHeaders } from './request-headers.ts';
export {
  readAnySignatureInput,
  readSignature,
  readSignatureInput,
  readUsualSignatureInput,
} from './signature-fields.ts';
export { rulesFrom } from './verify.ts';
