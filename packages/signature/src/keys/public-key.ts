import { checkText } from '../arguments/check-argument.ts';
import type { AlgorithmName } from '../rfc9421/algorithms.ts';
import { readCertificatePublicKey } from './certificate.ts';
import { readDer, readDerSequence, derTag } from './der.ts';
import { readJwk } from './jwk.ts';
import { createKeyCommand } from './create-key-command.ts';
import { keyTextLengthMax, readKeyText, type KeyText } from './key-text.ts';
import { holdsPrivateKey } from './private-key-signs.ts';
import { publishedTestKeyName } from './published-test-keys.ts';
import {
  readRsaPublicKey,
  readSubjectPublicKeyInfo,
  writePublicKeyPem,
  writeSubjectPublicKeyInfo,
  type RsaEncodingFault,
  type RsaNumbers,
} from './rsa-public-encoding.ts';
import { readSshLine } from './ssh-line.ts';
import { bitLength, hexadecimal, unsignedFrom } from './unsigned.ts';
import { findModulusWeakness } from './weak-modulus.ts';

/** Exceptions from a verifier's default limits. */
export interface PublicKeyPolicy {
  /** The largest modulus, in bits. Defaults to 4096; values above 8192 count as 8192. */
  readonly modulusBitsMax?: number;
  /** Accepts test keys whose private half is published. Never use it in production: anyone can sign with them. */
  readonly allowPublishedTestKeys?: boolean;
}

/** The result of `readPublicKey`. */
export type PublicKeyReading = { readonly ok: true; readonly key: RsaPublicKey } | PublicKeyRefusal;

/** A public key's encoding and its purpose. */
export interface SubjectPublicKey {
  /** DER SubjectPublicKeyInfo. */
  readonly spkiDer: Uint8Array;
  /** The only algorithm that the key is used with. Undefined in records from before there were several: `rsa-v1_5-sha256`. */
  readonly algorithm?: AlgorithmName | undefined;
}

/** An RSA public key that passed every check, in the encodings that callers need. */
export interface RsaPublicKey extends SubjectPublicKey {
  /** The only algorithm that the key is used with. */
  readonly algorithm: AlgorithmName;
  /** The form in which it was read. */
  readonly format: PublicKeyFormat;
  readonly modulusBits: number;
  /** Big-endian, without leading zeros. */
  readonly modulus: Uint8Array<ArrayBuffer>;
  readonly exponent: 65537;
  /**
   * DER SubjectPublicKeyInfo, re-encoded from the numbers: equal for equal keys, whatever form they were read
   * from.
   */
  readonly spkiDer: Uint8Array<ArrayBuffer>;
  /** The same as PEM, with a newline at the end. */
  readonly spkiPem: string;
}

/** The readable forms. */
export type PublicKeyFormat = 'spki' | 'pkcs1' | 'certificate' | 'jwk' | 'ssh-rsa';

/** The rejection of a text as a public key. */
export interface PublicKeyRefusal {
  readonly ok: false;
  readonly code: PublicKeyRefusalCode;
  /** Says what is wrong and what to do, in one or two sentences. Never contains any of the text. */
  readonly message: string;
}

/** The reason why a text is rejected. */
export type PublicKeyRefusalCode =
  | 'key_missing'
  | 'key_malformed'
  | 'private_key'
  | 'several_keys'
  | 'not_rsa'
  | 'pss_only'
  | 'modulus_too_small'
  | 'modulus_too_large'
  | 'exponent_not_allowed'
  | 'modulus_weak_small_factor'
  | 'modulus_weak_close_primes'
  | 'modulus_weak_roca'
  | 'modulus_weak_prime'
  | 'modulus_even'
  | 'published_test_key';

/**
 * Reads one RSA public key from untrusted text.
 *
 * Reads PEM and bare Base64 of a SubjectPublicKeyInfo, a PKCS#1 RSAPublicKey or a certificate; a JWK; and an
 * `ssh-rsa` line. First rejects a private key in any form, and stores or repeats nothing from it. The modulus
 * must have at least 2048 bits, at most the policy's maximum, and no known weakness; the exponent must be
 * 65537.
 *
 * Not checked: who owns the private half, that it is kept secret, that no other client has the same key, and anything
 * else in a certificate or JWK, such as dates, names and issuers.
 *
 * Never throws, except for a TypeError if the text is not a string. Blocks for as long as
 * `findModulusWeakness` takes (70 ms for 4096 bits): in a server, use `readPublicKeyInTurns`.
 *
 * @example
 * const reading = readPublicKey(text);
 * if (reading.ok) store(reading.key.spkiDer);
 * else show(reading.code, reading.message);
 */
export function readPublicKey(text: string, policy: PublicKeyPolicy = {}): PublicKeyReading {
  const steps = readInSteps(text, policy);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Reads a public key like `readPublicKey`, but yields to other work every few milliseconds.
 *
 * @param turn resolves when the reading may continue, for example after `setImmediate`
 */
export async function readPublicKeyInTurns(
  text: string,
  policy: PublicKeyPolicy,
  turn: () => Promise<void>,
): Promise<PublicKeyReading> {
  const steps = readInSteps(text, policy);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await turn();
  }
}

function* readInSteps(text: string, policy: PublicKeyPolicy): Generator<void, PublicKeyReading> {
  checkText(text, 'The text of a public key');
  if (holdsPrivateKey(text.slice(0, keyTextLengthMax))) return refuse('private_key');
  const found = readNumbers(readKeyText(text));
  if ('ok' in found) return found;
  const refusal = yield* numbersRefusal(found, policy);
  if (refusal !== undefined) return refusal;
  const spkiDer = writeSubjectPublicKeyInfo(found);
  const key: RsaPublicKey = {
    algorithm: 'rsa-v1_5-sha256',
    format: found.format,
    modulusBits: bitLength(found.modulus),
    modulus: found.modulus.slice(),
    exponent: 65537,
    spkiDer,
    spkiPem: writePublicKeyPem(spkiDer),
  };
  return { ok: true, key };
}

type SizeCode = 'modulus_too_small' | 'modulus_too_large';

/** The default message for each code. The messages about the size include it. */
const messages: Readonly<Record<Exclude<PublicKeyRefusalCode, SizeCode>, string>> = {
  key_missing: 'There is no key in the text.',
  key_malformed: 'The key is damaged or incomplete. Copy the whole key again.',
  private_key:
    'This is a private key, or contains one. If it has left the machine it was created on, treat it as compromised and ' +
    'create a new one. Send only the public key: openssl rsa -in private.pem -pubout',
  several_keys: 'The text contains more than one key. Send exactly one.',
  not_rsa: `The key is not an RSA key. Create one: ${createKeyCommand}`,
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
  published_test_key: `This is a test key, and its private key is public. Create your own: ${createKeyCommand}`,
};

function refuse(code: keyof typeof messages, message: string = messages[code]): PublicKeyRefusal {
  return { ok: false, code, message };
}

function refuseSize(code: SizeCode, bits: number, limit: string): PublicKeyRefusal {
  const message = `The RSA key has ${bits} bits; ${limit} are allowed. Create a new one: ${createKeyCommand}`;
  return { ok: false, code, message };
}

interface FoundNumbers extends RsaNumbers {
  readonly format: PublicKeyFormat;
}

function readNumbers(keyText: KeyText): FoundNumbers | PublicKeyRefusal {
  switch (keyText.kind) {
    case 'fault':
      return refuse(keyText.code, keyText.message);
    case 'pem':
      return readLabelled(keyText.label, keyText.der);
    case 'base64':
      return readEncoded(formatOfDer(keyText.der), keyText.der);
    case 'json': {
      const numbers = readJwk(keyText.text);
      return 'code' in numbers ? refuse(numbers.code, numbers.message) : { format: 'jwk', ...numbers };
    }
    case 'ssh-line': {
      const numbers = readSshLine(keyText.text);
      return 'code' in numbers ? refuse(numbers.code, numbers.message) : { format: 'ssh-rsa', ...numbers };
    }
    case 'ssh2':
    case 'putty':
    case 'xml':
    case 'printout':
    case 'hexadecimal':
      return refuse('key_malformed', otherWrappings[keyText.kind]);
  }
}

const otherWrappings = {
  ssh2: 'SSH2 public key files are not supported. Convert the file: ssh-keygen -i -m RFC4716 -f key.pub',
  putty: 'PuTTY files are not supported. Send the public key as PEM.',
  xml: 'XML keys are not supported. Send the public key as PEM.',
  printout: 'This is the text output of openssl, not the key itself. Send the PEM file.',
  hexadecimal: 'Hexadecimal keys are not supported. Send the key as PEM or Base64.',
} as const;

/** The meaning of each PEM label. */
const pemLabels: ReadonlyMap<string, PublicKeyFormat | PublicKeyRefusal> = new Map<
  string,
  PublicKeyFormat | PublicKeyRefusal
>([
  ['PUBLIC KEY', 'spki'],
  ['RSA PUBLIC KEY', 'pkcs1'],
  ['CERTIFICATE', 'certificate'],
  ['X509 CERTIFICATE', 'certificate'],
  ['EC PUBLIC KEY', refuse('not_rsa')],
  ['DSA PUBLIC KEY', refuse('not_rsa')],
  ['EC PARAMETERS', refuse('not_rsa')],
  [
    'CERTIFICATE REQUEST',
    refuse(
      'key_malformed',
      'This is a certificate request. Send the public key in it: openssl req -in request.pem -pubkey -noout',
    ),
  ],
  [
    'TRUSTED CERTIFICATE',
    refuse(
      'key_malformed',
      'This certificate includes trust settings. Remove them: openssl x509 -in trusted.pem -out plain.pem',
    ),
  ],
  ['PKCS7', refuse('key_malformed', 'This is a certificate bundle. Send one certificate or one public key.')],
  [
    'PGP PUBLIC KEY BLOCK',
    refuse('key_malformed', `PGP keys are not supported. Create an RSA key: ${createKeyCommand}`),
  ],
]);

function readLabelled(label: string, der: Uint8Array): FoundNumbers | PublicKeyRefusal {
  const meaning = pemLabels.get(label);
  if (meaning === undefined)
    return refuse(
      'key_malformed',
      'The PEM block is neither a public key nor a certificate. Send a block that begins with BEGIN PUBLIC KEY.',
    );
  return typeof meaning === 'string' ? readEncoded(meaning, der) : meaning;
}

/** Guesses the format from the first element. That is enough, because the format's reader checks the rest. */
function formatOfDer(der: Uint8Array): PublicKeyFormat {
  const elements = readDerSequence(readDer(der));
  if (elements?.[0]?.tag === derTag.integer) return 'pkcs1';
  return elements?.length === 3 ? 'certificate' : 'spki';
}

function readEncoded(format: PublicKeyFormat, der: Uint8Array): FoundNumbers | PublicKeyRefusal {
  const numbers = readDerAs(format, der);
  if (typeof numbers === 'object') return { format, ...numbers };
  if (numbers !== 'malformed') return refuse(numbers);
  return formatOfDer(der) === format
    ? refuse('key_malformed')
    : refuse('key_malformed', "The PEM block's contents don't match its label. Export the key again.");
}

function readDerAs(format: PublicKeyFormat, der: Uint8Array): RsaNumbers | RsaEncodingFault {
  if (format === 'pkcs1') return readRsaPublicKey(der) ?? 'malformed';
  const publicKey = format === 'certificate' ? readCertificatePublicKey(der) : der;
  return publicKey === undefined ? 'malformed' : readSubjectPublicKeyInfo(publicKey);
}

/** PROFILE 2.3. Checks the size first, to bound the arithmetic that follows. */
function* numbersRefusal(
  numbers: RsaNumbers,
  policy: PublicKeyPolicy,
): Generator<void, PublicKeyRefusal | undefined> {
  const bits = bitLength(numbers.modulus);
  const bitsMax = Math.min(policy.modulusBitsMax ?? 4096, 8192);
  if (bits < 2048) return refuseSize('modulus_too_small', bits, 'at least 2048');
  // The negated comparison also rejects if the limit is NaN.
  if (!(bits <= bitsMax)) return refuseSize('modulus_too_large', bits, `at most ${bitsMax}`);
  if (hexadecimal(numbers.exponent) !== '010001') return refuse('exponent_not_allowed');
  if (policy.allowPublishedTestKeys !== true && publishedTestKeyName(numbers.modulus) !== undefined) {
    return refuse('published_test_key');
  }
  const weakness = yield* findModulusWeakness(unsignedFrom(numbers.modulus));
  return weakness === undefined ? undefined : refuse(weakness);
}
