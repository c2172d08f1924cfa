import { encodeBase64 } from '@countersign/signature';
import { latin1Bytes, latin1Text } from '../byte-text.ts';
import type { Words } from '../findings/finding.ts';
import { decodeLeniently } from './lenient-base64.ts';

/** Bytes that may be the original signature, and the change that they underwent before they were sent. */
export interface RestoredSignature {
  readonly bytes: Uint8Array;
  readonly words: Words;
}

/**
 * Undoes what programs do to a signature's bytes before encoding them. Only a key can tell which result is
 * the signature, so each has the size of one. `sent` is unusable as it is; `content` is the text from which
 * it was read.
 */
export function restoredSignatures(
  sent: Uint8Array,
  content: string,
  keySizes: ReadonlySet<number>,
): readonly RestoredSignature[] {
  if (sent.length > sentBytesMax) return [];
  const inBase32 = readBase32(content);
  const restored = [
    ...(inBase32 ? [inBase32] : []),
    ...ofText(sent),
    ...ofNumber(sent, keySizes),
    ...ofContainer(sent, keySizes),
  ];
  return restored.filter(({ bytes }) => keySizes.has(bytes.length)).slice(0, restoredMax);
}

const sentBytesMax = 8192;
const restoredMax = 6;

/** Says why a signature's bytes are lost for good. Undefined if they may be a signature. */
export function lossOf(sent: Uint8Array): Words | undefined {
  if (sent.length < randomBytesMin) return undefined;
  const text = latin1Text(sent);
  const replaced = text.split(replacement).length - 1;
  if (replaced >= replacedMin)
    return lost(
      `it holds the replacement character U+FFFD ${replaced} times, so its bytes were decoded as UTF-8 text`,
    );
  if (!/[\x80-\xff]/.test(text))
    return lost('none of its bytes is above 0x7F, so it was turned into ASCII text');
  // Applies to any encoding, such as hex. The last character loses bits, and may change its case.
  const letters = encodeBase64(sent).replace(/.=*$|[^A-Za-z]/g, '');
  if (letters.length < lettersMin) return undefined;
  const written =
    letters === letters.toLowerCase() ? 'lower' : letters === letters.toUpperCase() ? 'upper' : undefined;
  return (
    written && {
      what: `The Base64 of the signature is all in ${written} case, so its bytes are lost.`,
      mend: 'Send the Base64 as it is: Base64 is case-sensitive.',
    }
  );
}

/** In this many bytes, none of the following occurs by chance. */
const randomBytesMin = 64;
const lettersMin = 64;
const replacedMin = 8;
/** U+FFFD in UTF-8. */
const replacement = '\u00ef\u00bf\u00bd';

function lost(how: string): Words {
  return { what: `The signature is not what the signing function returned: ${how}.`, mend: encodeBytes };
}

const encodeBytes =
  'Encode the bytes that the signing function returns in Base64 at once, without turning them into a string or a number before.';

/** Reads a text in Base32. This many characters of its alphabet in one case are never Base64 by chance. */
export function readBase32(content: string): RestoredSignature | undefined {
  if (content.length > sentBytesMax || !/^(?:[A-Z2-7]{64,}|[a-z2-7]{64,})=*$/.test(content)) return undefined;
  const bits = Array.from(content.toUpperCase().replace(/=/g, ''), (character) =>
    base32.indexOf(character).toString(2).padStart(5, '0'),
  ).join('');
  const bytes = Uint8Array.from(bits.match(/[01]{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
  const words: Words = {
    what: 'The signature is written in Base32, not in Base64.',
    mend: 'Write the bytes of the signature in Base64.',
  };
  return { bytes, words };
}

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function ofText(sent: Uint8Array): readonly RestoredSignature[] {
  const size = sent.length;
  const asText = (bytes: Uint8Array | undefined, charset: string): readonly RestoredSignature[] =>
    bytes === undefined
      ? []
      : [
          {
            bytes,
            words: {
              what: `The Signature header holds ${size} bytes, which are the ${bytes.length} bytes of the signature as a text in ${charset}.`,
              mend: encodeBytes,
            },
          },
        ];
  const converted = latin1Text(sent).replaceAll('\r\n', '\n');
  return [
    ...asText(bytesOfUtf8(sent), 'UTF-8'),
    ...asText(bytesOfUtf16(sent), 'UTF-16'),
    ...base64Inside(sent),
    ...(converted.length === size
      ? []
      : [
          {
            bytes: latin1Bytes(converted),
            words: {
              what: `The Signature header holds ${size} bytes, which are the ${converted.length} bytes of the signature with CRLF in place of each line feed.`,
              mend: 'Write the signature to a file in binary mode, or encode it without a file.',
            },
          },
        ]),
  ];
}

/** Each byte as one character of Latin-1 or Windows-1252, in UTF-8. */
function bytesOfUtf8(sent: Uint8Array): Uint8Array | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(sent);
    if (text.length === sent.length) return undefined;
    return /[^\x00-\xff]/.test(text) ? windows1252Bytes(text) : latin1Bytes(text);
  } catch {
    return undefined;
  }
}

function windows1252Bytes(text: string): Uint8Array | undefined {
  const every = new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));
  const bytes = Array.from(text, (character) => every.indexOf(character));
  return bytes.includes(-1) ? undefined : Uint8Array.from(bytes);
}

/** Each byte as one character, in UTF-16. */
function bytesOfUtf16(sent: Uint8Array): Uint8Array | undefined {
  const even = sent.filter((_, index) => index % 2 === 0);
  const odd = sent.filter((_, index) => index % 2 === 1);
  if (even.length !== odd.length) return undefined;
  if (odd.every((byte) => byte === 0)) return even;
  return even.every((byte) => byte === 0) ? odd : undefined;
}

/** A text that was encoded in Base64 and contains the Base64 of the signature. */
function base64Inside(sent: Uint8Array): readonly RestoredSignature[] {
  const text = latin1Text(bytesOfUtf16(sent) ?? sent);
  if (/[^\t\r\n\x20-\x7e]/.test(text)) return [];
  const numbers = /\[[-\d,\s]{64,}\]/.exec(text)?.[0];
  const [longest = ''] = (
    text.match(/(?:[A-Za-z0-9+/_-]{64,}[\r\n]*)+[A-Za-z0-9+/_-]*={0,2}/g) ?? []
  ).toSorted((a, b) => b.length - a.length);
  return [numbers, longest].flatMap((inner) => {
    const read = inner === undefined || inner === '' ? undefined : decodeLeniently(inner, () => true);
    if (!read) return [];
    const [before = ''] = text.split(inner!);
    const start = before === '' ? '' : `, which starts with ${before.slice(0, startLengthMax)}`;
    return {
      bytes: read.bytes,
      words: {
        what: `The Signature header holds the Base64 of a text${start}, not of the ${read.bytes.length} bytes of the signature in it.`,
        mend: 'Take the signature out of the text, and send its own Base64.',
      },
    };
  });
}

const startLengthMax = 24;

/** A signature is a number too, and programs add or drop its leading zeros. */
function ofNumber(sent: Uint8Array, keySizes: ReadonlySet<number>): readonly RestoredSignature[] {
  return [...keySizes].flatMap((size) => {
    const missing = size - sent.length;
    if (missing > 0 && missing <= droppedMax) {
      const bytes = new Uint8Array(size);
      bytes.set(sent, missing);
      return {
        bytes,
        words: {
          what: `The signature has ${sent.length} bytes, because ${zeros(missing)} at its start ${missing === 1 ? 'was' : 'were'} dropped.`,
          mend: `Pad the signature to ${size} bytes with zeros at its start, or take the bytes that the signing function returns.`,
        },
      };
    }
    const extra = -missing;
    if (extra <= 0 || sent.subarray(0, extra).some((byte) => byte !== 0)) return [];
    return {
      bytes: sent.subarray(extra),
      words: {
        what: `The signature has ${sent.length} bytes, because ${zeros(extra)} ${extra === 1 ? 'stands' : 'stand'} before its ${size}.`,
        mend: `Send the last ${size} bytes: a signature is no number with a sign, as BigInteger writes it.`,
      },
    };
  });
}

const droppedMax = 2;

function zeros(count: number): string {
  return count === 1 ? 'a zero byte' : `${count} zero bytes`;
}

/** A signature between other bytes: in ASN.1, in SSH's format, after its length, or before an appended text. */
function ofContainer(sent: Uint8Array, keySizes: ReadonlySet<number>): readonly RestoredSignature[] {
  return [...keySizes].flatMap((size) => {
    const extra = sent.length - size;
    if (extra <= 0) return [];
    const isTailPlain = sent.subarray(size).every((byte) => byte === 0 || byte === 10 || byte === 13);
    const tail = isTailPlain ? [inside(sent, 0, size, appended(sent.subarray(size)))] : [];
    const kind = containerOf(sent);
    if (kind === undefined) return tail;
    // In a signed message, other fields may follow.
    const header = `\u0004\u0082${String.fromCharCode(size >> 8, size & 0xff)}`;
    const within = latin1Text(sent).indexOf(header);
    const starts = new Set([extra, ...(within < 0 ? [] : [within + header.length])]);
    const found = [...starts].filter((start) => start + size <= sent.length);
    return [
      ...tail,
      ...found.map((start) => inside(sent, start, size, `${kind}, in which the signature is`)),
    ];
  });
}

function inside(sent: Uint8Array, start: number, size: number, what: string): RestoredSignature {
  const place = size > 0 && start > 0 ? ` bytes ${start} to ${start + size - 1}` : ` the first ${size} bytes`;
  return {
    bytes: sent.subarray(start, start + size),
    words: {
      what: `The Signature header holds ${what}${place} of ${sent.length}.`,
      mend: `Send the Base64 of these ${size} bytes alone.`,
    },
  };
}

function appended(tail: Uint8Array): string {
  const isLineEnd = tail.some((byte) => byte !== 0);
  return `the signature and ${isLineEnd ? 'a line end' : 'zeros'} after it, so that the signature is`;
}

function containerOf(sent: Uint8Array): string | undefined {
  const [first = -1, second = 0] = sent;
  const isDer = second === 0x80 || second === 0x81 || second === 0x82;
  if (isDer && first in derTypes) return `a DER ${derTypes[first]}`;
  const text = latin1Text(sent.subarray(0, 24));
  if (/^(?:SSHSIG|\0\0\0.(?:ssh-rsa|rsa-sha2-\d+)|\0\0\0\x06SSHSIG)/s.test(text))
    return 'a signature in the format of SSH';
  const rest = sent.length - 4;
  const length = [24, 16, 8, 0].reduce((sum, shift, index) => sum + sent[index]! * 2 ** shift, 0);
  const reversed = [0, 8, 16, 24].reduce((sum, shift, index) => sum + sent[index]! * 2 ** shift, 0);
  return length === rest || reversed === rest ? 'a length of 4 bytes' : undefined;
}

const derTypes: Readonly<Record<number, string>> = {
  0x02: 'INTEGER',
  0x03: 'BIT STRING',
  0x04: 'OCTET STRING',
  0x30: 'SEQUENCE',
};
