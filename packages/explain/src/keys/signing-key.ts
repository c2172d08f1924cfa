import type { AlgorithmName } from '@countersign/signature';
import { algorithms } from '@countersign/signature/rfc9421';
import {
  algorithmOfEncodedKey,
  decodeCurvePoint,
  p256,
  p384,
  type PrimeCurve,
  readEncodedPublicKey,
  readKeyText,
} from '@countersign/signature/keys';
import { isEqual } from '../byte-text.ts';
import { EcdsaVerifier } from '../curves/ecdsa-verifier.ts';
import { Ed25519Verifier, type IsSigned } from '../curves/ed25519-verifier.ts';
import type { CandidateKey, HashName, Hashes } from '../explanation.ts';
import { sha256 as portableSha256 } from '@countersign/signature/hashes';
import { sha384 as portableSha384, sha512 as portableSha512 } from '../hashes/sha512.ts';
import { type EncodedMessage, readEncodedMessage } from '../rsa/encoded-message.ts';
import { pssPayload } from '../rsa/pss.ts';
import { readModulus, recoverEncodedMessage } from '../rsa/rsa-public-operation.ts';
import { isEncodedBy, type RsaUse, rsaUsesOf } from '../rsa/rsa-uses.ts';

export type { IsSigned } from '../curves/ed25519-verifier.ts';
export type { EncodedMessage } from '../rsa/encoded-message.ts';
export { pssPayload } from '../rsa/pss.ts';
export { isEncodedBy } from '../rsa/rsa-uses.ts';

/** A candidate's key, ready to tell what it signed. */
export interface SigningKey {
  readonly candidate: CandidateKey;
  /** The algorithm of its kind; `rsaUses` says which of an RSA key. */
  readonly algorithm: AlgorithmName;
  /** The length of each of its signatures. */
  readonly signatureBytes: number;
  /**
   * Recovers what this key signed, if its signatures reveal that. Undefined if they do not, if another key signed, or if
   * the length differs.
   */
  readonly recover: (signature: Uint8Array, hashes: Hashes) => EncodedMessage | undefined;
  /**
   * Returns the test of whether this key signed a text, if its signatures reveal nothing else. Each text costs as much as
   * hundreds of hashes. Undefined if `recover` says more, and for bytes that are no signature.
   */
  readonly testOf: TestOf;
  /** The hash functions that such a test can be asked for in place of the algorithm's own. */
  readonly otherHashes: readonly HashName[];
  /** What the service accepts from an RSA key; none for other keys. */
  readonly rsaUses: readonly RsaUse[];
}

type TestOf = (signature: Uint8Array, hashes: Hashes, otherHash?: HashName) => IsSigned | undefined;

/** Reads a candidate's key; undefined for a kind that is not supported. */
export function readSigningKey(candidate: CandidateKey): SigningKey | undefined {
  const text = readKeyText(candidate.spkiPem);
  if (!('der' in text)) return undefined;
  const algorithm = algorithmOfEncodedKey(text.der);
  return algorithm && readers[algorithm](candidate, text.der);
}

type ReadKey = (candidate: CandidateKey, spkiDer: Uint8Array) => SigningKey | undefined;

/** What an ECDSA key is used with, rightly or wrongly. */
const usualHashes: readonly HashName[] = ['sha256', 'sha384', 'sha512', 'sha1'];

const readers: Readonly<Record<AlgorithmName, ReadKey>> = {
  'rsa-v1_5-sha256': rsaKey,
  ed25519(candidate, spkiDer) {
    const verifier = new Ed25519Verifier(spkiDer.subarray(-32));
    return testedKey(candidate, 'ed25519', (signature, { sha512 }) => verifier.open(signature, sha512));
  },
  'ecdsa-p256-sha256': ecdsaReader('ecdsa-p256-sha256', p256, 'sha256'),
  'ecdsa-p384-sha384': ecdsaReader('ecdsa-p384-sha384', p384, 'sha384'),
};

/** Returns the algorithms that the service accepts from a key. */
export function algorithmsOf({ algorithm, rsaUses }: SigningKey): readonly string[] {
  return rsaUses.length > 0 ? rsaUses.map((use) => use.algorithm) : [algorithm];
}

/** Returns true if a key verifies a signature of a text, as the service does. */
export function verifies(key: SigningKey, text: Uint8Array, signature: Uint8Array, hashes: Hashes): boolean {
  const isSigned = key.testOf(signature, hashes);
  if (isSigned) return isSigned(text);
  return key.rsaUses.some((use) => {
    const hash = hashes[use.hash] ?? portableHashes[use.hash]!;
    // Only its own hash: the others would be tried for nothing.
    const message = key.recover(signature, { [use.hash]: hash });
    if (message === undefined || message.scheme === 'bare' || !isEncodedBy(use, message)) return false;
    const digest = hash(text);
    const expected = message.scheme === 'pss' ? pssPayload(digest, message.salt, hash) : digest;
    return isEqual(message.payload, expected);
  });
}

function rsaKey(candidate: CandidateKey, spkiDer: Uint8Array): SigningKey | undefined {
  const key = readModulus(spkiDer);
  if (key === undefined) return undefined;
  const modulusBits = key.modulus.toString(2).length;
  return {
    candidate,
    algorithm: 'rsa-v1_5-sha256',
    signatureBytes: key.modulusBytes,
    recover(signature, hashes) {
      const encoded = recoverEncodedMessage(signature, key);
      return encoded && readEncodedMessage(encoded, modulusBits, hashes);
    },
    testOf: () => undefined,
    otherHashes: [],
    rsaUses: rsaUsesOf(candidate.algorithms),
  };
}

function ecdsaReader(algorithm: AlgorithmName, curve: PrimeCurve, own: HashName): ReadKey {
  const otherHashes = usualHashes.filter((name) => name !== own);
  return (candidate, spkiDer) => {
    const encoded = readEncodedPublicKey(spkiDer);
    const point = encoded && decodeCurvePoint(curve, encoded.subjectPublicKey);
    if (point === undefined) return undefined;
    const verifier = new EcdsaVerifier(curve, point);
    const testOf: TestOf = (signature, hashes, hashName = own) => {
      const hash = hashes[hashName] ?? portableHashes[hashName];
      return hash && verifier.open(signature, hash);
    };
    return testedKey(candidate, algorithm, testOf, otherHashes);
  };
}

/** A key whose signatures reveal nothing but whether they are of a text. */
function testedKey(
  candidate: CandidateKey,
  algorithm: AlgorithmName,
  testOf: TestOf,
  otherHashes: readonly HashName[] = [],
): SigningKey {
  const { min: signatureBytes } = algorithms[algorithm].signatureBytes;
  return { candidate, algorithm, signatureBytes, recover: () => undefined, testOf, otherHashes, rsaUses: [] };
}

/** For callers that give no others. */
const portableHashes: Hashes = { sha256: portableSha256, sha384: portableSha384, sha512: portableSha512 };
