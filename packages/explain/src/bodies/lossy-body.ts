import type { FindingCode } from '../findings/findings.ts';
import { readJsonText } from './json-text.ts';

/** Evidence in a body that something was lost in transit, so that the hashed text cannot be known. */
export interface Loss {
  readonly code: FindingCode;
  readonly what: string;
  readonly mend: string;
}

/** Lists what a body may have lost after it was hashed. */
export function lossesIn(text: string): readonly Loss[] {
  const losses: Loss[] = [];
  const isJson = readJsonText(text) !== undefined;
  const number = isJson ? roundedNumber.exec(text)?.[0] : undefined;
  if (number !== undefined)
    losses.push({
      code: 'body_json_numbers',
      what: `The number ${number} in it looks like a floating-point number: if you hashed more digits, they were lost when the JSON was written again.`,
      mend: "Send the text that you hash: don't let the HTTP client parse and write the JSON again. Put numbers of more than 15 digits in strings.",
    });
  if (replaced.test(text))
    losses.push({
      code: 'body_charset',
      what: 'It holds question marks or U+FFFD where letters may have been: a charset without these letters replaces them.',
      mend: 'Encode the body in UTF-8 yourself, hash these bytes and send the same bytes.',
    });
  if (isJson && emptyInside.test(text))
    losses.push({
      code: 'body_json_members',
      what: 'It holds empty objects, {}: if you hashed objects with content there, it was lost when the JSON was written again.',
      mend: 'Send the text that you hash. A list as the second argument of JSON.stringify leaves out all other keys, of inner objects too.',
    });
  return losses;
}

/** Exponents, integers of more than 15 digits, and the fractions of doubles. */
const roundedNumber = /(?<=[[:,\s])-?(?:\d+(?:\.\d+)?[eE][+-]?\d+|\d{16,}|\d+\.\d{15,})(?=[\s,\]}])/;
/** A question mark next to a letter or alone in a string, unlike in a sentence. */
const replaced = /\ufffd|[\p{L}\d]\?\p{L}|"\?+"|[\s"]\?[\p{L}\d]|\?{2,}|[ "]\? \d|^\?/u;
const emptyInside = /[[:,]\s*\{\s*\}/;
