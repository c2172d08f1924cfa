import { checkText } from '../arguments/check-argument.ts';
import type { KeyAlgorithm } from '../rfc9421/key-algorithms.ts';
import { readCertificatePublicKey } from './certificate.ts';
import { derTag, readDer, readDerSequence } from './der.ts';
import { readJwk } from './jwk.ts';
import { readEncodedPublicKey, writePublicKeyPem } from './key-encodings.ts';
import type { KeyFacts, SshKeyType, UnexaminedKey } from './key-kind.ts';
import { type AnyKeyFacts, readerOf } from './key-kinds.ts';
import { keyTextLengthMax } from './key-text-length.ts';
import { readKeyText, type KeyText } from './key-text.ts';
import { holdsPrivateKey } from './private-key-signs.ts';
import { type PublicKeyPolicy, type PublicKeyRefusal, refuseKey, refuseKind } from './public-key-refusal.ts';
import { createKeyCommand } from './create-key-command.ts';
import { readRsaPublicKeyDer, type RsaKeyFacts } from './rsa/rsa-keys.ts';
import { readSshLine } from './ssh-line.ts';

/** The result of `readPublicKey`. */
export type PublicKeyReading = { readonly ok: true; readonly key: AnyPublicKey } | PublicKeyRefusal;

/** A public key's encoding and its purpose. */
export interface SubjectPublicKey {
  /** DER SubjectPublicKeyInfo. */
  readonly spkiDer: Uint8Array;
  /** The only algorithm that the key is used with. Defaults to that of its kind in the closed profiles. */
  readonly algorithm?: KeyAlgorithm | undefined;
}

/** A public key of any kind that passed every check, in the encodings that callers need. */
export interface PublicKey extends KeyFacts {
  /** The form in which it was read. */
  readonly format: PublicKeyFormat;
  /** The key's SubjectPublicKeyInfo as PEM, with a newline at the end. */
  readonly spkiPem: string;
}

/** A public key, with what is particular to its kind. */
export type AnyPublicKey = PublicKey & AnyKeyFacts;

/** An RSA public key. */
export interface RsaPublicKey extends PublicKey, RsaKeyFacts {
  readonly kind: 'rsa';
}

/** The readable forms. */
export type PublicKeyFormat = 'spki' | 'pkcs1' | 'certificate' | 'jwk' | SshKeyType;

/**
 * Reads one public key from untrusted text.
 *
 * Reads PEM and bare Base64 of a SubjectPublicKeyInfo, a PKCS#1 RSAPublicKey or a certificate; a JWK; and a
 * line of OpenSSH. First rejects a private key in any form, and stores or repeats nothing from it. The modulus of an RSA
 * key must have at least 2048 bits, at most the policy's maximum, and no known weakness; the exponent must be
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
  if (holdsPrivateKey(text.slice(0, keyTextLengthMax))) return refuseKey('private_key');
  const found = readText(readKeyText(text));
  if ('ok' in found) return found;
  const { format, key } = found;
  const refusal = yield* key.examine(policy);
  if (refusal !== undefined) return refusal;
  const facts = key.facts();
  return { ok: true, key: { ...facts, format, spkiPem: writePublicKeyPem(facts.spkiDer) } };
}

interface FoundKey {
  readonly format: PublicKeyFormat;
  readonly key: UnexaminedKey<AnyKeyFacts>;
}

function readText(keyText: KeyText): FoundKey | PublicKeyRefusal {
  switch (keyText.kind) {
    case 'fault':
      return refuseKey(keyText.code, keyText.message);
    case 'pem':
      return readLabelled(keyText.label, keyText.der);
    case 'base64':
      return readEncoded(formatOfDer(keyText.der), keyText.der);
    case 'json': {
      const key = readJwk(keyText.text);
      return 'ok' in key ? key : { format: 'jwk', key };
    }
    case 'ssh-line':
      return readSshLine(keyText.text);
    case 'ssh2':
    case 'putty':
    case 'xml':
    case 'printout':
    case 'hexadecimal':
      return refuseKey('key_malformed', otherWrappings[keyText.kind]);
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
  // Not a label of any standard; the content is what PUBLIC KEY has.
  ['EC PUBLIC KEY', 'spki'],
  ['DSA PUBLIC KEY', refuseKind()],
  ['EC PARAMETERS', refuseKind()],
  [
    'CERTIFICATE REQUEST',
    refuseKey(
      'key_malformed',
      'This is a certificate request. Send the public key in it: openssl req -in request.pem -pubkey -noout',
    ),
  ],
  [
    'TRUSTED CERTIFICATE',
    refuseKey(
      'key_malformed',
      'This certificate includes trust settings. Remove them: openssl x509 -in trusted.pem -out plain.pem',
    ),
  ],
  [
    'PKCS7',
    refuseKey('key_malformed', 'This is a certificate bundle. Send one certificate or one public key.'),
  ],
  [
    'PGP PUBLIC KEY BLOCK',
    refuseKey('key_malformed', `PGP keys are not supported. Create an RSA key: ${createKeyCommand}`),
  ],
]);

function readLabelled(label: string, der: Uint8Array): FoundKey | PublicKeyRefusal {
  const meaning = pemLabels.get(label);
  if (meaning === undefined)
    return refuseKey(
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

function readEncoded(format: PublicKeyFormat, der: Uint8Array): FoundKey | PublicKeyRefusal {
  const read = readDerAs(format, der);
  if (!('ok' in read)) return { format, key: read };
  return read.code === 'key_malformed' && formatOfDer(der) !== format
    ? refuseKey('key_malformed', "The PEM block's contents don't match its label. Export the key again.")
    : read;
}

function readDerAs(format: PublicKeyFormat, der: Uint8Array): UnexaminedKey<AnyKeyFacts> | PublicKeyRefusal {
  if (format === 'pkcs1') return readRsaPublicKeyDer(der);
  const publicKey = format === 'certificate' ? readCertificatePublicKey(der) : der;
  const encoded = publicKey && readEncodedPublicKey(publicKey);
  if (encoded === undefined) return refuseKey('key_malformed');
  return readerOf(encoded)?.readPublicKey(encoded) ?? refuseKind();
}
