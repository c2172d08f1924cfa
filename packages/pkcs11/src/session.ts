import { randomBytes } from 'node:crypto';
import { KeyStoreError } from '@countersign/key-store';
import { publicKeyPem } from '@countersign/key-store/building';
import {
  type attribute,
  type Attributes,
  CKK_RSA,
  CKO_PRIVATE_KEY,
  CKO_PUBLIC_KEY,
  readAttribute,
  templateOf,
} from './attributes.ts';
import { CKR_USER_ALREADY_LOGGED_IN, type Cryptoki, memoryOf, words } from './cryptoki.ts';
import { formatKeyUri, type KeyUri, readKeyUri } from './key-uri.ts';
import { CryptokiError, LoginLostError } from './return-values.ts';
import { findToken, type Token, type TokenChoice } from './tokens.ts';

const CKM_RSA_PKCS_KEY_PAIR_GEN = 0x00n;
const CKM_SHA256_RSA_PKCS = 0x40n;
const CKF_RW_SESSION = 2n;
const CKF_SERIAL_SESSION = 4n;
const CKU_USER = 1n;
const signatureBytesMax = 1024;

/**
 * A session with a token, in the thread that created it. A session that the token has forgotten, for example
 * after a restart, is reopened once.
 */
export class Session {
  readonly #cryptoki: Cryptoki;
  readonly #choice: TokenChoice;
  /** Handles of private keys by URI; they belong to the session. */
  readonly #handles = new Map<string, bigint>();
  #token: Token | undefined;
  #handle = 0n;

  /** Throws a KeyStoreError if there is no such token, or it has no session left. */
  constructor(cryptoki: Cryptoki, choice: TokenChoice) {
    this.#cryptoki = cryptoki;
    this.#choice = choice;
    this.#open();
  }

  /** Logs the program in if necessary. Throws a KeyStoreError if the PIN is missing, locked or wrong. */
  login(pin: string | undefined): void {
    if (!this.#needsLogin()) return;
    if (pin === undefined)
      throw new KeyStoreError('access_denied', 'The token asks for a PIN: set pin or pinFile.');
    const { pinState } = this.#token ?? {};
    if (pinState === 'locked') throw new KeyStoreError('access_denied', 'The PIN of the token is locked.');
    if (pinState === 'final try') {
      throw new KeyStoreError(
        'access_denied',
        'The token allows one more try of its PIN before it locks. Log in by another program first.',
      );
    }
    const text = memoryOf(Buffer.from(pin));
    const length = BigInt(Buffer.byteLength(pin));
    try {
      this.#cryptoki.call('C_Login', [this.#handle, CKU_USER, text, length], [CKR_USER_ALREADY_LOGGED_IN]);
    } finally {
      text.fill(0);
    }
  }

  sign(keyId: string, bytes: Uint8Array): Uint8Array {
    return this.#again(() => {
      const { call } = this.#cryptoki;
      const key = this.#find(keyId);
      call('C_SignInit', [this.#handle, words(CKM_SHA256_RSA_PKCS, 0n, 0n), key]);
      const signature = memoryOf(signatureBytesMax);
      const length = words(BigInt(signatureBytesMax));
      call('C_Sign', [this.#handle, memoryOf(bytes), BigInt(bytes.length), signature, length]);
      return signature.slice(0, Number(length[0]));
    });
  }

  publicKey(keyId: string): string {
    return this.#again(() => publicKeyPem(this.#numbersOf(keyId), keyId));
  }

  /** Creates a key pair with the size and the label of an existing one. Returns its URI. */
  createKey(likeKeyId: string): string {
    const { modulus, label } = this.#again(() => ({
      modulus: this.#numbersOf(likeKeyId).modulus,
      label: this.#read(this.#find(likeKeyId), 'CKA_LABEL') ?? new Uint8Array(),
    }));
    const id = randomBytes(16);
    const same = { CKA_TOKEN: true, CKA_LABEL: label, CKA_ID: id } as const;
    const publicHalf = templateOf(this.#cryptoki, {
      ...same,
      CKA_MODULUS_BITS: BigInt(modulus.length * 8),
      CKA_PUBLIC_EXPONENT: Uint8Array.of(1, 0, 1),
      CKA_VERIFY: true,
    });
    const privateHalf = templateOf(this.#cryptoki, {
      ...same,
      CKA_PRIVATE: true,
      CKA_SENSITIVE: true,
      CKA_EXTRACTABLE: false,
      CKA_SIGN: true,
      CKA_DECRYPT: false,
      CKA_UNWRAP: false,
    });
    const session = this.#openHandle(CKF_RW_SESSION);
    try {
      const mechanism = words(CKM_RSA_PKCS_KEY_PAIR_GEN, 0n, 0n);
      const [first, second] = [words(0n), words(0n)];
      const { structure: a, count: aCount } = publicHalf;
      const { structure: b, count: bCount } = privateHalf;
      this.#cryptoki.call('C_GenerateKeyPair', [session, mechanism, a, aCount, b, bCount, first, second]);
    } finally {
      this.#cryptoki.call('C_CloseSession', [session]);
    }
    const object = Buffer.from(label).toString('utf8');
    return formatKeyUri({
      token: this.#token?.label,
      object: object === '' ? undefined : object,
      id: id.toString('hex'),
    });
  }

  close(): void {
    this.#handles.clear();
    try {
      this.#cryptoki.call('C_CloseSession', [this.#handle]);
    } catch {
      // The session is already lost.
    }
  }

  #numbersOf(keyId: string): { readonly modulus: Uint8Array; readonly exponent: Uint8Array } {
    const key = this.#find(keyId);
    const modulus = withoutZeros(this.#read(key, 'CKA_MODULUS'));
    if (modulus === undefined) throw new KeyStoreError('key_unusable', `The key ${keyId} has no modulus.`);
    // A private key may lack it; its public half does not.
    const exponent = this.#read(key, 'CKA_PUBLIC_EXPONENT') ?? this.#exponentOfPublicHalf(modulus, key);
    if (exponent === undefined || exponent.length === 0) {
      throw new KeyStoreError(
        'key_not_found',
        `The token does not have the public key of ${keyId}. Import it, too.`,
      );
    }
    return { modulus, exponent };
  }

  #exponentOfPublicHalf(modulus: Uint8Array, key: bigint): Uint8Array | undefined {
    const id = this.#read(key, 'CKA_ID') ?? new Uint8Array();
    const found = this.#objects({ CKA_CLASS: CKO_PUBLIC_KEY, CKA_KEY_TYPE: CKK_RSA, CKA_ID: id });
    const half = found.find((object) => {
      const other = withoutZeros(this.#read(object, 'CKA_MODULUS'));
      return other !== undefined && Buffer.compare(other, modulus) === 0;
    });
    return half === undefined ? undefined : this.#read(half, 'CKA_PUBLIC_EXPONENT');
  }

  #read(object: bigint, name: keyof typeof attribute): Uint8Array | undefined {
    return readAttribute(this.#cryptoki, this.#handle, object, name);
  }

  #find(keyId: string): bigint {
    const known = this.#handles.get(keyId);
    if (known !== undefined) return known;
    const { token, object, id }: KeyUri = readKeyUri(keyId);
    if (token !== undefined && token !== this.#token?.label) {
      throw new KeyStoreError(
        'key_not_found',
        `The key ${keyId} is of another token than ${this.#token?.label}.`,
      );
    }
    const found = this.#visibleObjects({
      CKA_CLASS: CKO_PRIVATE_KEY,
      CKA_KEY_TYPE: CKK_RSA,
      ...(object !== undefined && { CKA_LABEL: Buffer.from(object) }),
      ...(id !== undefined && { CKA_ID: Buffer.from(id, 'hex') }),
    });
    const [first, ...others] = found;
    if (first === undefined)
      throw new KeyStoreError('key_not_found', `The token has no private RSA key ${keyId}.`);
    if (others.length > 0)
      throw new KeyStoreError(
        'key_unusable',
        `The token has ${found.length} private keys ${keyId}: name one by its id.`,
      );
    this.#handles.set(keyId, first);
    return first;
  }

  /** Private keys are invisible to a program that is not logged in. */
  #visibleObjects(attributes: Attributes): bigint[] {
    const found = this.#objects(attributes);
    if (found.length > 0) return found;
    if (this.#needsLogin()) throw new LoginLostError();
    // The login belongs to the program: another thread may have logged in after the search.
    return this.#objects(attributes);
  }

  #objects(attributes: Attributes): bigint[] {
    const { call } = this.#cryptoki;
    const template = templateOf(this.#cryptoki, attributes);
    call('C_FindObjectsInit', [this.#handle, template.structure, template.count]);
    try {
      const found = words(...Array.from({ length: objectsMax }, () => 0n));
      const count = words(0n);
      call('C_FindObjects', [this.#handle, found, BigInt(objectsMax), count]);
      return Array.from(found.subarray(0, Number(count[0])));
    } finally {
      call('C_FindObjectsFinal', [this.#handle]);
    }
  }

  #again<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof CryptokiError) || !error.isSessionLost) throw error;
      this.close();
      this.#open();
      if (this.#needsLogin()) throw new LoginLostError();
      return work();
    }
  }

  #open(): void {
    this.#token = findToken(this.#cryptoki, this.#choice);
    this.#handle = this.#openHandle(0n);
  }

  #openHandle(flags: bigint): bigint {
    const handle = words(0n);
    const { slot = 0n } = this.#token ?? {};
    this.#cryptoki.call('C_OpenSession', [slot, CKF_SERIAL_SESSION | flags, null, null, handle]);
    return handle[0]!;
  }

  #needsLogin(): boolean {
    // CK_SESSION_INFO: slot, state, flags, error. States 1 and 3 are those of a user who is logged in.
    const info = words(0n, 0n, 0n, 0n);
    this.#cryptoki.call('C_GetSessionInfo', [this.#handle, info]);
    return this.#token?.isLoginRequired === true && info[1] !== 1n && info[1] !== 3n;
  }
}

/** More than one is ambiguous; the exact number does not matter. */
const objectsMax = 8;

/** Some tokens put a zero in front of a number whose first bit is set. */
function withoutZeros(bytes: Uint8Array | undefined): Uint8Array | undefined {
  const start = bytes?.findIndex((byte) => byte !== 0) ?? -1;
  return start < 0 ? undefined : bytes?.subarray(start);
}
