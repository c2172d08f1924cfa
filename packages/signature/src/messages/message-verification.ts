import type { Awaitable } from '../profile/examination.ts';
import type { CoveredComponent } from '../rfc9421/message-base.ts';
import type { SignatureParameters } from '../rfc9421/signature-members.ts';
import type { MessageVerifyingKey } from './algorithms.ts';
import type { DefinedProfile } from './define-profile.ts';
import type { MessageReplayGuard } from './memory-message-guard.ts';

/** What a signature says about itself, before anything is proved. */
export interface ClaimedSignature extends SignatureParameters {
  readonly label: string;
  /** The covered components and their values, in order. */
  readonly covered: readonly CoveredComponent[];
}

/** Functions and settings that the application supplies. */
export interface MessageVerification {
  readonly profile: DefinedProfile;
  /**
   * Returns the keys that may have made a signature: usually those with its `keyid`. Each of the announced algorithm is tried.
   * Use a Map: `__proto__` is a legal keyid.
   */
  readonly keysFor: (
    claimed: ClaimedSignature,
  ) => Awaitable<readonly MessageVerifyingKey[] | MessageVerifyingKey | undefined>;
  /** Required, unless the profile's `replay` is `off`. Called last. */
  readonly guard?: MessageReplayGuard;
  /** The verifier's clock in Unix seconds. Defaults to the system's. */
  readonly nowSeconds?: () => number;
}

/** A message with a valid signature. Only what is in `covered` is proved, and the body if `coversBody` says so. */
export interface VerifiedMessage extends ClaimedSignature {
  readonly ok: true;
  /** True if the body is the one that was signed; false if the signature says nothing about it. */
  readonly coversBody: boolean;
  readonly key: MessageVerifyingKey;
}
