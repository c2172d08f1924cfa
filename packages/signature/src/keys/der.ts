/**
 * DER (ITU-T X.690), as far as keys need it. The reader is strict: definite lengths in their shortest form, nothing
 * after the end, one-byte tags. For anything else it returns undefined; it never throws.
 */

/** The tags that occur in keys (X.690 section 8.1.2, X.680 section 8.4). */
export const derTag = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  sequence: 0x30,
} as const;

/** A tag, its length and its content. The arrays are views of the input. */
export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
  /** Tag, length and content. */
  readonly encoded: Uint8Array;
}

/** Reads bytes that hold exactly one element; undefined otherwise. */
export function readDer(bytes: Uint8Array): DerElement | undefined {
  const element = readElementAt(bytes, 0);
  return element !== undefined && element.encoded.length === bytes.length ? element : undefined;
}

/** Reads a SEQUENCE's elements; undefined for another tag, damage, or more than 64 elements. */
export function readDerSequence(element: DerElement | undefined): readonly DerElement[] | undefined {
  if (element?.tag !== derTag.sequence) return undefined;
  const elements: DerElement[] = [];
  for (let offset = 0; offset < element.content.length;) {
    const next = readElementAt(element.content, offset);
    if (next === undefined || elements.length === elementsMax) return undefined;
    elements.push(next);
    offset += next.encoded.length;
  }
  return elements;
}

/**
 * Reads a non-negative INTEGER, big-endian without leading zeros (zero itself is one zero byte). Returns undefined for
 * a negative number and for an encoding that is not the shortest (X.690 section 8.3.2).
 */
export function readDerInteger(element: DerElement | undefined): Uint8Array | undefined {
  if (element?.tag !== derTag.integer) return undefined;
  const [first, second] = element.content;
  if (first === undefined || first > 0x7f) return undefined;
  if (first !== 0 || second === undefined) return element.content;
  return second > 0x7f ? element.content.subarray(1) : undefined;
}

/** Reads a BIT STRING of whole bytes; undefined if bits are left over. */
export function readDerBitString(element: DerElement | undefined): Uint8Array | undefined {
  if (element?.tag !== derTag.bitString || element.content[0] !== 0) return undefined;
  return element.content.subarray(1);
}

/** Reads an OBJECT IDENTIFIER as dotted decimal; undefined for damage and for arcs above 2^28. */
export function readDerObjectIdentifier(element: DerElement | undefined): string | undefined {
  if (element?.tag !== derTag.objectIdentifier) return undefined;
  const arcs: number[] = [];
  let arc = 0;
  let isFirstOfArc = true;
  for (const byte of element.content) {
    if ((isFirstOfArc && byte === 0x80) || arc >= 2 ** 21) return undefined;
    arc = arc * 128 + (byte & 0x7f);
    isFirstOfArc = byte < 0x80;
    if (!isFirstOfArc) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [first, ...rest] = arcs;
  if (first === undefined || !isFirstOfArc) return undefined;
  const root = Math.min(Math.floor(first / 40), 2);
  return [root, first - root * 40, ...rest].join('.');
}

/** Writes one element: the tag, the shortest length, and the parts in order. */
export function writeDer(tag: number, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const lengthBytes: number[] = [];
  if (length < 0x80) lengthBytes.push(length);
  else {
    for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) lengthBytes.unshift(rest & 0xff);
    lengthBytes.unshift(0x80 | lengthBytes.length);
  }
  const bytes = new Uint8Array(1 + lengthBytes.length + length);
  bytes[0] = tag;
  bytes.set(lengthBytes, 1);
  let offset = 1 + lengthBytes.length;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

/** Writes a SEQUENCE of encoded elements. */
export function writeDerSequence(...elements: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return writeDer(derTag.sequence, ...elements);
}

/** Writes an INTEGER from a non-negative big-endian number without leading zeros. */
export function writeDerInteger(magnitude: Uint8Array): Uint8Array<ArrayBuffer> {
  return (magnitude[0] ?? 0) > 0x7f || magnitude.length === 0
    ? writeDer(derTag.integer, Uint8Array.of(0), magnitude)
    : writeDer(derTag.integer, magnitude);
}

/** Writes a BIT STRING of whole bytes. */
export function writeDerBitString(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return writeDer(derTag.bitString, Uint8Array.of(0), bytes);
}

export function writeDerOctetString(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return writeDer(derTag.octetString, bytes);
}

export function writeDerNull(): Uint8Array<ArrayBuffer> {
  return writeDer(derTag.null);
}

/** Writes an OBJECT IDENTIFIER from dotted decimal, as in `object-identifiers.ts`. */
export function writeDerObjectIdentifier(dotted: string): Uint8Array<ArrayBuffer> {
  const [root = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [root * 40 + second, ...rest].flatMap((arc) => {
    const digits = [arc & 0x7f];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) {
      digits.unshift(0x80 | (left & 0x7f));
    }
    return digits;
  });
  return writeDer(derTag.objectIdentifier, Uint8Array.from(bytes));
}

const elementsMax = 64;

/** Three bytes of length allow 16 MiB, far more than any text that is read. */
const lengthBytesMax = 3;

function readElementAt(bytes: Uint8Array, offset: number): DerElement | undefined {
  const tag = bytes[offset];
  const firstLengthByte = bytes[offset + 1];
  if (tag === undefined || firstLengthByte === undefined || (tag & 0x1f) === 0x1f) return undefined;
  let contentStart = offset + 2;
  let length = firstLengthByte;
  if (firstLengthByte > 0x7f) {
    const lengthBytes = firstLengthByte & 0x7f;
    if (lengthBytes === 0 || lengthBytes > lengthBytesMax) return undefined;
    length = 0;
    for (let index = 0; index < lengthBytes; index++)
      length = length * 256 + (bytes[contentStart + index] ?? 0);
    contentStart += lengthBytes;
    if (length < (lengthBytes === 1 ? 0x80 : 256 ** (lengthBytes - 1))) return undefined;
  }
  const end = contentStart + length;
  if (end > bytes.length) return undefined;
  return { tag, content: bytes.subarray(contentStart, end), encoded: bytes.subarray(offset, end) };
}
