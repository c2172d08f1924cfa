import type { Hashes, HashFunction, HashName } from '../explanation.ts';

/** The input of the signer's RSA operation under EMSA-PSS (RFC 8017 section 9.1). */
export interface PssMessage {
  readonly scheme: 'pss';
  readonly hash: HashName;
  readonly payload: Uint8Array;
  readonly salt: Uint8Array;
  /** True if there is too much padding for chance. */
  readonly isCertain: boolean;
  /** What the same bytes may mean too: with the longest salt, one reading in hundreds is there by chance. */
  readonly others: readonly PssMessage[];
}

const pssHashes: readonly (readonly [name: HashName, bytes: number])[] = [
  ['sha256', 32],
  ['sha512', 64],
  ['sha384', 48],
  ['sha1', 20],
];

/**
 * Reads EMSA-PSS (RFC 8017 section 9.1.2) with MGF1 over the same hash function, or over SHA-1, the default
 * of some libraries. The reading with most padding comes first. Undefined for anything else.
 */
export function readPss(encoded: Uint8Array, modulusBits: number, hashes: Hashes): PssMessage | undefined {
  if (encoded.at(-1) !== 0xbc) return undefined;
  const readings: (Omit<PssMessage, 'others'> & { readonly padding: number })[] = [];
  for (const [hash, hashBytes] of pssHashes) {
    for (const mask of new Set([hash, 'sha1'] as const)) {
      const maskHash = hashes[mask];
      const salt = maskHash && readSalt(encoded, modulusBits, hashBytes, maskHash);
      if (!salt || !hashes[hash]) continue;
      const padding = maskedLengthOf(encoded, hashBytes) - salt.length;
      const payload = encoded.subarray(-hashBytes - 1, -1);
      readings.push({ scheme: 'pss', hash, salt, payload, padding, isCertain: padding > 8 });
    }
  }
  const [first, ...others] = readings.toSorted((a, b) => b.padding - a.padding);
  return first && { ...first, others: others.map((one) => ({ ...one, others: [] })) };
}

/** Computes the hash inside a PSS signature from the message's hash (RFC 8017 section 9.1.1, steps 5 and 6). */
export function pssPayload(messageHash: Uint8Array, salt: Uint8Array, hash: HashFunction): Uint8Array {
  const input = new Uint8Array(8 + messageHash.length + salt.length);
  input.set(messageHash, 8);
  input.set(salt, 8 + messageHash.length);
  return hash(input);
}

function readSalt(
  encoded: Uint8Array,
  modulusBits: number,
  hashBytes: number,
  maskHash: HashFunction,
): Uint8Array | undefined {
  const maskedLength = maskedLengthOf(encoded, hashBytes);
  if (maskedLength < 9) return undefined;
  const mask = mgf1(encoded.subarray(maskedLength, -1), maskedLength, maskHash);
  const block = encoded.subarray(0, maskedLength).map((byte, index) => byte ^ mask[index]!);
  // A modulus of 8n bits leaves a message of 8n - 1; other sizes leave a few more bits unused.
  block[0]! &= 0xff >> (8 * encoded.length - (modulusBits - 1));
  const separator = block.findIndex((byte) => byte !== 0);
  // A salt may fill the block to its first byte, leaving one byte of padding to recognize.
  return separator >= 0 && block[separator] === 1 && encoded[0]! < 0x80
    ? block.slice(separator + 1)
    : undefined;
}

function maskedLengthOf(encoded: Uint8Array, hashBytes: number): number {
  return encoded.length - hashBytes - 1;
}

function mgf1(seed: Uint8Array, length: number, hash: HashFunction): Uint8Array {
  const mask = new Uint8Array(length);
  const input = new Uint8Array(seed.length + 4);
  input.set(seed);
  for (let offset = 0, counter = 0; offset < length; counter++) {
    new DataView(input.buffer).setUint32(seed.length, counter);
    const block = hash(input).subarray(0, length - offset);
    mask.set(block, offset);
    offset += block.length;
  }
  return mask;
}
