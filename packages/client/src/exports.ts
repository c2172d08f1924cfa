/** The exports shared by the entry points for all runtimes and for Node. */
export { SigningError, type SigningErrorCode } from '@countersign/signature';
export type { WaitOptions } from '@countersign/signature/free-second';
export { readRefusal, type ResponseHead } from './refusals/read-refusal.ts';
export { type RefusalCode, refusalCodes } from './refusals/refusal-codes.ts';
export { type Explanation, type Finding, RefusedError } from './refusals/refused-error.ts';
export { RepeatNotSignedError } from './signing/repeat-not-signed-error.ts';
export type { KeySource } from './signing/key-source.ts';
export type {
  PrivateKey,
  ProfileOptions,
  SharedOptions,
  SignerIdentity,
  SignFunction,
  SigningCryptoKey,
} from './signing/options.ts';
export type {
  HeaderOf,
  Lesson,
  RequestSigner,
  SignedAttempt,
  SignerRequest,
  SignOptions,
} from './signing/request-signer.ts';
export type { Fetch, SigningFetch, SigningFetchOptions } from './fetch/signing-fetch.ts';
