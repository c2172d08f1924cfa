import { algorithms } from '../../rfc9421/algorithms.ts';
import { readBase64Url } from '../base64-url.ts';
import type { KeyFacts, KeyReader, UnexaminedKey } from '../key-kind.ts';
import { type PrivateKeyRefusal, refusePrivateKey, refusePrivateKind } from '../private-key-refusal.ts';
import { type PublicKeyPolicy, type PublicKeyRefusal, refuseKey, refuseKind } from '../public-key-refusal.ts';
import { bitLength, hexadecimal, unsignedFrom } from '../unsigned.ts';
import { createKeyCommand } from '../create-key-command.ts';
import {
  readPrivateKeyInfo,
  readRsaPrivateKey,
  type RsaPrivateNumbers,
  writePrivateKeyInfo,
} from './private-encoding.ts';
import {
  readRsaPublicKey,
  rsaAlgorithmFault,
  rsaEncryption,
  type RsaEncodingFault,
  type RsaNumbers,
  rsassaPss,
  writeSubjectPublicKeyInfo,
} from './public-encoding.ts';
import { publishedTestKeyName } from './published-test-keys.ts';
import { findModulusWeakness, type ModulusWeakness } from './weak-modulus.ts';

/** What is particular to RSA keys. */
export interface RsaKeyFacts extends KeyFacts {
  readonly kind: 'rsa';
  /** The same as `bits`. */
  readonly modulusBits: number;
  /** Big-endian, without leading zeros. */
  readonly modulus: Uint8Array<ArrayBuffer>;
  readonly exponent: 65537;
}

const { webCrypto } = algorithms['rsa-v1_5-sha256'];

/** RSA keys of 2048 to 8192 bits with the exponent 65537, for RSASSA-PKCS1-v1_5 with SHA-256. */
export const rsaKeys: KeyReader<RsaKeyFacts> = {
  kind: 'rsa',
  algorithm: 'rsa-v1_5-sha256',
  signatureBytesMax: (policy) => Math.ceil(modulusBitsMax(policy) / 8),
  isFor: ({ objectIdentifier }) => objectIdentifier === rsaEncryption || objectIdentifier === rsassaPss,
  readPublicKey(encoded) {
    const fault = rsaAlgorithmFault(encoded);
    return fault === undefined ? readRsaPublicKeyDer(encoded.subjectPublicKey) : refuseFault(fault);
  },
  readPrivateKey: (encoded) => examinePrivateNumbers(readPrivateKeyInfo(encoded)),
  jwk: {
    // RFC 7518 section 6.1, and Azure Key Vault's name for a key whose private half is in an HSM.
    types: ['RSA', 'RSA-HSM'],
    members: ['n', 'e'],
    privateLengthMin: 64,
    read(jwk) {
      const { alg } = jwk;
      if (typeof alg === 'string' && /^PS\d/.test(alg)) return refuse('pss_only', messages.jwkPss);
      if (alg !== undefined && alg !== 'RS256') return refuseKind(messages.jwkAlgorithm);
      const modulus = readBase64UrlUnsigned(jwk['n']);
      const exponent = readBase64UrlUnsigned(jwk['e']);
      if (modulus === undefined || exponent === undefined)
        return refuseKey('key_malformed', messages.jwkNumbers);
      return unexamined({ modulus, exponent });
    },
  },
  cryptoKey: {
    description: `${webCrypto.name} key with ${webCrypto.hash}, at least 2048 bits, exponent 65537`,
    fits(algorithm) {
      const { name, hash, modulusLength, publicExponent } = algorithm as RsaHashedKeyAlgorithm;
      return (
        name === webCrypto.name &&
        hash.name === webCrypto.hash &&
        modulusLength >= 2048 &&
        publicExponent.join() === '1,0,1'
      );
    },
  },
  ssh: {
    type: 'ssh-rsa',
    // RFC 4253 section 6.6: e and n.
    read([e, n, ...others]) {
      const exponent = readMultiplePrecisionInteger(e);
      const modulus = readMultiplePrecisionInteger(n);
      if (exponent === undefined || modulus === undefined || others.length > 0) return undefined;
      return unexamined({ modulus, exponent });
    },
  },
};

/** Reads a PKCS#1 RSAPublicKey (RFC 8017 appendix A.1.1). */
export function readRsaPublicKeyDer(der: Uint8Array): UnexaminedKey<RsaKeyFacts> | PublicKeyRefusal {
  const numbers = readRsaPublicKey(der);
  return numbers === undefined ? refuseKey('key_malformed') : unexamined(numbers);
}

/** Reads a PKCS#1 RSAPrivateKey (RFC 8017 appendix A.1.2). */
export function readRsaPrivateKeyDer(der: Uint8Array): ReturnType<typeof rsaKeys.readPrivateKey> {
  return examinePrivateNumbers(readRsaPrivateKey(der) ?? 'malformed');
}

type RsaCode =
  | ModulusWeakness
  | 'pss_only'
  | 'modulus_too_small'
  | 'modulus_too_large'
  | 'exponent_not_allowed';
type SizeCode = 'modulus_too_small' | 'modulus_too_large';

/** The reasons for rejecting a private key that only RSA keys have. */
export type RsaPrivateKeyCode = SizeCode | 'pss_only' | 'exponent_not_allowed';

const messages = {
  pss_only:
    'The key is restricted to RSA-PSS, but requests are signed with PKCS#1 v1.5. Create a key without the restriction: ' +
    createKeyCommand,
  exponent_not_allowed: `The key's public exponent is not 65537. Create a new key: ${createKeyCommand}`,
  modulus_weak_small_factor: `The key's modulus has a small factor, so the key is either damaged or weak. Create a new one: ${createKeyCommand}`,
  modulus_weak_close_primes:
    "The key's two primes are so close together that anyone can find them. Create a new key with another tool.",
  modulus_weak_roca:
    'The key comes from a chip or library with the ROCA flaw (CVE-2017-15361), so its private key can be computed. ' +
    'Create a new key with another tool.',
  modulus_weak_prime: `The modulus is a prime, so anyone can compute the private key. Create a new key: ${createKeyCommand}`,
  modulus_even: `The modulus is an even number, so the key is damaged. Copy it again, or create a new one: ${createKeyCommand}`,
  jwkAlgorithm: 'The alg of the JWK is not RS256. Send a key for RS256, or leave out alg.',
  jwkPss: 'The JWK is restricted to RSA-PSS. Send a key for RS256, or leave out alg.',
  jwkNumbers: 'The n or e of the JWK is malformed. Both must be Base64url, without padding or leading zeros.',
} as const satisfies Readonly<Record<Exclude<RsaCode, SizeCode>, string>> & Readonly<Record<string, string>>;

function refuse(code: Exclude<RsaCode, SizeCode>, message: string = messages[code]): PublicKeyRefusal {
  return { ok: false, code, message };
}

function refuseSize(code: SizeCode, bits: number, limit: string): PublicKeyRefusal {
  const message = `The RSA key has ${bits} bits; ${limit} are allowed. Create a new one: ${createKeyCommand}`;
  return { ok: false, code, message };
}

function refuseFault(fault: RsaEncodingFault): PublicKeyRefusal {
  if (fault === 'malformed') return refuseKey('key_malformed');
  return fault === 'pss_only' ? refuse(fault) : refuseKind();
}

function unexamined(numbers: RsaNumbers): UnexaminedKey<RsaKeyFacts> {
  return {
    examine: (policy) => numbersRefusal(numbers, policy),
    facts() {
      const modulusBits = bitLength(numbers.modulus);
      return {
        kind: 'rsa',
        algorithm: 'rsa-v1_5-sha256',
        bits: modulusBits,
        modulusBits,
        modulus: numbers.modulus.slice(),
        exponent: 65537,
        spkiDer: writeSubjectPublicKeyInfo(numbers),
      };
    },
  };
}

function modulusBitsMax(policy: PublicKeyPolicy): number {
  return Math.min(policy.modulusBitsMax ?? 4096, 8192);
}

/** PROFILE 2.3. Checks the size first, to bound the arithmetic that follows. */
function* numbersRefusal(
  numbers: RsaNumbers,
  policy: PublicKeyPolicy,
): Generator<void, PublicKeyRefusal | undefined> {
  const bits = bitLength(numbers.modulus);
  const bitsMax = modulusBitsMax(policy);
  if (bits < 2048) return refuseSize('modulus_too_small', bits, 'at least 2048');
  // The negated comparison also rejects if the limit is NaN.
  if (!(bits <= bitsMax)) return refuseSize('modulus_too_large', bits, `at most ${bitsMax}`);
  if (hexadecimal(numbers.exponent) !== '010001') return refuse('exponent_not_allowed');
  if (policy.allowPublishedTestKeys !== true && publishedTestKeyName(numbers.modulus) !== undefined)
    return refuseKey('published_test_key');
  const weakness = yield* findModulusWeakness(unsignedFrom(numbers.modulus));
  return weakness === undefined ? undefined : refuse(weakness);
}

const privateMessages: Readonly<Record<RsaPrivateKeyCode, string>> = {
  pss_only:
    'The private key is restricted to RSA-PSS, but requests are signed with PKCS#1 v1.5. Create a key without the ' +
    `restriction: ${createKeyCommand}`,
  modulus_too_small: `The private key has fewer than 2048 bits. Create a new one: ${createKeyCommand}`,
  modulus_too_large: `The private key has more than 8192 bits. Create a new one: ${createKeyCommand}`,
  exponent_not_allowed: `The private key's public exponent is not 65537. Create a new key: ${createKeyCommand}`,
};

function examinePrivateNumbers(
  numbers: RsaPrivateNumbers | RsaEncodingFault,
): ReturnType<typeof rsaKeys.readPrivateKey> {
  if (numbers === 'malformed') return refusePrivateKey('key_malformed');
  if (numbers === 'not_rsa') return refusePrivateKind();
  if (numbers === 'pss_only') return refusePrivate(numbers);
  const bits = bitLength(numbers.modulus);
  if (bits < 2048) return refusePrivate('modulus_too_small');
  if (bits > 8192) return refusePrivate('modulus_too_large');
  if (hexadecimal(numbers.exponent) !== '010001') return refusePrivate('exponent_not_allowed');
  return { pkcs8Der: writePrivateKeyInfo(numbers.pkcs1Der), bits };
}

function refusePrivate(code: RsaPrivateKeyCode): PrivateKeyRefusal {
  return { ok: false, code, message: privateMessages[code] };
}

function readBase64UrlUnsigned(value: unknown): Uint8Array | undefined {
  const bytes = readBase64Url(value);
  return bytes === undefined || bytes[0] === 0 ? undefined : bytes;
}

/** RFC 4251 section 5, `mpint`: positive, in its shortest form. */
function readMultiplePrecisionInteger(field: Uint8Array | undefined): Uint8Array | undefined {
  const [first, second] = field ?? [];
  if (field === undefined || first === undefined || first > 0x7f) return undefined;
  if (first !== 0) return field;
  return second !== undefined && second > 0x7f ? field.subarray(1) : undefined;
}
