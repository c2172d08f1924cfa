import { checkText } from '../arguments/check-argument.ts';
import { decodeBase64 } from '../rfc9421/base64.ts';
import { derTag } from './der.ts';

/**
 * Returns true if a text shows any sign of a private or secret key, whole, truncated or damaged.
 *
 * This is deliberately broader than the readers: a private key pasted by mistake must be recognised before anything
 * else happens to the text, even if it would not parse. The signs are material, or the label that introduces it; words
 * about private keys, as in the name of a key or the printout of a certificate, are none. They are long enough that a
 * public key shows one by chance less than once in 10^8.
 */
export function holdsPrivateKey(text: string): boolean {
  checkText(text, 'The text');
  return holdsPrivateKeyText(text) || holdsPrivateKeyText(textInsideBase64(text));
}

/** The DER encodings of private keys, recognised by their first bytes. */
export type PrivateKeyShape = 'pkcs8' | 'pkcs1' | 'ec' | 'encrypted-pkcs8' | 'pkcs12';

/**
 * Recognises a private key's encoding by its first bytes; undefined if they match none. Accepts any length, because the
 * end may be cut off and the lengths may be damaged.
 */
export function privateKeyShape(bytes: Uint8Array): PrivateKeyShape | undefined {
  const outer = readHeader(bytes, 0);
  const first = readHeader(bytes, outer?.contentStart ?? bytes.length);
  if (outer?.tag !== derTag.sequence || first === undefined) return undefined;
  if (first.tag === derTag.sequence) {
    const algorithm = readHeader(bytes, first.contentStart);
    if (algorithm?.tag !== derTag.objectIdentifier) return undefined;
    const isPasswordBased = passwordBasedAlgorithms.some((start) =>
      start.every((byte, index) => bytes[algorithm.contentStart + index] === byte),
    );
    return isPasswordBased ? 'encrypted-pkcs8' : undefined;
  }
  if (first.tag !== derTag.integer || first.length !== 1) return undefined;
  const version = bytes[first.contentStart];
  const second = readHeader(bytes, first.contentStart + 1);
  if (version === undefined || second === undefined) return undefined;
  return shapesWithVersion.find(
    (shape) => shape.versions.includes(version) && shape.fits(bytes, outer, second),
  )?.name;
}

interface Header {
  readonly tag: number;
  readonly length: number;
  readonly contentStart: number;
}

interface ShapeWithVersion {
  readonly name: PrivateKeyShape;
  readonly versions: readonly number[];
  /** Checks the outer element, and the element after the version number. */
  fits(bytes: Uint8Array, outer: Header, second: Header): boolean;
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
    // RFC 8017 appendix A.1.2: the modulus follows. OpenSSL's DSA key begins the same way.
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
function readHeader(bytes: Uint8Array, offset: number): Header | undefined {
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

function holdsPrivateKeyText(text: string): boolean {
  const unescaped = text.replace(/\\u00([0-7][0-9a-f])/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return privateKeySigns.some((sign) => sign(unescaped));
}

/** The signs of a private key. Their order does not matter. */
const privateKeySigns: readonly ((text: string) => boolean)[] = [
  // PEM labels of every kind, PGP, RFC 9500: after a dash, in any case, with anything between the words.
  (text) =>
    /-(?:BEGIN|END)[A-Z0-9]{0,30}(?:(?:PRIVATE|SECRET)(?:20)?|TESTING(?:20)?)KEY/i.test(
      text.replace(/[^A-Za-z0-9-]/g, ''),
    ),
  // PuTTY, the encryption of RFC 1421, and printouts of `openssl rsa -text`, each with what follows its name.
  (text) =>
    /PUTTYUSERKEYFILE\d|PRIVATELINES\d|PROCTYPE4ENCRYPTED|PRIVATEKEY\d{3,5}BIT|PRIVATEEXPONENT[0-9A-F]{4}/i.test(
      text.replace(/[^A-Za-z0-9]/g, ''),
    ),
  // A value that is called a private or secret key: no text, but a long run of characters that could be one.
  (text) =>
    /(?:private|secret)[ _-]?key[\\"']{0,3}\s{0,8}[:=]\s{0,8}[\\"'[]{0,3}(?=[^\s"'\\]{0,256}\d)[A-Za-z0-9+/]{32}/i.test(
      text,
    ),
  // Members of RFC 7518 sections 6.2.2, 6.3.2 and 6.4 with a value, even in JSON that is truncated or not quite JSON.
  (text) =>
    /(?:^|[{,\s"'\\])(?:d|p|q|dp|dq|qi|oth|k)[\\"']{0,2}\s*:\s*(?:[\\"']{1,3}[\w+/-]{16}|\[\s{0,8}[\d{])/i.test(
      text,
    ),
  // .NET: RSAKeyValue with more than Modulus and Exponent.
  (text) =>
    /RSAKeyValue|RSAParameters|<Modulus/i.test(text) &&
    /<\s{0,8}(?:\w{1,20}:)?(?:D|P|Q|DP|DQ|InverseQ)\b[^>]{0,80}>\s{0,80}[A-Za-z0-9+/]{16}/i.test(text),
  // `openssh-key-v1` in Base64, as OpenSSH writes it.
  (text) => base64Only(text).includes('b3BlbnNzaC1rZXktdjE'),
  (text) => holdsPrivateKeyInBase64(base64Only(text)),
  holdsPrivateKeyInHexadecimal,
];

/** Removes white space, NUL and escaped line breaks, and converts base64url to Base64. */
function base64Only(text: string): string {
  return text
    .replace(/\\[nrt]|[\s\0]/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
}

/**
 * Checks every place where a DER SEQUENCE could begin: its first byte makes the first Base64 character an M, and its
 * length makes the second one A to P. The start of the text is not enough, because a private key may follow anything.
 */
function holdsPrivateKeyInBase64(text: string): boolean {
  for (const { index } of text.matchAll(/M(?=[A-P][A-Za-z0-9+/]{6})/g)) {
    const run = /^[A-Za-z0-9+/]*/.exec(text.slice(index, index + (shapeBytes / 3) * 4))?.[0] ?? '';
    const bytes = decodeBase64(run.slice(0, run.length - (run.length % 4)));
    if (bytes !== undefined && privateKeyShape(bytes) !== undefined) return true;
  }
  return false;
}

/** 18 bytes, 24 Base64 characters, are enough for the longest shape. */
const shapeBytes = 18;

/** Checks hexadecimal in the same way, with or without colons and white space between the bytes. */
function holdsPrivateKeyInHexadecimal(text: string): boolean {
  const digits = text.replace(/[\s\0:]/g, '');
  for (const { index } of digits.matchAll(/30(?=[0-9a-f]{14})/gi)) {
    const run = /^(?:[0-9a-f]{2})*/i.exec(digits.slice(index, index + shapeBytes * 2))?.[0] ?? '';
    const bytes = (run.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16));
    if (privateKeyShape(Uint8Array.from(bytes)) !== undefined) return true;
  }
  return false;
}

/**
 * Decodes text that was encoded in Base64 once more, as secret stores do: a PEM text within it, or all of it. Returns
 * '' if there is none.
 */
function textInsideBase64(text: string): string {
  const characters = base64Only(text);
  const start = Math.max(characters.indexOf('LS0tLS1'), 0);
  const run = /^[A-Za-z0-9+/]*/.exec(characters.slice(start))?.[0] ?? '';
  const bytes = decodeBase64(run.slice(0, run.length - (run.length % 4)));
  if (bytes === undefined || bytes.subarray(0, 64).some((byte) => byte > 0x7e)) return '';
  return new TextDecoder('latin1').decode(bytes);
}
