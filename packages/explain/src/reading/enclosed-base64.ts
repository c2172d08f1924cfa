import { latin1Bytes, utf8Text } from '../byte-text.ts';
import type { Words } from '../findings/finding.ts';
import { visiblePieces } from '../findings/visible-pieces.ts';
import { decodeLeniently } from './lenient-base64.ts';

/** Base64 that was found among other characters. */
export interface EnclosedBase64 {
  /** Empty if characters of the Base64 itself are lost. */
  readonly bytes: Uint8Array;
  readonly words: Words;
}

/**
 * Finds the Base64 in a text that also contains something else: before it, after it, or in its middle.
 * Undefined if no run of Base64 is long enough to be intended as such.
 */
export function enclosedBase64(
  content: string,
  isExpected: (length: number) => boolean,
): EnclosedBase64 | undefined {
  if (content.length > contentLengthMax) return undefined;
  const [longest] = [...content.matchAll(/[A-Za-z0-9+/_-]{40,}={0,2}/g)].toSorted(
    (a, b) => b[0].length - a[0].length,
  );
  if (!longest) return undefined;
  const whole = content.replace(/[^A-Za-z0-9+/_=-]/g, '');
  const [ofRun, ofAll] = [longest[0], whole].map((text) => decodeLeniently(text, isExpected));
  const isRunWhole = ofRun !== undefined && isExpected(ofRun.bytes.length);
  const isAllWhole = ofAll !== undefined && isExpected(ofAll.bytes.length);
  const decoded = isRunWhole ? ofRun : isAllWhole ? ofAll : undefined;
  // The rest is Base64 too: the text was not cut, but some of its characters were replaced.
  const isInMiddle = !isRunWhole && /[A-Za-z0-9+/_-]{4}/.test(content.replace(longest[0], ''));
  const before = content.slice(0, longest.index);
  const after = content.slice(longest.index + longest[0].length);
  const where = isInMiddle
    ? `${shown(/[^A-Za-z0-9+/_=-]+/.exec(content)?.[0] ?? '')} within its Base64`
    : [before && `${shown(before)} before`, after && `${shown(after)} after`].filter(Boolean).join(' and ') +
      ' its Base64';
  return {
    bytes: decoded?.bytes ?? new Uint8Array(),
    words: {
      what: `The Signature header has ${where}.`,
      mend: 'Write nothing but the Base64 between the colons: `sig=:<base64>:`.',
    },
  };
}

const contentLengthMax = 16 * 1024;
const shownLengthMax = 24;

/** Quotes a text, naming its invisible characters. Header octets are one character each, so UTF-8 has several. */
function shown(text: string): string {
  const decoded = /^[\x00-\xff]*$/.test(text) ? utf8Text(latin1Bytes(text)) : text;
  const readable = decoded.includes('\ufffd') ? text : decoded;
  const pieces = visiblePieces(readable.slice(0, shownLengthMax)).map((piece) =>
    piece.kind === 'text' ? piece.text : `<${piece.label}>`,
  );
  return `\`${pieces.join('')}${readable.length > shownLengthMax ? '…' : ''}\``;
}
