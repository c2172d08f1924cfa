import { type AlgorithmName, algorithms } from '../../rfc9421/algorithms.ts';
import { readBase64Url } from '../base64-url.ts';
import { createKeyCommand } from '../create-key-command.ts';
import { readDerObjectIdentifier, writeDerObjectIdentifier } from '../der.ts';
import {
  type AlgorithmIdentifier,
  readEncodedPublicKey,
  writeEncodedPrivateKey,
  writeEncodedPublicKey,
} from '../key-encodings.ts';
import type { KeyFacts, KeyReader, PrivateKeyFacts, UnexaminedKey } from '../key-kind.ts';
import { type PrivateKeyRefusal, refusePrivateKey, refusePrivateKind } from '../private-key-refusal.ts';
import { type PublicKeyPolicy, type PublicKeyRefusal, refuseKey, refuseKind } from '../public-key-refusal.ts';
import { hexadecimal, unsignedBytes, unsignedFrom } from '../unsigned.ts';
import { type EcPrivateKey, readEcPrivateKey, writeEcPrivateKey } from './ec-private-key.ts';
import { type AffinePoint, decodeCurvePoint, p256, p384, type PrimeCurve } from './prime-curve.ts';
import { publishedTestKeys } from './published-test-keys.ts';

/** What is known about a key for ECDSA. */
export interface EcKeyFacts extends KeyFacts {
  readonly kind: 'p-256' | 'p-384';
}

interface NamedCurve {
  readonly curve: PrimeCurve;
  readonly kind: EcKeyFacts['kind'];
  readonly algorithm: AlgorithmName;
  /** RFC 5480 section 2.1.1.1. */
  readonly objectIdentifier: string;
  /** RFC 7518 section 6.2.1.1. */
  readonly jwkName: string;
  /** RFC 7518 section 3.4. */
  readonly jwkAlgorithm: string;
  /** RFC 5656 section 10.1. */
  readonly sshName: 'nistp256' | 'nistp384';
}

const namedP256: NamedCurve = {
  curve: p256,
  kind: 'p-256',
  algorithm: 'ecdsa-p256-sha256',
  objectIdentifier: '1.2.840.10045.3.1.7',
  jwkName: 'P-256',
  jwkAlgorithm: 'ES256',
  sshName: 'nistp256',
};

const namedP384: NamedCurve = {
  curve: p384,
  kind: 'p-384',
  algorithm: 'ecdsa-p384-sha384',
  objectIdentifier: '1.3.132.0.34',
  jwkName: 'P-384',
  jwkAlgorithm: 'ES384',
  sshName: 'nistp384',
};

/** Keys of P-256, for `ecdsa-p256-sha256`. */
export const p256Keys: KeyReader<EcKeyFacts> = ecKeys(namedP256);
/** Keys of P-384, for `ecdsa-p384-sha384`. */
export const p384Keys: KeyReader<EcKeyFacts> = ecKeys(namedP384);

/** RFC 5480 section 2.1.1. */
const ecPublicKey = '1.2.840.10045.2.1';

/**
 * Checks a stored key once more: registration refuses such keys, but a registry may hold what was written past it.
 *
 * @throws TypeError for a key of another algorithm, and for one whose private number anyone knows
 */
export function checkEcPublicKey(spkiDer: Uint8Array, algorithm: AlgorithmName): void {
  const encoded = readEncodedPublicKey(spkiDer);
  const named = [namedP256, namedP384].find((one) => one.algorithm === algorithm);
  if (named === undefined || encoded === undefined || !isOfCurve(encoded, named))
    throw new TypeError(`The key is not a key for ${algorithm}.`);
  const point = decodeCurvePoint(named.curve, encoded.subjectPublicKey);
  if (point === undefined || isGenerator(named.curve, point))
    throw new TypeError('Anyone can sign for this key.');
}

/** The generator or its inverse, whose private numbers are 1 and −1. */
function isGenerator({ generator }: PrimeCurve, { x }: AffinePoint): boolean {
  return x === generator.x;
}

function isOfCurve({ objectIdentifier, parameters }: AlgorithmIdentifier, named: NamedCurve): boolean {
  return objectIdentifier === ecPublicKey && readDerObjectIdentifier(parameters) === named.objectIdentifier;
}

/** Reads an ECPrivateKey that stands by itself (RFC 5915 section 4), and so names its curve. */
export function readEcPrivateKeyDer(
  der: Uint8Array,
): (PrivateKeyFacts & { readonly algorithm: AlgorithmName }) | PrivateKeyRefusal {
  const key = readEcPrivateKey(der);
  if (key === undefined) return refusePrivateKey('key_malformed');
  const named = [namedP256, namedP384].find(({ objectIdentifier }) => objectIdentifier === key.curve);
  if (named === undefined) return refusePrivateKind();
  const facts = examinePrivateKey(named, key);
  return 'ok' in facts ? facts : { ...facts, algorithm: named.algorithm };
}

function ecKeys(named: NamedCurve): KeyReader<EcKeyFacts> {
  const { curve, kind, algorithm, objectIdentifier, jwkName, jwkAlgorithm, sshName } = named;
  const { webCrypto } = algorithms[algorithm];
  return {
    kind,
    algorithm,
    signatureBytesMax: () => 2 * curve.bytes,
    isFor: (identifier) => isOfCurve(identifier, named),
    readPublicKey: ({ subjectPublicKey }) => unexamined(named, subjectPublicKey),
    readPrivateKey({ privateKey }) {
      const key = readEcPrivateKey(privateKey);
      return key === undefined || (key.curve ?? objectIdentifier) !== objectIdentifier
        ? refusePrivateKey('key_malformed')
        : examinePrivateKey(named, key);
    },
    jwk: {
      types: ['EC', 'EC-HSM'],
      curve: jwkName,
      members: ['crv', 'x', 'y'],
      privateLengthMin: 40,
      // RFC 7518 section 6.2.1.
      read({ alg, x, y }) {
        if (alg !== undefined && alg !== jwkAlgorithm && alg !== algorithm)
          return refuseKind(
            `The alg of the JWK is not ${jwkAlgorithm}. Send a key for ${jwkAlgorithm}, or leave out alg.`,
          );
        const [xBytes, yBytes] = [readBase64Url(x), readBase64Url(y)];
        if (xBytes?.length !== curve.bytes || yBytes?.length !== curve.bytes)
          return refuseKey(
            'key_malformed',
            `The x or y of the JWK is malformed. Both must be Base64url of ${curve.bytes} bytes, without padding.`,
          );
        return unexamined(named, Uint8Array.of(4, ...xBytes, ...yBytes));
      },
    },
    cryptoKey: {
      description: `${webCrypto.name} key for ${jwkName}`,
      fits: ({ name, namedCurve }) => name === webCrypto.name && namedCurve === jwkName,
    },
    ssh: {
      type: `ecdsa-sha2-${sshName}`,
      // RFC 5656 section 3.1.
      read: ([name, point, ...others]) =>
        name !== undefined &&
        String.fromCharCode(...name.subarray(0, 32)) === sshName &&
        point &&
        others.length === 0
          ? unexamined(named, point)
          : undefined,
    },
  };
}

function unexamined(
  { curve, kind, algorithm, objectIdentifier }: NamedCurve,
  encoded: Uint8Array,
): UnexaminedKey<EcKeyFacts> {
  return {
    examine: (policy) => refusalOf(curve, encoded, policy),
    facts() {
      const point = decodeCurvePoint(curve, encoded)!;
      const coordinates = [point.x, point.y].flatMap((number) => [...unsignedBytes(number, curve.bytes)]);
      const uncompressed = Uint8Array.of(4, ...coordinates);
      const spkiDer = writeEncodedPublicKey(
        ecPublicKey,
        writeDerObjectIdentifier(objectIdentifier),
        uncompressed,
      );
      return { kind, algorithm, bits: 8 * curve.bytes, spkiDer };
    },
  };
}

// One step: the arithmetic takes less than a millisecond.
// oxlint-disable-next-line require-yield
function* refusalOf(
  curve: PrimeCurve,
  encoded: Uint8Array,
  { allowPublishedTestKeys }: PublicKeyPolicy,
): Generator<void, PublicKeyRefusal | undefined> {
  const point = decodeCurvePoint(curve, encoded);
  if (point === undefined) return refuseKey('key_malformed');
  if (isGenerator(curve, point)) return refuseKey('key_malformed', weak);
  return allowPublishedTestKeys !== true &&
    publishedTestKeys.has(hexadecimal(encoded.subarray(1, 1 + curve.bytes)))
    ? refuseKey('published_test_key')
    : undefined;
}

const weak = `No tool creates such a key: everyone knows its private number. Create a new one: ${createKeyCommand}`;

/** Examines the numbers: the private one must be below the order, and the public point on the curve. */
function examinePrivateKey(
  { curve, objectIdentifier }: NamedCurve,
  key: EcPrivateKey,
): PrivateKeyFacts | PrivateKeyRefusal {
  const { privateNumber, publicPoint } = key;
  const number = unsignedFrom(privateNumber);
  const isDamaged =
    privateNumber.length !== curve.bytes ||
    number === 0n ||
    number >= curve.order ||
    (publicPoint && decodeCurvePoint(curve, publicPoint) === undefined);
  if (isDamaged === true) return refusePrivateKey('key_malformed');
  const pkcs8Der = writeEncodedPrivateKey(
    ecPublicKey,
    writeDerObjectIdentifier(objectIdentifier),
    writeEcPrivateKey(key),
  );
  return { pkcs8Der, bits: 8 * curve.bytes };
}
