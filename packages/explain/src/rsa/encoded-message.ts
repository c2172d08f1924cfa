import type { Hashes, HashName } from '../explanation.ts';
import { type PssMessage, readPss } from './pss.ts';

/** The input of the signer's RSA operation, recognized by its padding. */
export type EncodedMessage =
  /** EMSA-PKCS1-v1_5 (RFC 8017 section 9.2): the text's hash, labelled with its hash function. */
  | {
      readonly scheme: 'pkcs1';
      readonly hash: HashName;
      readonly payload: Uint8Array;
      readonly isProper: boolean;
    }
  /** PKCS#1 type 1 padding around something else, the result of "encrypting with the private key". */
  | {
      readonly scheme: 'bare';
      readonly payload: Uint8Array;
      /** The hash function that a DigestInfo names, if it is one that is not searched. */
      readonly otherHash?: string | undefined;
    }
  | PssMessage;

/** DigestInfo prefixes (RFC 8017 section 9.2, note 1). */
const digestInfos: readonly { readonly hash: HashName; readonly prefix: string; readonly bytes: number }[] = [
  { hash: 'sha256', prefix: '3031300d060960864801650304020105000420', bytes: 32 },
  { hash: 'sha1', prefix: '3021300906052b0e03021a05000414', bytes: 20 },
  { hash: 'sha384', prefix: '3041300d060960864801650304020205000430', bytes: 48 },
  { hash: 'sha512', prefix: '3051300d060960864801650304020305000440', bytes: 64 },
  { hash: 'md5', prefix: '3020300c06082a864886f70d020505000410', bytes: 16 },
  // Without the NULL parameters that RFC 8017 requires.
  { hash: 'sha256', prefix: '302f300b06096086480165030402010420', bytes: 32 },
];
const properPrefix = digestInfos[0]!.prefix;

/** Recognizes an encoded message's padding. Undefined if it has none: then another key signed. */
export function readEncodedMessage(
  encoded: Uint8Array,
  modulusBits: number,
  hashes: Hashes,
): EncodedMessage | undefined {
  return readType1(encoded) ?? readPss(encoded, modulusBits, hashes);
}

function readType1(encoded: Uint8Array): EncodedMessage | undefined {
  if (encoded[0] !== 0 || encoded[1] !== 1) return undefined;
  let end = 2;
  while (encoded[end] === 0xff) end++;
  if (end < 10 || encoded[end] !== 0) return undefined;
  const content = encoded.subarray(end + 1);
  const text = hexadecimalStart(content, 19);
  const info = digestInfos.find(
    ({ prefix, bytes }) => content.length === prefix.length / 2 + bytes && text.startsWith(prefix),
  );
  if (!info)
    return content.length > 0
      ? { scheme: 'bare', payload: hashInInfo(content) ?? content, otherHash: otherHashOf(content) }
      : undefined;
  const payload = content.subarray(info.prefix.length / 2);
  return { scheme: 'pkcs1', hash: info.hash, payload, isProper: info.prefix === properPrefix };
}

/** Hash functions of NIST's arc whose identifiers differ in the last byte (RFC 8702 section 3). */
const otherHashes: Readonly<Record<number, string>> = {
  0x05: 'SHA-512/224',
  0x06: 'SHA-512/256',
  0x07: 'SHA3-224',
  0x08: 'SHA3-256',
  0x09: 'SHA3-384',
  0x0a: 'SHA3-512',
};

/** The hash function that a well-formed DigestInfo names. */
function otherHashOf(content: Uint8Array): string | undefined {
  const isNist = /^30..30..06096086480165030402/.test(hexadecimalStart(content, 15));
  return isNist && hashInInfo(content) ? otherHashes[content[14]!] : undefined;
}

function hexadecimalStart(bytes: Uint8Array, count: number): string {
  return [...bytes.subarray(0, count)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The hash in a DigestInfo that is damaged, or of another hash function: SEQUENCE, SEQUENCE, OCTET STRING. */
function hashInInfo(content: Uint8Array): Uint8Array | undefined {
  const start = 4 + (content[3] ?? 0);
  const isInfo =
    content[0] === 0x30 &&
    content[2] === 0x30 &&
    content[start] === 4 &&
    content[start + 1] === content.length - start - 2;
  return isInfo ? content.subarray(start + 2) : undefined;
}
