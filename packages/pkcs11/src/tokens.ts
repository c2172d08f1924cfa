import { KeyStoreError } from '@countersign/key-store';
import { visibleText } from '@countersign/key-store/building';
import { type Cryptoki, memoryOf, words } from './cryptoki.ts';
import { CryptokiError } from './return-values.ts';

/** The token to open; any if the module has only one. */
export interface TokenChoice {
  readonly token: string | undefined;
  readonly serial: string | undefined;
}

export interface Token {
  readonly slot: bigint;
  readonly label: string;
  readonly serial: string;
  readonly isLoginRequired: boolean;
  readonly pinState: 'usable' | 'final try' | 'locked';
}

const slotsMax = 256;
/** CK_TOKEN_INFO has 208 bytes; a module of a later version may write more. */
const tokenInfoBytes = 512;
const CKF_LOGIN_REQUIRED = 0x4n;
const CKF_USER_PIN_FINAL_TRY = 0x20000n;
const CKF_USER_PIN_LOCKED = 0x40000n;
const CKF_TOKEN_INITIALIZED = 0x400n;

/**
 * Returns the token that the options choose. Throws a KeyStoreError if there is none, or more than one. An
 * unreadable token does no harm if the options name another one.
 */
export function findToken(cryptoki: Cryptoki, { token, serial }: TokenChoice): Token {
  const { tokens, unreadable } = listTokens(cryptoki);
  const found = tokens.filter(
    (each) =>
      (token === undefined || each.label === token) && (serial === undefined || each.serial === serial),
  );
  const [first, ...others] = found;
  const isNamed = token !== undefined || serial !== undefined;
  if (unreadable !== undefined && !(isNamed && first !== undefined)) throw unreadable;
  if (first !== undefined && others.length === 0) return first;
  const names = tokens
    .map((each) => `${visibleText(each.label)} (serial ${visibleText(each.serial)})`)
    .join(', ');
  throw new KeyStoreError(
    first === undefined ? 'store_unavailable' : 'options_invalid',
    `The PKCS#11 module has ${found.length} tokens of this name. It has: ${names || 'none'}. Choose one by token or serial.`,
  );
}

interface TokenList {
  readonly tokens: readonly Token[];
  /** The reason why the first of the others cannot be read. */
  readonly unreadable: CryptokiError | undefined;
}

function listTokens(cryptoki: Cryptoki): TokenList {
  // Only a call without memory looks for newly inserted tokens (PKCS #11 version 3.1, section 5.5.1).
  cryptoki.call('C_GetSlotList', [1, null, words(0n)]);
  const count = words(BigInt(slotsMax));
  const slots = words(...Array.from({ length: slotsMax }, () => 0n));
  cryptoki.call('C_GetSlotList', [1, slots, count]);
  let unreadable: CryptokiError | undefined;
  const tokens = Array.from(slots.subarray(0, Number(count[0]))).flatMap((slot) => {
    const info = memoryOf(tokenInfoBytes);
    try {
      cryptoki.call('C_GetTokenInfo', [slot, info]);
    } catch (error) {
      if (!(error instanceof CryptokiError)) throw error;
      unreadable ??= error;
      return [];
    }
    const text = (from: number, to: number): string =>
      Buffer.from(info.subarray(from, to)).toString('utf8').trimEnd();
    const flags = Buffer.from(info.buffer).readBigUInt64LE(96);
    if ((flags & CKF_TOKEN_INITIALIZED) === 0n) return [];
    const isLocked = (flags & CKF_USER_PIN_LOCKED) !== 0n;
    const isFinal = (flags & CKF_USER_PIN_FINAL_TRY) !== 0n;
    return [
      {
        slot,
        label: text(0, 32),
        serial: text(80, 96),
        isLoginRequired: (flags & CKF_LOGIN_REQUIRED) !== 0n,
        pinState: isLocked ? 'locked' : isFinal ? 'final try' : 'usable',
      } as const,
    ];
  });
  return { tokens, unreadable };
}
