import type { PublicKeyFormat } from '@countersign/signature';
import type { KeyAlgorithm, KeyKind } from '@countersign/signature/rfc9421';

/** A public key re-encoded from its numbers, so that nothing else of the pasted text remains. */
export interface AcceptedKey {
  /** SubjectPublicKeyInfo in PEM. */
  readonly publicKeyPem: string;
  /** Undefined without WebCrypto, that is without HTTPS. */
  readonly fingerprint: string | undefined;
  /** The key's kind and size. */
  readonly description: string;
  readonly kind: KeyKind;
  /** The algorithms that the key says it is for; undefined if it does not say. */
  readonly claimed: readonly KeyAlgorithm[] | undefined;
  /** The format of the input. */
  readonly format: PublicKeyFormat;
}

/** The reason not to submit the form yet. */
type KeyBlocker = 'reading' | 'key-not-accepted' | 'key-not-in-profile' | 'private-key-not-saved';

/** The state that `KeyInput` reports to its form. */
export interface KeyInputState {
  readonly key: AcceptedKey | undefined;
  /** What the key is for; undefined for the usual algorithm of its kind. */
  readonly algorithm?: string | undefined;
  /** Undefined for an empty input. */
  readonly blocker: KeyBlocker | undefined;
  /** True if leaving the page would lose something. */
  readonly isDirty: boolean;
}

export const emptyKeyInputState: KeyInputState = { key: undefined, blocker: undefined, isDirty: false };
