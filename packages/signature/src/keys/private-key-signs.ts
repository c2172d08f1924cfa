import { checkText } from '../arguments/check-argument.ts';
import { decodeBase64 } from '../rfc9421/base64.ts';
import { privateKeyShape } from './private-key-shape.ts';
import { unescapedText } from './unescaped-text.ts';
import { beginsPublic, hasRandomPart, hasUnexplainedMaterial, squeezed } from './unexplained-material.ts';

/**
 * Returns true if a text shows any sign of a private or secret key, whole, truncated or damaged.
 *
 * This is deliberately broader than the readers: a private key pasted by mistake must be recognized before
 * anything else happens to the text, even if it would not parse. The signs are key material, the label that
 * introduces or ends it, or words about private keys next to material that no public key explains. Such words
 * alone, as in the name of a key or the printout of a certificate, are not a sign. The signs are long enough
 * that a public key contains one by chance less than once in 10^8.
 */
export function holdsPrivateKey(text: string): boolean {
  checkText(text, 'The text');
  return holdsPrivateKeyText(text) || holdsPrivateKeyText(textInsideBase64(text));
}

function holdsPrivateKeyText(text: string): boolean {
  const unescaped = unescapedText(text);
  // Anything that looks like an escape may be key material.
  const readings = unescaped === text ? [text] : [text, unescaped];
  return readings.some((reading) => privateKeySigns.some((sign) => sign(reading)));
}

/**
 * The signs of a private key, in any order. Each expression must run in linear time: its repetitions are
 * bounded, or begin with characters that cannot occur in the text before them.
 */
const privateKeySigns: readonly ((text: string) => boolean)[] = [
  // PEM labels of every kind, PGP, RFC 9500: after dashes, in any case, with anything between the words.
  (text) =>
    /(?:^-|--)(?:BEGIN|END)[A-Z0-9]{0,30}(?:(?:PRIVATE|SECRET)(?:20)?|TESTING(?:20)?)KEY/i.test(
      text.replace(/[^A-Za-z0-9-]/g, ''),
    ),
  // The same without dashes, in capitals as PEM writes them.
  (text) =>
    /(?<![A-Za-z])(?:BEGIN|END)[^A-Za-z0-9]{1,8}(?:(?!KEY|PUBLIC|CERT)[A-Z0-9]{2,12}[^A-Za-z0-9]{1,8}){0,3}(?:PRIVATE|SECRET|TESTING)[^A-Za-z0-9]{1,8}KEY(?![A-Za-z])/.test(
      text,
    ),
  // PuTTY, the encryption of RFC 1421, and printouts of OpenSSL, each with what follows its name.
  (text) =>
    /PUTTYUSERKEYFILE\d|PRIVATELINES\d|PROCTYPE4ENCRYPTED|DEKINFO[A-Z]{2,4}\d|PRIVATEKEY\d{3,5}BIT|PRIVATEEXPONENT[0-9A-F]{4}/i.test(
      text.replace(/[^A-Za-z0-9]/g, ''),
    ),
  (text) => /(?:priv|prime[12]|exponent[12]|coefficient):\s{0,16}(?:[0-9a-f]{2}:){4}/i.test(text),
  // A value that is labelled private or secret: not prose, but a long run of characters that could be a key.
  (text) =>
    [...text.matchAll(namedValues)].some(
      ([, , value = '']) =>
        !beginsPublic(value) && (/^[A-Za-z0-9+/]{32}/.test(value) || hasRandomPart(value, 32, 1)),
    ),
  (text) => namedNumber.test(text),
  // Members of RFC 7518 sections 6.2.2, 6.3.2 and 6.4 with a value, even in JSON that is truncated or not quite JSON.
  (text) =>
    /(?:^|[{,\s"'\\])(?:d|p|q|dp|dq|qi|oth|k)[\\"']{0,2}\s{0,64}:\s{0,64}(?:[[\\"']{1,4}(?:(?:\s|\\{1,4}[nrt]){0,16}[\w+/-]){16}|\[\s{0,8}[\d{]|\d{40})/i.test(
      text,
    ),
  // .NET: RSAKeyValue with a non-empty element besides Modulus and Exponent.
  (text) =>
    /RSAKeyValue|RSAParameters|<Modulus/i.test(text) &&
    /<\s{0,8}(?:\w{1,20}:)?(?:D|P|Q|DP|DQ|InverseQ)\b[^<>]{0,80}(?<!\/)>\s{0,200}(?:<!|[^\s<])/i.test(text),
  // `openssh-key-v1` in Base64, as OpenSSH writes it.
  (text) => squeezed(text).includes('b3BlbnNzaC1rZXktdjE'),
  (text) => holdsPrivateKeyInBase64(squeezed(text)),
  holdsPrivateKeyInHexadecimal,
  // The rest of a key whose label is damaged.
  (text) =>
    /PRIVATE(?:20)?KEY|PRIVATELINES|PRIVATEEXPONENT|SECRETKEY|TESTINGKEY/i.test(
      text.replace(/[^A-Za-z0-9]/g, ''),
    ) && hasUnexplainedMaterial(text),
];

/** Text after the name of a private key and a colon or an equals sign, if it contains a digit. */
const namedValues =
  /(?:private|secret)[ _-]?(?:key|exponent)[\\"']{0,3}\s{0,8}[:=]\s{0,8}(?!\\{0,4}(["'])\\{0,4}\1)["'[\\]{0,6}(?:\s|(?<=\\)[nrt]|\\){0,12}(?=[^\s"'\\]{0,256}\d)([\w+/-]{32,256})/gi;

/** A number labelled as a private exponent that is shorter, or in hexadecimal or decimal digits. */
const namedNumber =
  /(?:private|secret)[ _-]?exponent[\\"']{0,3}\s{0,8}[:=]\s{0,8}(?!\\{0,4}(["'])\\{0,4}\1)["'[\\]{0,6}(?:\s|(?<=\\)[nrt]|\\){0,12}(?:0x[0-9a-f]{8}|[0-9a-f]{16})/i;

/**
 * A SEQUENCE with a one-byte length, or with a byte that says how many length bytes follow, that starts with
 * a SEQUENCE or an INTEGER, as it looks in Base64. Only these places are decoded, because an attacker could
 * craft a text in which every character looks like a beginning.
 */
const beginningsInBase64 =
  /M(?=(?:[A-H][AEIMQUYcgkosw048][Cw]|I[A-HM-T]|I[I-L][A-Za-z0-9+/]{2}(?:[AQgw][I-L]|[DTjz][A-D]))[A-Za-z0-9+/])(?=[A-Za-z0-9+/]{7})/g;

/** The same in hexadecimal: SEQUENCE, followed by a version, or by a SEQUENCE with an OBJECT IDENTIFIER. */
const beginningsInHexadecimal =
  /30(?=[0-9a-f]{14})(?=(?:[0-7][0-9a-f]|80|8[1-4](?:[0-9a-f]{2}){1,4}?)(?:02(?:01|8)|30(?:[0-7][0-9a-f]|80|8[1-4](?:[0-9a-f]{2}){1,4}?)06))/gi;

/**
 * Checks every place where the DER of a private key could begin. The start of the text is not enough, because a private
 * key may follow anything.
 */
function holdsPrivateKeyInBase64(text: string): boolean {
  for (const { index } of text.matchAll(beginningsInBase64)) {
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
  for (const { index } of digits.matchAll(beginningsInHexadecimal)) {
    const run = /^(?:[0-9a-f]{2})*/i.exec(digits.slice(index, index + shapeBytes * 2))?.[0] ?? '';
    const bytes = (run.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16));
    if (privateKeyShape(Uint8Array.from(bytes)) !== undefined) return true;
  }
  return false;
}

/**
 * Decodes text that was encoded in Base64 once more, as secret stores do: a PEM text within it, or all of it.
 * Returns '' if there is none.
 */
function textInsideBase64(text: string): string {
  const characters = squeezed(text);
  const start = Math.max(characters.indexOf('LS0tLS1'), 0);
  const run = /^[A-Za-z0-9+/]*/.exec(characters.slice(start))?.[0] ?? '';
  const bytes = decodeBase64(run.slice(0, run.length - (run.length % 4)));
  if (bytes === undefined || bytes.subarray(0, 64).some((byte) => byte > 0x7e)) return '';
  return new TextDecoder('latin1').decode(bytes);
}
