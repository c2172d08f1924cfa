/**
 * The single steps of a verification, for programs that put checks of their own between them, as a gateway does.
 * Whoever calls these owns the order; `verifyRequest` of the other entry points leaves nothing to forget.
 *
 * @module
 */
export {
  type PresentedSignature,
  readPresentedSignature,
  type SignatureRules,
} from './presented-signature.ts';
export { type Refusal, type RefusalCode, refuse } from './refusal.ts';
export { type HeaderLine, readSignatureHeaders, type SignatureHeaders } from './request-headers.ts';
export { checkTarget, signatureBase, type SignatureBaseParts } from './signature-base.ts';
export { readAnySignatureInput, readSignatureInput, readUsualSignatureInput } from './signature-fields.ts';
export * from './structured-fields.ts';
export {
  checkBodyDigest,
  checkDateCovered,
  isSafeMethod,
  presentedSignatureBase,
  rulesFrom,
  signatureInvalid,
} from './verification.ts';
