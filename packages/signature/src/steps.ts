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
} from './profile/presented-signature.ts';
export { type Refusal, type RefusalCode, refuse } from './profile/refusal.ts';
export { type HeaderLine, readSignatureHeaders, type SignatureHeaders } from './profile/request-headers.ts';
export { checkTarget, signatureBase, type SignatureBaseParts } from './rfc9421/signature-base.ts';
export {
  readAnySignatureInput,
  readSignature,
  readSignatureInput,
  readUsualSignatureInput,
} from './profile/signature-fields.ts';
export * from './rfc9421/structured-fields.ts';
export {
  checkBodyDigest,
  checkDateCovered,
  isSafeMethod,
  presentedSignatureBase,
  rulesFrom,
  signatureInvalid,
} from './profile/verification.ts';
