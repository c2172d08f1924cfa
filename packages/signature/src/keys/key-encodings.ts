import { encodeBase64 } from '../rfc9421/base64.ts';
import {
  type DerElement,
  derTag,
  readDer,
  readDerBitString,
  readDerInteger,
  readDerObjectIdentifier,
  readDerSequence,
  writeDerBitString,
  writeDerInteger,
  writeDerObjectIdentifier,
  writeDerOctetString,
  writeDerSequence,
} from './der.ts';

/** An AlgorithmIdentifier (RFC 5280 section 4.1.1.2), which says what kind of key follows. */
export interface AlgorithmIdentifier {
  /** In dotted decimal. */
  readonly objectIdentifier: string;
  /** Undefined if they are absent. */
  readonly parameters: DerElement | undefined;
}

/** A SubjectPublicKeyInfo (RFC 5280 section 4.1), whose key has not been read. */
export interface EncodedPublicKey extends AlgorithmIdentifier {
  readonly subjectPublicKey: Uint8Array;
}

/** A PrivateKeyInfo or OneAsymmetricKey (RFC 5958 section 2), whose key has not been read. */
export interface EncodedPrivateKey extends AlgorithmIdentifier {
  /** The content of the OCTET STRING. */
  readonly privateKey: Uint8Array;
}

/** Reads a SubjectPublicKeyInfo with a key of any kind; undefined for anything else. */
export function readEncodedPublicKey(bytes: Uint8Array): EncodedPublicKey | undefined {
  const elements = readDerSequence(readDer(bytes));
  const subjectPublicKey = readDerBitString(elements?.[1]);
  const identifier = readAlgorithmIdentifier(elements?.[0]);
  if (elements?.length !== 2 || subjectPublicKey === undefined) return undefined;
  return identifier && { ...identifier, subjectPublicKey };
}

/** Reads a PrivateKeyInfo with a key of any kind; undefined for anything else. */
export function readEncodedPrivateKey(bytes: Uint8Array): EncodedPrivateKey | undefined {
  const elements = readDerSequence(readDer(bytes));
  const [versionElement, algorithm, privateKey, ...attributes] = elements ?? [];
  const version = readDerInteger(versionElement);
  if (version?.length !== 1 || (version[0] ?? 2) > 1 || privateKey?.tag !== derTag.octetString)
    return undefined;
  if (!attributes.every((element) => attributeTags.includes(element.tag))) return undefined;
  const identifier = readAlgorithmIdentifier(algorithm);
  return identifier && { ...identifier, privateKey: privateKey.content };
}

function readAlgorithmIdentifier(element: DerElement | undefined): AlgorithmIdentifier | undefined {
  const elements = readDerSequence(element);
  const objectIdentifier = readDerObjectIdentifier(elements?.[0]);
  if (elements === undefined || objectIdentifier === undefined || elements.length > 2) return undefined;
  return { objectIdentifier, parameters: elements[1] };
}

/** Writes a SubjectPublicKeyInfo, the one form in which keys are stored and fingerprinted. */
export function writeEncodedPublicKey(
  objectIdentifier: string,
  parameters: Uint8Array | undefined,
  subjectPublicKey: Uint8Array,
): Uint8Array<ArrayBuffer> {
  return writeDerSequence(
    writeAlgorithmIdentifier(objectIdentifier, parameters),
    writeDerBitString(subjectPublicKey),
  );
}

/** Writes a PrivateKeyInfo without attributes. */
export function writeEncodedPrivateKey(
  objectIdentifier: string,
  parameters: Uint8Array | undefined,
  privateKey: Uint8Array,
): Uint8Array<ArrayBuffer> {
  return writeDerSequence(
    writeDerInteger(Uint8Array.of(0)),
    writeAlgorithmIdentifier(objectIdentifier, parameters),
    writeDerOctetString(privateKey),
  );
}

function writeAlgorithmIdentifier(objectIdentifier: string, parameters: Uint8Array | undefined): Uint8Array {
  return writeDerSequence(writeDerObjectIdentifier(objectIdentifier), ...(parameters ? [parameters] : []));
}

/** Writes a SubjectPublicKeyInfo as PEM (RFC 7468 section 13): lines of 64 characters, a newline at the end. */
export function writePublicKeyPem(spkiDer: Uint8Array): string {
  const lines = encodeBase64(spkiDer).match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PUBLIC KEY-----', ...lines, '-----END PUBLIC KEY-----', ''].join('\n');
}

/** `[0]` attributes and `[1]` the public key, both ignored. */
const attributeTags: readonly number[] = [0xa0, 0x81];
