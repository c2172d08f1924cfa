import { KeyStoreError, type KeyStoreErrorCode } from '@countersign/key-store';
import type { FailureCause } from './session-messages.ts';

interface ReturnValue {
  readonly name: string;
  readonly code: KeyStoreErrorCode;
  /** What to do, if that is not obvious. */
  readonly advice?: string;
  /** True if the session, or its login, is gone, so that another session may work. */
  readonly isSessionLost?: boolean;
}

/** The values that a caller can act on (PKCS #11 version 3.1, section 5.1). */
const returnValues: Readonly<Record<number, ReturnValue>> = {
  0x03: { name: 'CKR_SLOT_ID_INVALID', code: 'store_unavailable', isSessionLost: true },
  0x05: { name: 'CKR_GENERAL_ERROR', code: 'store_unavailable', isSessionLost: true },
  0x06: { name: 'CKR_FUNCTION_FAILED', code: 'store_unavailable', isSessionLost: true },
  0x13: { name: 'CKR_ATTRIBUTE_VALUE_INVALID', code: 'key_unusable' },
  0x30: { name: 'CKR_DEVICE_ERROR', code: 'store_unavailable', isSessionLost: true },
  0x31: { name: 'CKR_DEVICE_MEMORY', code: 'throttled', advice: 'The token has no room for it.' },
  0x32: { name: 'CKR_DEVICE_REMOVED', code: 'store_unavailable', isSessionLost: true },
  0x60: { name: 'CKR_KEY_HANDLE_INVALID', code: 'key_not_found', isSessionLost: true },
  0x62: { name: 'CKR_KEY_SIZE_RANGE', code: 'key_unusable' },
  0x63: { name: 'CKR_KEY_TYPE_INCONSISTENT', code: 'key_unusable' },
  0x68: {
    name: 'CKR_KEY_FUNCTION_NOT_PERMITTED',
    code: 'key_unusable',
    advice: 'The key may not be used to sign.',
  },
  0x70: {
    name: 'CKR_MECHANISM_INVALID',
    code: 'key_unusable',
    advice: 'The token does not offer the mechanism.',
  },
  0x82: { name: 'CKR_OBJECT_HANDLE_INVALID', code: 'key_not_found', isSessionLost: true },
  0x90: { name: 'CKR_OPERATION_ACTIVE', code: 'store_unavailable', isSessionLost: true },
  0xa0: {
    name: 'CKR_PIN_INCORRECT',
    code: 'access_denied',
    advice: 'The PIN is wrong. It is not tried again.',
  },
  0xa1: { name: 'CKR_PIN_INVALID', code: 'access_denied', advice: 'The PIN has characters that no PIN has.' },
  0xa2: { name: 'CKR_PIN_LEN_RANGE', code: 'access_denied', advice: 'The PIN is too long or too short.' },
  0xa3: { name: 'CKR_PIN_EXPIRED', code: 'access_denied', advice: 'Set another PIN.' },
  0xa4: {
    name: 'CKR_PIN_LOCKED',
    code: 'access_denied',
    advice: 'The PIN is locked. The security officer can reset it.',
  },
  0xb0: { name: 'CKR_SESSION_CLOSED', code: 'store_unavailable', isSessionLost: true },
  0xb1: {
    name: 'CKR_SESSION_COUNT',
    code: 'throttled',
    advice: 'The token has no session left. Lower "sessions".',
  },
  0xb3: { name: 'CKR_SESSION_HANDLE_INVALID', code: 'store_unavailable', isSessionLost: true },
  0xe0: { name: 'CKR_TOKEN_NOT_PRESENT', code: 'store_unavailable', isSessionLost: true },
  0xe1: { name: 'CKR_TOKEN_NOT_RECOGNIZED', code: 'store_unavailable', isSessionLost: true },
  0xe2: { name: 'CKR_TOKEN_WRITE_PROTECTED', code: 'access_denied' },
  0x101: { name: 'CKR_USER_NOT_LOGGED_IN', code: 'access_denied', isSessionLost: true },
  0x102: { name: 'CKR_USER_PIN_NOT_INITIALIZED', code: 'access_denied', advice: 'The token has no PIN yet.' },
};

/** A function of the module that did not return CKR_OK. */
export class CryptokiError extends KeyStoreError {
  readonly functionName: string;
  readonly returned: number;
  readonly isSessionLost: boolean;

  constructor(functionName: string, value: bigint) {
    const returned = Number(value);
    const { name, code, advice, isSessionLost } = returnValues[returned] ?? unknownValue(returned);
    const message = `The PKCS#11 module returned ${name} from ${functionName}.`;
    super(code, advice === undefined ? message : `${message} ${advice}`);
    this.functionName = functionName;
    this.returned = returned;
    this.isSessionLost = isSessionLost ?? false;
  }
}

function unknownValue(value: number): ReturnValue {
  return { name: `0x${value.toString(16)}`, code: 'store_unavailable' };
}

/** Returns true for a session of a program that is no longer logged in: only the pool tries the PIN, once. */
export class LoginLostError extends KeyStoreError {
  constructor() {
    super('store_unavailable', 'The token has ended the login.');
  }
}

const pinValues: readonly number[] = [0xa0, 0xa1, 0xa2, 0xa3, 0xa4];

export function causeOf(error: KeyStoreError): FailureCause | undefined {
  if (error instanceof LoginLostError) return 'login_lost';
  if (!(error instanceof CryptokiError)) return undefined;
  if (error.functionName === 'C_Login' && pinValues.includes(error.returned)) return 'pin_rejected';
  return error.returned === 0xb1 ? 'no_session_left' : undefined;
}
