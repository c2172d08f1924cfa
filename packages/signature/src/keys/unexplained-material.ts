import { decodeBase64 } from '../rfc9421/base64.ts';
import { derTag } from './der.ts';
import { privateKeyShape, readDerHeader } from './private-key-shape.ts';

/**
 * Returns true if a text has Base64 that looks random and is not part of a public key or certificate. Next to
 * words about private keys, such a remainder is probably part of one.
 */
export function hasUnexplainedMaterial(text: string): boolean {
  const rest = withoutEncodings(squeezed(text.replace(publicMembers, ' ')));
  for (const [run] of rest.matchAll(/[A-Za-z0-9+/]{48,}/g)) if (hasRandomPart(run, 48, 3)) return true;
  return false;
}

/** Removes white space, NUL and escaped line breaks, and converts base64url to Base64. */
export function squeezed(text: string): string {
  return text
    .replace(/\\[nrt]|[\s\0]/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
}

/** The public numbers in a JWK (RFC 7518 sections 6.2.1 and 6.3.1), in JSON or YAML, and in .NET's XML; fingerprints of OpenSSH. */
const publicMembers =
  /(?<![A-Za-z0-9])[nxy]["'\\]{0,3}\s{0,8}:\s{0,8}["'\\]{0,3}[A-Za-z0-9_+/=-]+|<(?:\w{1,20}:)?Modulus>[^<]*|SHA256:[A-Za-z0-9+/]{43}(?![A-Za-z0-9+/])/gi;

/** Returns true if Base64 begins with a public key, a certificate or the like, of any length. */
export function beginsPublic(run: string): boolean {
  const bytes = headBytes(squeezed(run), 0);
  return bytes !== undefined && (derLength(bytes) ?? sshLength(bytes) ?? 0) > 0;
}

/** Removes whole public keys, certificates and the like from Base64 without white space. */
function withoutEncodings(text: string): string {
  let kept = '';
  let end = 0;
  for (const { index } of text.matchAll(/M(?=[A-P])|AAAA(?=[A-Z])/g)) {
    if (index < end) continue;
    const bytes = headBytes(text, index);
    const length = bytes && (derLength(bytes) ?? sshLength(bytes));
    const characters = Math.ceil((length ?? 0) / 3) * 4;
    if (characters === 0 || index + characters > text.length) continue;
    kept += `${text.slice(end, index)} `;
    end = index + characters;
  }
  return kept + text.slice(end);
}

/** The longest prefix needed to compute a total length: that of an `ecdsa-sha2-nistp521` line. */
const headCharacters = 60;

function headBytes(text: string, index: number): Uint8Array | undefined {
  const run = /^[A-Za-z0-9+/]*/.exec(text.slice(index, index + headCharacters))?.[0] ?? '';
  return decodeBase64(run.slice(0, run.length - (run.length % 4)));
}

/**
 * Returns the length of a public key, certificate, request or PKCS#7 from its first bytes; undefined if they
 * begin something else.
 */
function derLength(bytes: Uint8Array): number | undefined {
  const outer = readDerHeader(bytes, 0);
  const first = readDerHeader(bytes, outer?.contentStart ?? bytes.length);
  if (outer?.tag !== derTag.sequence || first === undefined || first.length > outer.length) return undefined;
  const isPublic =
    first.tag === derTag.sequence ||
    first.tag === derTag.objectIdentifier ||
    (first.tag === derTag.integer && first.length > 1);
  if (!isPublic || privateKeyShape(bytes) !== undefined) return undefined;
  return outer.contentStart + outer.length;
}

/** The number of strings in the public keys of SSH (RFC 4253 section 6.6, RFC 5656 section 3.1, RFC 8709 section 4). */
const sshStrings: readonly (readonly [type: RegExp, strings: number])[] = [
  [/^ssh-rsa$/, 3],
  [/^ssh-ed25519$/, 2],
  [/^ecdsa-sha2-nistp\d{3}$/, 3],
];

function sshLength(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 4) return undefined;
  const type = String.fromCharCode(...bytes.subarray(4, 4 + view.getUint32(0)));
  const [, strings = 0] = sshStrings.find(([pattern]) => pattern.test(type)) ?? [];
  let length = 0;
  for (let count = 0; count < strings; count++) {
    if (length + 4 > bytes.length) return undefined;
    length += 4 + view.getUint32(length);
  }
  return length;
}

/**
 * Distinguishes random characters from words, paths and hexadecimal: in random text, lower case, upper case
 * and digits are mixed. Two of three neighbors then differ in kind, but only one of six in a sentence without
 * its spaces.
 *
 * @param length the length of the part: at least 32, or words could look random by chance
 * @param numbersMin the minimum count of numbers, each of one or more digits: a title with a year has one
 */
export function hasRandomPart(run: string, length: number, numbersMin: number): boolean {
  let changes = 0;
  let numbers = 0;
  let capitals = 0;
  const count = (index: number, by: 1 | -1): void => {
    const kind = kindOf(run.charCodeAt(index));
    if (kind === 'capital') capitals += by;
    if (kind === kindOf(run.charCodeAt(index - 1))) return;
    changes += by;
    if (kind === 'digit') numbers += by;
  };
  for (let index = 1; index < run.length; index++) {
    count(index, 1);
    if (index >= length) count(index - length + 1, -1);
    if (index >= length - 1 && changes >= length * changesMin && numbers >= numbersMin && capitals >= 4)
      return true;
  }
  return false;
}

const changesMin = 0.42;

function kindOf(code: number): 'digit' | 'capital' | 'small' | 'sign' {
  if (code >= 0x61) return 'small';
  if (code >= 0x41 && code !== 0x5f) return 'capital';
  return code >= 0x30 && code !== 0x5f ? 'digit' : 'sign';
}
