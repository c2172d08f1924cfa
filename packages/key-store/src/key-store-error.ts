export type KeyStoreErrorCode =
  /** An option or a key's name cannot be used; nothing was sent. */
  | 'options_invalid'
  /** The store has no such key, or no such version of it. */
  | 'key_not_found'
  /** The key exists but cannot sign this way: disabled, another algorithm, another purpose, too short. */
  | 'key_unusable'
  /** The credentials are missing, wrong or expired, or do not permit this. */
  | 'access_denied'
  /** The store limits how often it may be asked, or too many signatures are waiting. */
  | 'throttled'
  /** The store was not reached, did not answer in time, or failed. */
  | 'store_unavailable'
  /** The answer is not one to this question: damaged, from another key, or of another form. */
  | 'answer_invalid';

/**
 * A key store that cannot do what it was asked for. Match on `code`; messages may change. They say what to do, and hold
 * neither credentials nor what was signed.
 */
export class KeyStoreError extends Error {
  readonly code: KeyStoreErrorCode;
  /** True if the same call may succeed later without any change. */
  readonly isTransient: boolean;

  constructor(
    code: KeyStoreErrorCode,
    message: string,
    isTransient: boolean = transientCodes.includes(code),
  ) {
    super(message);
    this.name = 'KeyStoreError';
    this.code = code;
    this.isTransient = isTransient;
  }
}

const transientCodes: readonly KeyStoreErrorCode[] = ['throttled', 'store_unavailable'];

export function optionsInvalid(message: string): KeyStoreError {
  return new KeyStoreError('options_invalid', message);
}
