import { checkText } from '../arguments/check-argument.ts';
import type { AlgorithmName } from '../rfc9421/algorithms.ts';
import { readCertificatePublicKey } from './certificate.ts';
import { decryptPrivateKey, readEncryptedPrivateKey, type EncryptionFault } from './encrypted-private-key.ts';
import { readEncodedPrivateKey, readEncodedPublicKey } from './key-encodings.ts';
import type { PrivateKeyFacts } from './key-kind.ts';
import { readEcPrivateKeyDer } from './ec/ec-keys.ts';
import { readerOf } from './key-kinds.ts';
import { readKeyText } from './key-text.ts';
import {
  convertAdvice,
  type PrivateKeyRefusal,
  refusePrivateKey as refuse,
  refusePrivateKind,
} from './private-key-refusal.ts';
import { privateKeyShape, type PrivateKeyShape } from './private-key-shape.ts';
import { readRsaPublicKey } from './rsa/public-encoding.ts';
import { readRsaPrivateKeyDer, rsaKeys } from './rsa/rsa-keys.ts';

/** The result of `readPrivateKey` and `readPlainPrivateKey`. */
export type PrivateKeyReading =
  | {
      readonly ok: true;
      /** DER PKCS#8 PrivateKeyInfo, as WebCrypto and node:crypto import it. Secret. */
      readonly pkcs8Der: Uint8Array<ArrayBuffer>;
      /** The only algorithm that the key is used with. */
      readonly algorithm: AlgorithmName;
      readonly bits: number;
      /** The same as `bits`. */
      readonly modulusBits: number;
    }
  | PrivateKeyRefusal;

/**
 * Reads one unencrypted private key: PKCS#8, PKCS#1 or an ECPrivateKey, as PEM or as bare Base64 with or without white space. The
 * modulus of an RSA key must have 2048 to 8192 bits, the exponent must be 65537, and the numbers must match each other.
 *
 * Not checked: that the primes are prime and were generated well, and that the key is registered anywhere.
 * Never throws, except for a TypeError if the text is not a string.
 */
export function readPlainPrivateKey(text: string): PrivateKeyReading {
  checkText(text, 'The text of a private key');
  const found = findPrivateKey(text);
  if ('ok' in found) return found;
  return found.encoding === 'encrypted-pkcs8'
    ? refuse('private_key_encrypted')
    : readEncoded(found.encoding, found.der);
}

/**
 * Reads one private key, encrypted or not. The encryption must be PKCS#8 with PBES2, PBKDF2 and AES-CBC, as
 * `openssl genpkey -aes256` and `openssl pkcs8 -topk8` write it. The passphrase is ignored for an unencrypted key.
 *
 * Checks the same as `readPlainPrivateKey`. Never rejects, except with a TypeError if an argument is not a
 * string. Needs `crypto.subtle` only for encrypted keys.
 *
 * @example
 * const reading = await readPrivateKey(text, passphrase);
 * if (!reading.ok) throw new Error(reading.message);
 */
export async function readPrivateKey(text: string, passphrase: string = ''): Promise<PrivateKeyReading> {
  checkText(text, 'The text of a private key');
  checkText(passphrase, 'The passphrase');
  const found = findPrivateKey(text);
  if ('ok' in found) return found;
  if (found.encoding !== 'encrypted-pkcs8') return readEncoded(found.encoding, found.der);
  const encrypted = readEncryptedPrivateKey(found.der);
  if (typeof encrypted === 'string') return encryptionRefusal(encrypted);
  if (passphrase === '') return refuse('private_key_encrypted');
  const decrypted = await decryptPrivateKey(encrypted, passphrase);
  if (decrypted === 'wrong') return refuse('passphrase_wrong');
  if (decrypted === 'unavailable') return refuse('encryption_not_supported', encryptionMessages.unavailable);
  return privateKeyShape(decrypted) === 'pkcs8'
    ? readEncoded('pkcs8', decrypted)
    : refuse('passphrase_wrong');
}

/**
 * Returns the DER EncryptedPrivateKeyInfo in a text that `readPlainPrivateKey` rejects as encrypted, for a
 * runtime that can decrypt more than WebCrypto can.
 */
export function encryptedPrivateKeyDer(text: string): Uint8Array | undefined {
  const found = findPrivateKey(text);
  return 'ok' in found || found.encoding !== 'encrypted-pkcs8' ? undefined : found.der;
}

const encryptionMessages = {
  scrypt: `The private key is encrypted with scrypt, which browsers don't support. ${convertAdvice}`,
  legacy: `The private key uses OpenSSL's legacy encryption, which is not supported. ${convertAdvice}`,
  tooManyIterations: `The private key's encryption uses too many PBKDF2 iterations. ${convertAdvice}`,
  unavailable: `This runtime cannot decrypt the private key; browsers can only do so over HTTPS. ${convertAdvice}`,
} as const;

function encryptionRefusal(fault: EncryptionFault): PrivateKeyRefusal {
  if (fault === 'malformed') return refuse('key_malformed');
  if (fault === 'scrypt') return refuse('encryption_not_supported', encryptionMessages.scrypt);
  if (fault === 'too_many_iterations')
    return refuse('encryption_not_supported', encryptionMessages.tooManyIterations);
  return refuse('encryption_not_supported');
}

/** The encodings of keys that are not encrypted: of any kind, of RSA keys, of keys for ECDSA. */
type PlainEncoding = 'pkcs8' | 'pkcs1' | 'ec';

interface FoundPrivateKey {
  readonly encoding: PlainEncoding | 'encrypted-pkcs8';
  readonly der: Uint8Array;
}

function findPrivateKey(text: string): FoundPrivateKey | PrivateKeyRefusal {
  // RFC 1421 section 4.6.1.1: header lines inside the PEM block, which no other kind of key has.
  if (/-----[ \t\r\n]+Proc-Type:[ \t]*4,[ \t]*ENCRYPTED/.test(text))
    return refuse('encryption_not_supported', encryptionMessages.legacy);
  const keyText = readKeyText(text);
  switch (keyText.kind) {
    case 'fault':
      return refuse(keyText.code, keyText.message);
    case 'pem':
      return meaningOf(pemLabels.get(keyText.label), keyText.der);
    case 'base64':
      return meaningOf(bareMeaning(keyText.der), keyText.der);
    case 'json':
      return /"d"\s{0,8}:/.test(keyText.text) ? refuse('format_not_supported') : refuse('public_key');
    case 'ssh-line':
    case 'ssh2':
      return refuse('public_key');
    case 'putty':
      return refuse('format_not_supported', formatMessages.putty);
    case 'xml':
    case 'printout':
    case 'hexadecimal':
      return refuse('format_not_supported');
  }
}

type Meaning = FoundPrivateKey['encoding'] | PrivateKeyRefusal;

const formatMessages = {
  openSsh:
    'OpenSSH private keys are not supported. Convert a copy of the file (it is overwritten): ' +
    'ssh-keygen -p -m PKCS8 -f copy-of-key. OpenSSH does not convert Ed25519 keys: create another with openssl.',
  putty:
    'PuTTY private keys are not supported. Export an OpenSSH key with PuTTYgen, and convert a copy: ssh-keygen -p -m PKCS8 -f copy-of-key. OpenSSH does not convert Ed25519 keys: create another with openssl.',
  pkcs12:
    'PKCS#12 files are not supported. Extract the key: ' +
    'openssl pkcs12 -in key.p12 -nocerts -nodes | openssl pkcs8 -topk8 -nocrypt -out private.pem',
} as const;

/** The meaning of each PEM label. */
const pemLabels: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['PRIVATE KEY', 'pkcs8'],
  ['RSA PRIVATE KEY', 'pkcs1'],
  ['ENCRYPTED PRIVATE KEY', 'encrypted-pkcs8'],
  ['OPENSSH PRIVATE KEY', refuse('format_not_supported', formatMessages.openSsh)],
  ['EC PRIVATE KEY', 'ec'],
  ['DSA PRIVATE KEY', refusePrivateKind()],
  ['PUBLIC KEY', refuse('public_key')],
  ['RSA PUBLIC KEY', refuse('public_key')],
  ['EC PUBLIC KEY', refuse('public_key')],
  [
    'CERTIFICATE',
    refuse('public_key', 'This is a certificate, which cannot sign. Use its private key instead.'),
  ],
]);

/** The meaning of each shape of bare Base64. */
const shapes: Readonly<Record<PrivateKeyShape, Meaning>> = {
  pkcs8: 'pkcs8',
  pkcs1: 'pkcs1',
  'encrypted-pkcs8': 'encrypted-pkcs8',
  ec: 'ec',
  pkcs12: refuse('format_not_supported', formatMessages.pkcs12),
};

function bareMeaning(der: Uint8Array): Meaning | undefined {
  const shape = privateKeyShape(der);
  if (shape !== undefined) return shapes[shape];
  const isPublic =
    readRsaPublicKey(der) !== undefined ||
    readEncodedPublicKey(der) !== undefined ||
    readCertificatePublicKey(der) !== undefined;
  return isPublic ? refuse('public_key') : undefined;
}

function meaningOf(meaning: Meaning | undefined, der: Uint8Array): FoundPrivateKey | PrivateKeyRefusal {
  if (meaning === undefined)
    return refuse(
      'key_malformed',
      'This is not a private key, or the key is damaged. Use the whole key file.',
    );
  return typeof meaning === 'string' ? { encoding: meaning, der } : meaning;
}

function readEncoded(encoding: PlainEncoding, der: Uint8Array): PrivateKeyReading {
  if (encoding === 'pkcs1') return reading(rsaKeys.algorithm, readRsaPrivateKeyDer(der));
  if (encoding === 'ec') return readingOfEc(readEcPrivateKeyDer(der));
  const encoded = readEncodedPrivateKey(der);
  if (encoded === undefined) return refuse('key_malformed');
  const reader = readerOf(encoded);
  return reader === undefined
    ? refusePrivateKind()
    : reading(reader.algorithm, reader.readPrivateKey(encoded));
}

function readingOfEc(read: ReturnType<typeof readEcPrivateKeyDer>): PrivateKeyReading {
  return 'ok' in read ? read : reading(read.algorithm, read);
}

function reading(algorithm: AlgorithmName, read: PrivateKeyFacts | PrivateKeyRefusal): PrivateKeyReading {
  return 'ok' in read ? read : { ok: true, algorithm, ...read, modulusBits: read.bits };
}
