/** The exports that both entry points share: everything that needs no hash and no operation with a key. */
export { decodeBase64, encodeBase64 } from './rfc9421/base64.ts';
export type { AlgorithmName } from './rfc9421/algorithms.ts';
export { formatContentDigest, isContentDigest } from './rfc9421/content-digest.ts';
export { formatHttpDate, readHttpDate } from './rfc9421/http-date.ts';
export { keyTextLengthMax } from './keys/key-text-length.ts';
export { holdsPrivateKey } from './keys/private-key-signs.ts';
export { generateKeyPair } from './keys/generate-key-pair.ts';
export { describeKey, longestSignature, publicKeyForms } from './keys/key-kinds.ts';
export { type PrivateKeyReading, readPlainPrivateKey, readPrivateKey } from './keys/private-key.ts';
export { everyKeySize, type PublicKeyPolicy, type PublicKeyRefusalCode } from './keys/public-key-refusal.ts';
export {
  type PublicKey,
  type PublicKeyFormat,
  type PublicKeyReading,
  readPublicKey,
  readPublicKeyInTurns,
  type RsaPublicKey,
} from './keys/public-key.ts';
export type { ComponentList } from './profile/compile.ts';
export type { NoncePolicy } from './profile/profile.ts';
export {
  componentListFor,
  componentLists,
  type ProfileId,
  profileLimits,
  profileTimeWindow,
  signatureAlgorithm,
  signatureLabel,
} from './profile/profiles.ts';
export type { BaseSigner } from './platform/async-signer.ts';
export type { Refusal, RefusalCode } from './profile/refusal.ts';
export type { TimeWindow } from './profile/time-window.ts';
export {
  type AsyncReplayGuard,
  type EntryLimits,
  entryLimits,
  MemoryReplayGuard,
  type MemoryReplayGuardOptions,
  type RememberedSecond,
  type RepeatPolicy,
  type ReplayGuard,
  type UsedSignature,
} from './replay/replay-guard.ts';
export type { BytesLike } from './arguments/check-argument.ts';
export type { HeaderLines } from './rfc9421/header-lines.ts';
export {
  MemoryUsedSeconds,
  type RequestToSign,
  type RequestWithBody,
  type SignedHeaders,
  type SignedRequest,
  type SignedRequestWithBody,
  type SignerSettings,
  SigningError,
  type SigningErrorCode,
  type SigningTime,
  type UrlObject,
  type UsedSeconds,
} from './profile/signing.ts';
export type {
  ReceivedRequest,
  Verification,
  VerificationSettings,
  Verified,
  VerifyingClient,
} from './profile/verify.ts';
