/** The exports that both entry points share: everything that needs no key and no digest. */
export {
  acceptMessageSignature,
  readRequestedSignatures,
  type RequestedSignature,
} from './accept-message-signature.ts';
export type {
  MessageAlgorithm,
  MessageKeyOptions,
  MessageSigningKey,
  MessageVerifyingKey,
} from './algorithms.ts';
export { type DefinedProfile, type DefinedRule, defineProfile } from './define-profile.ts';
export {
  MemoryMessageGuard,
  type MemoryMessageGuardOptions,
  type MessageReplayGuard,
  type UsedMessage,
} from './memory-message-guard.ts';
export type {
  BoundPart,
  ComponentCondition,
  DigestAlgorithm,
  MessageComponentRule,
  MessageProfile,
} from './message-profile.ts';
export { profilePage } from './profile-page.ts';
export { messageProfiles } from './profiles/index.ts';
export type { MessageRefusal, MessageRefusalCode } from './refusal.ts';
export {
  createSignature,
  type MessageSignature,
  MessageSigningError,
  type SignatureContent,
  type SignatureLines,
} from './create-signature.ts';
export type { ProfiledSignature, ProfiledSignatureLines } from './sign-message.ts';
export type { ClaimedSignature, MessageVerification, VerifiedMessage } from './message-verification.ts';
export {
  ComponentError,
  type ComponentIdentifier,
  readComponentIdentifier,
} from '../rfc9421/component-identifier.ts';
export type { FieldTypes } from '../rfc9421/component-value.ts';
export type { HeaderLines } from '../rfc9421/header-lines.ts';
export type { HttpMessage, RequestMessage, ResponseMessage } from '../rfc9421/message.ts';
export type { CoveredComponent } from '../rfc9421/message-base.ts';
export type { SignatureParameters } from '../rfc9421/signature-members.ts';
export type { StructuredType } from '../rfc9421/structured-types.ts';
export type { BytesLike } from '../arguments/check-argument.ts';
