import type { KeyStoreErrorCode } from '@countersign/key-store';
import type { TokenChoice } from './tokens.ts';

/** The data with which a thread starts. */
export interface SessionStart extends TokenChoice {
  readonly module: string;
}

/** A request to a thread, one at a time. */
export type SessionOrder =
  /** Opens the session and logs in. The sessions of a program share their login, so one thread logs in for all. */
  | { readonly kind: 'open'; readonly pin: string | undefined }
  | { readonly kind: 'sign'; readonly keyId: string; readonly bytes: Uint8Array }
  | { readonly kind: 'publicKey'; readonly keyId: string }
  | { readonly kind: 'createKey'; readonly likeKeyId: string }
  /** Closes the session and ends the thread, without a response. */
  | { readonly kind: 'close' };

/** A failure that the pool handles. */
export type FailureCause = 'pin_rejected' | 'login_lost' | 'no_session_left';

export interface SessionFailure {
  readonly ok: false;
  readonly code: KeyStoreErrorCode;
  readonly message: string;
  readonly isTransient: boolean;
  readonly cause: FailureCause | undefined;
}

export type SessionAnswer = { readonly ok: true; readonly value: Uint8Array | string } | SessionFailure;
