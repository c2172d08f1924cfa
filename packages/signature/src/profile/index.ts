/**
 * The profile in parts, for programs that run their own steps between the checks, such as a gateway and the explainer.
 * The library still defines the checks and their order; `verifyRequest` of the other entry points leaves nothing to
 * forget.
 *
 * @module
 */
export {
  type BytesLike,
  bytesOf,
  checkNumber,
  checkObject,
  checkOptionalBoolean,
  checkOptionalFunction,
  wrongType,
} from '../arguments/check-argument.ts';
export {
  type Check,
  checkCreated,
  type CheckName,
  checks,
  checksOf,
  checkTarget,
  type Stage,
  walk,
} from './checks.ts';
export {
  andThen,
  type Awaitable,
  Examination,
  type ExaminedRequest,
  type HashedBody,
  isPromise,
  type Means,
  type SignatureRules,
} from './examination.ts';
export { type CompiledFormat, compileFormat, type CompiledProfile, type ComponentList } from './compile.ts';
export { isKeyid, isThumbprint } from './keyid.ts';
export type { Profile, SignatureFormat } from './profile.ts';
export {
  forwarded,
  forwardedProfiled,
  type IdentityField,
  identityFields,
  type ProfiledField,
  profiledFields,
  unprovedFields,
} from './profiles/forwarded.ts';
export { signedDirectory } from './profiles/signed-directory.ts';
export { signedResponse } from './profiles/signed-response.ts';
export { signedWebhook } from './profiles/signed-webhook.ts';
export {
  defaultProfile,
  isProfileId,
  type ProfileId,
  profileOf,
  profiles,
  profileSignatureBase,
} from './profiles.ts';
export { type FieldName, type Refusal, type RefusalCode, refuse } from './refusal.ts';
export { type HeaderLine, readSignatureHeaders, type SignatureHeaders } from './request-headers.ts';
export {
  readAnySignatureInput,
  readSignature,
  readSignatureInput,
  readUsualSignatureInput,
} from './signature-fields.ts';
export { rulesFrom } from './verify.ts';
