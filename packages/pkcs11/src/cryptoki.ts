import type { FunctionSignature } from 'node:ffi';
import { KeyStoreError } from '@countersign/key-store';
import { optionsInvalid } from '@countersign/key-store/building';
import { CryptokiError } from './return-values.ts';

/**
 * The functions of PKCS #11 that are called here, with the types of their arguments. CK_ULONG is a `long`,
 * which has 64 bits on Linux and macOS, where structures also have no special packing. On Windows both
 * differ, so it is not supported.
 */
const signatures = {
  C_Initialize: ['pointer'],
  C_GetSlotList: ['u8', 'pointer', 'pointer'],
  C_GetTokenInfo: ['u64', 'pointer'],
  C_OpenSession: ['u64', 'u64', 'pointer', 'pointer', 'pointer'],
  C_CloseSession: ['u64'],
  C_GetSessionInfo: ['u64', 'pointer'],
  C_Login: ['u64', 'u64', 'pointer', 'u64'],
  C_FindObjectsInit: ['u64', 'pointer', 'u64'],
  C_FindObjects: ['u64', 'pointer', 'u64', 'pointer'],
  C_FindObjectsFinal: ['u64'],
  C_GetAttributeValue: ['u64', 'u64', 'pointer', 'u64'],
  C_SignInit: ['u64', 'pointer', 'u64'],
  C_Sign: ['u64', 'pointer', 'u64', 'pointer', 'pointer'],
  C_GenerateKeyPair: ['u64', 'pointer', 'pointer', 'u64', 'pointer', 'u64', 'pointer', 'pointer'],
} as const;

type FunctionName = keyof typeof signatures;
type Argument = number | bigint | Uint8Array | BigUint64Array | null;

/** A PKCS #11 module, and the address of the memory that its structures point to. */
export interface Cryptoki {
  /** Calls a function. Throws a CryptokiError unless it returns CKR_OK, or one of `also`. */
  readonly call: (name: FunctionName, given: readonly Argument[], also?: readonly bigint[]) => void;
  readonly addressOf: (bytes: Uint8Array) => bigint;
}

const CKR_CRYPTOKI_ALREADY_INITIALIZED = 0x191n;
export const CKR_USER_ALREADY_LOGGED_IN = 0x100n;
const CKF_OS_LOCKING_OK = 2n;

/**
 * Loads a module and initializes it for calls from several threads. Throws a KeyStoreError if that is not
 * possible.
 */
export async function loadCryptoki(path: string): Promise<Cryptoki> {
  if (process.platform === 'win32' || !['x64', 'arm64'].includes(process.arch))
    throw optionsInvalid('PKCS#11 modules can be used on 64-bit Linux and macOS.');
  const ffi = await import('node:ffi').catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw optionsInvalid(
      code === 'ERR_ACCESS_DENIED'
        ? 'Node runs with --permission: add --allow-ffi.'
        : 'PKCS#11 modules need the node:ffi of Node 26.1 or newer.',
    );
  });
  const definitions: Record<string, FunctionSignature> = {};
  for (const [name, given] of Object.entries(signatures))
    definitions[name] = { arguments: given, return: 'u64' };
  let functions: Readonly<Record<FunctionName, (...given: readonly Argument[]) => bigint>>;
  try {
    ({ functions } = ffi.dlopen(path, definitions) as unknown as { readonly functions: typeof functions });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_ACCESS_DENIED')
      throw optionsInvalid('Node runs with --permission: add --allow-ffi.');
    throw new KeyStoreError(
      'options_invalid',
      `The PKCS#11 module ${path} cannot be loaded: it is missing, of another processor, or no such module.`,
    );
  }
  const cryptoki: Cryptoki = {
    call: (name, given, also = []) => {
      const value = functions[name](...given);
      if (value !== 0n && !also.includes(value)) throw new CryptokiError(name, value);
    },
    addressOf: (bytes) => ffi.getRawPointer(bytes),
  };
  // CK_C_INITIALIZE_ARGS: four functions for locks of our own, flags, reserved.
  const locking = words(0n, 0n, 0n, 0n, CKF_OS_LOCKING_OK, 0n);
  // The threads of a process initialize one module; it is never finalized, because others may still use it.
  cryptoki.call('C_Initialize', [locking], [CKR_CRYPTOKI_ALREADY_INITIALIZED]);
  return cryptoki;
}

/** Memory for CK_ULONGs that does not move. Small typed arrays without their own buffer could. */
export function words(...values: readonly bigint[]): BigUint64Array {
  const memory = new BigUint64Array(new ArrayBuffer(values.length * 8));
  memory.set(values);
  return memory;
}

/** Memory of bytes that does not move. */
export function memoryOf(content: number | Uint8Array): Uint8Array {
  if (typeof content === 'number') return new Uint8Array(new ArrayBuffer(content));
  // Empty memory has no address.
  const memory = new Uint8Array(new ArrayBuffer(Math.max(1, content.length)));
  memory.set(content);
  return memory;
}
