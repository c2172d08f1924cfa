import { derTag } from './der.ts';

/** The DER encodings of private keys, recognized by their first bytes. */
export type PrivateKeyShape = 'pkcs8' | 'pkcs1' | 'ec' | 'encrypted-pkcs8' | 'pkcs12';

/**
 * Recognizes a private key's encoding by its first bytes; undefined if they match none. Accepts any length, because the
 * end may be cut off and the lengths may be damaged.
 */
export function privateKeyShape(bytes: Uint8Array): PrivateKeyShape | undefined {
  const outer = readDerHeader(bytes, 0);
  const first = readDerHeader(bytes, outer?.contentStart ?? bytes.length);
  if (outer?.tag !== derTag.sequence || first === undefined) return undefined;
  if (first.tag === derTag.sequence) {
    const algorithm = readDerHeader(bytes, first.contentStart);
    if (algorithm?.tag !== derTag.objectIdentifier) return undefined;
    const isPasswordBased = passwordBasedAlgorithms.some((start) =>
      start.every((byte, index) => bytes[algorithm.contentStart + index] === byte),
    );
    return isPasswordBased ? 'encrypted-pkcs8' : undefined;
  }
  if (first.tag !== derTag.integer || first.length !== 1) return undefined;
  const version = bytes[first.contentStart];
  const second = readDerHeader(bytes, first.contentStart + 1);
  if (version === undefined || second === undefined) return undefined;
  return shapesWithVersion.find(
    (shape) => shape.versions.includes(version) && shape.fits(bytes, outer, second),
  )?.name;
}

/** The tag and length that begin an element. */
export interface DerHeader {
  readonly tag: number;
  readonly length: number;
  readonly contentStart: number;
}

interface ShapeWithVersion {
  readonly name: PrivateKeyShape;
  readonly versions: readonly number[];
  /** Checks the outer element, and the element after the version number. */
  fits(bytes: Uint8Array, outer: DerHeader, second: DerHeader): boolean;
}

/** SEQUENCE, INTEGER version, and then the element that distinguishes them. */
const shapesWithVersion: readonly ShapeWithVersion[] = [
  {
    // RFC 5958 section 2: the AlgorithmIdentifier follows.
    name: 'pkcs8',
    versions: [0, 1],
    fits: (bytes, _outer, second) =>
      second.tag === derTag.sequence &&
      (bytes[second.contentStart] ?? derTag.objectIdentifier) === derTag.objectIdentifier,
  },
  {
    // RFC 8017 appendix A.1.2: the key's numbers follow. OpenSSL's DSA key begins the same way.
    name: 'pkcs1',
    versions: [0, 1],
    fits: (_bytes, outer, second) => second.tag === derTag.integer && outer.length > 127,
  },
  {
    // RFC 5915 section 3: the private number follows, 14 to 72 bytes long.
    name: 'ec',
    versions: [1],
    fits: (_bytes, _outer, second) =>
      second.tag === derTag.octetString && second.length >= 14 && second.length <= 72,
  },
  {
    // RFC 7292 section 4: the authenticated safe follows.
    name: 'pkcs12',
    versions: [3],
    fits: (_bytes, _outer, second) => second.tag === derTag.sequence,
  },
];

/** 1.2.840.113549.1.5 (PKCS#5, RFC 8018) and 1.2.840.113549.1.12.1 (PKCS#12, RFC 7292), as OBJECT IDENTIFIER content. */
const passwordBasedAlgorithms: readonly (readonly number[])[] = [
  [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05],
  [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x0c, 0x01],
];

/** Reads a tag and a length in any form, BER too, without checking that the content is there. */
export function readDerHeader(bytes: Uint8Array, offset: number): DerHeader | undefined {
  const tag = bytes[offset];
  const firstLengthByte = bytes[offset + 1];
  if (tag === undefined || firstLengthByte === undefined) return undefined;
  if (firstLengthByte < 0x80) return { tag, length: firstLengthByte, contentStart: offset + 2 };
  if (firstLengthByte === 0x80) return { tag, length: Infinity, contentStart: offset + 2 };
  const lengthBytes = firstLengthByte & 0x7f;
  if (lengthBytes > 4) return undefined;
  let length = 0;
  for (let index = 0; index < lengthBytes; index++) length = length * 256 + (bytes[offset + 2 + index] ?? 0);
  return { tag, length, contentStart: offset + 2 + lengthBytes };
}
