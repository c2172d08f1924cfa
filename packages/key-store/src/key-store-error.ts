export type KeyStoreErrorCode =
  /** An option or a key's name is invalid; nothing was sent. */
  | 'options_invalid'
  /** The store has no such key, or no such version of it. */
  | 'key_not_found'
  /** The key exists but cannot sign this way: disabled, wrong algorithm, wrong purpose, too short. */
  | 'key_unusable'
  /** The credentials are missing, wrong or expired, or do not permit this. */
  | 'access_denied'
  /** The store's rate limit is reached, or too many signatures are waiting. */
  | 'throttled'
  /** The store could not be reached, did not respond in time, or failed. */
  | 'store_unavailable'
  /** The response does not match the request: damaged, from another key, or in another format. */
  | 'answer_invalid';

/**
 * An error of a key store. Match on `code`; messages may change. They say what to do, and contain neither
 * credentials nor the signed message.
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
