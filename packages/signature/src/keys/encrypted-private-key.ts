import {
  derTag,
  readDer,
  readDerInteger,
  readDerObjectIdentifier,
  readDerSequence,
  type DerElement,
} from './der.ts';
import { aesCbcKeyBitsOf, objectIdentifiers, pbkdf2HashOf } from './object-identifiers.ts';
import { unsignedFrom } from './unsigned.ts';

/** An EncryptedPrivateKeyInfo that can be decrypted: its key derivation parameters, and the encrypted bytes. */
interface EncryptedPrivateKey {
  readonly hash: string;
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly iterations: number;
  readonly aesKeyBits: number;
  readonly initializationVector: Uint8Array<ArrayBuffer>;
  readonly encrypted: Uint8Array<ArrayBuffer>;
}

/** The reason why an encrypted key cannot be decrypted. */
export type EncryptionFault = 'malformed' | 'not_supported' | 'scrypt' | 'too_many_iterations';

/** Maximum number of PBKDF2 iterations; this many take some seconds. */
const iterationsMax = 10_000_000;

/**
 * Reads an EncryptedPrivateKeyInfo (RFC 5958 section 3) encrypted with PBES2 (RFC 8018 section 6.2 and appendix A.4),
 * PBKDF2 and AES-CBC, as `openssl pkcs8 -topk8` writes it.
 */
export function readEncryptedPrivateKey(bytes: Uint8Array): EncryptedPrivateKey | EncryptionFault {
  const elements = readDerSequence(readDer(bytes));
  const [scheme, parameters] = readAlgorithm(elements?.[0]) ?? [];
  const encrypted = elements?.[1];
  if (elements?.length !== 2 || scheme === undefined || encrypted?.tag !== derTag.octetString)
    return 'malformed';
  if (scheme !== objectIdentifiers.pbes2) return 'not_supported';

  const [derivation, cipher, ...others] = readDerSequence(parameters) ?? [];
  const [derivationName, derivationParameters] = readAlgorithm(derivation) ?? [];
  const [cipherName, cipherParameters] = readAlgorithm(cipher) ?? [];
  if (derivationName === undefined || cipherName === undefined || others.length > 0) return 'malformed';
  if (derivationName === objectIdentifiers.scrypt) return 'scrypt';
  const aesKeyBits = aesCbcKeyBitsOf.get(cipherName);
  if (derivationName !== objectIdentifiers.pbkdf2 || aesKeyBits === undefined) return 'not_supported';
  if (cipherParameters?.tag !== derTag.octetString || cipherParameters.content.length !== 16)
    return 'malformed';

  const pbkdf2 = readPbkdf2Parameters(derivationParameters, aesKeyBits);
  if (typeof pbkdf2 === 'string') return pbkdf2;
  const initializationVector = cipherParameters.content.slice();
  return { ...pbkdf2, aesKeyBits, initializationVector, encrypted: encrypted.content.slice() };
}

/**
 * Decrypts with WebCrypto. Returns the decrypted DER, `wrong` for a wrong passphrase, and `unavailable` if the runtime
 * lacks a feature (WebCrypto outside of HTTPS, AES-192 in some browsers). A wrong passphrase may also yield bytes that
 * are not a key: one in 256 produces padding that looks right.
 */
export async function decryptPrivateKey(
  key: EncryptedPrivateKey,
  passphrase: string,
): Promise<Uint8Array<ArrayBuffer> | 'wrong' | 'unavailable'> {
  // Runtimes without WebCrypto, and pages without HTTPS, leave one or both of them undefined.
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
  if (subtle === undefined) return 'unavailable';
  const aesKey = await deriveAesKey(subtle, key, passphrase).catch(() => undefined);
  if (aesKey === undefined) return 'unavailable';
  try {
    return new Uint8Array(
      await subtle.decrypt({ name: 'AES-CBC', iv: key.initializationVector }, aesKey, key.encrypted),
    );
  } catch {
    return 'wrong';
  }
}

async function deriveAesKey(
  subtle: SubtleCrypto,
  key: EncryptedPrivateKey,
  passphrase: string,
): Promise<CryptoKey> {
  const secret = await subtle.importKey('raw', new TextEncoder().encode(passphrase), 'PBKDF2', false, [
    'deriveKey',
  ]);
  return subtle.deriveKey(
    { name: 'PBKDF2', hash: key.hash, salt: key.salt, iterations: key.iterations },
    secret,
    { name: 'AES-CBC', length: key.aesKeyBits },
    false,
    ['decrypt'],
  );
}

type Pbkdf2Parameters = Pick<EncryptedPrivateKey, 'hash' | 'salt' | 'iterations'>;

/** RFC 8018 appendix A.2. Without a pseudorandom function, the default is HMAC with SHA-1. */
function readPbkdf2Parameters(
  element: DerElement | undefined,
  aesKeyBits: number,
): Pbkdf2Parameters | EncryptionFault {
  const [salt, iterationCount, ...optional] = readDerSequence(element) ?? [];
  const iterations = readDerInteger(iterationCount);
  if (salt?.tag !== derTag.octetString || iterations === undefined) return 'malformed';
  const keyLength = optional[0]?.tag === derTag.integer ? optional.shift() : undefined;
  const keyBytes = readDerInteger(keyLength);
  if (
    keyLength !== undefined &&
    (keyBytes === undefined || unsignedFrom(keyBytes) !== BigInt(aesKeyBits / 8))
  )
    return 'malformed';

  const [functionName] = optional.length === 0 ? [hmacWithSha1] : (readAlgorithm(optional[0]) ?? []);
  if (functionName === undefined || optional.length > 1) return 'malformed';
  const hash = pbkdf2HashOf.get(functionName);
  if (hash === undefined) return 'not_supported';
  const count = unsignedFrom(iterations);
  if (count < 1n) return 'malformed';
  if (count > BigInt(iterationsMax)) return 'too_many_iterations';
  return { hash, salt: salt.content.slice(), iterations: Number(count) };
}

const hmacWithSha1 = '1.2.840.113549.2.7';

/** Reads an AlgorithmIdentifier: its name, and its parameters if there are any. */
function readAlgorithm(
  element: DerElement | undefined,
): [name: string, parameters: DerElement | undefined] | undefined {
  const elements = readDerSequence(element);
  const name = readDerObjectIdentifier(elements?.[0]);
  return elements === undefined || name === undefined || elements.length > 2
    ? undefined
    : [name, elements[1]];
}
