import type { KeyProblem } from './key-problem.ts';
import type { PrivateKeyForm } from './private-key-form.ts';

/** A public key that can be sent: written anew from its numbers, so that nothing else of a pasted text is in it. */
export interface AcceptedKey {
  /** PEM of the SubjectPublicKeyInfo. */
  readonly publicKeyPem: string;
  /** Undefined only where the browser has no WebCrypto: on pages without HTTPS. */
  readonly fingerprint: string | undefined;
  readonly modulusBits: number;
  /** The form that it was given in. */
  readonly format: 'spki' | 'pkcs1' | 'certificate' | 'jwk' | 'ssh-rsa';
}

/** What a text turned out to be. */
export type KeyReading =
  | { readonly kind: 'none' }
  | { readonly kind: 'reading' }
  /** Nothing of the text is kept: only what it was. */
  | { readonly kind: 'private-key'; readonly form: PrivateKeyForm; readonly modulusBits: number | undefined }
  | { readonly kind: 'refused'; readonly problem: KeyProblem; readonly advice: string }
  | { readonly kind: 'accepted'; readonly key: AcceptedKey };

/** Why the form around the key box may not be sent yet. */
export type KeyBlocker = 'reading' | 'key-not-accepted' | 'private-key-not-saved';

/** What the form around the key box is told at every change. */
export interface KeyInputState {
  /** The key to send; undefined while there is none that can be sent. */
  readonly key: AcceptedKey | undefined;
  /** Do not send while it is there; an empty box has none. */
  readonly blocker: KeyBlocker | undefined;
  /** Whether leaving the page would lose something: give it to `useUnsavedGuard`. */
  readonly isDirty: boolean;
}

/** The state of a key box that nobody has touched. */
export const emptyKeyInputState: KeyInputState = { key: undefined, blocker: undefined, isDirty: false };
