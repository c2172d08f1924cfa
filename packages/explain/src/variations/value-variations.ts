import { encodeBase64, formatHttpDate } from '@countersign/signature';
import { hexadecimal } from '@countersign/signature/keys';
import { urlSafeBase64 } from '../byte-text.ts';
import { type Alternative, Alternatives, shownByTexts } from '../drafts/alternatives.ts';
import type { Note, Words } from '../findings/finding.ts';
import type { FindingCode } from '../findings/findings.ts';
import { otherDateTexts } from '../reading/lenient-date.ts';
import { isZone, offsetText, quarterSeconds, quartersMax, quartersMin } from '../reading/time-zones.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'QUERY'];

/** Lists possible replacements of the method. `override` is the header that asks for another method. */
export function methodAlternatives(
  method: string,
  override: string | undefined,
): readonly Alternative<string>[] {
  const list = new Alternatives(method);
  const instead = (other: string): string => `${other} in place of ${method}`;
  const upper = method.toUpperCase();
  for (const form of [upper, method.toLowerCase(), upper.charAt(0) + upper.slice(1).toLowerCase()])
    list.add(form, form === upper ? 1 : 0.5, 'method_case', instead(form));
  const isReading = upper === 'GET' || upper === 'HEAD';
  for (const other of override === undefined ? methods : [override, ...methods]) {
    const code = isReading && (other === 'GET' || other === 'HEAD') ? 'method_head_as_get' : 'method_other';
    const isUsual = other === 'GET' || other === 'POST';
    const cost = other === override || code === 'method_head_as_get' ? 1 : isUsual ? 2 : 3;
    list.add(other, cost, code, instead(other));
    list.addNoted(other.toLowerCase(), isUsual ? 2 : 4, [
      { code, detail: instead(other.toLowerCase()) },
      { code: 'method_case' },
    ]);
  }
  for (const [text, cost] of [
    [`HttpMethod.${method}`, 3],
    [`Method.${method}`, 3],
    [`RequestMethod.${method}`, 3],
    [`:${method.toLowerCase()}`, 3],
  ] as const)
    list.add(text, cost, 'base_value_printed', `the value of @method, ${text}`);
  return list.list;
}

/** A digest that the caller may have signed instead of the received one. */
export interface OtherDigest {
  readonly digest: Uint8Array;
  readonly cost: number;
  readonly detail: string;
  /** The text that was hashed, if it was not the received body. */
  readonly notes: readonly Note[];
}

/** Lists possible replacements of Content-Digest's value. `digest` is its bytes, if they can be read. */
export function digestAlternatives(
  value: string,
  raw: string | undefined,
  digest: Uint8Array | undefined,
  others: readonly OtherDigest[],
): readonly Alternative<string>[] {
  const list = new Alternatives(value);
  if (digest)
    for (const [code, text, detail] of digestTexts(digest))
      list.add(text, rareDigestTexts.has(code) ? 3.5 : 2, code, signedDigestForm(detail));
  if (raw !== undefined) list.add(raw, 2, 'base_value_trimmed', 'Content-Digest');
  for (const [text, detail] of spaced(value))
    list.add(text, 3.5, 'base_value_trimmed', `${detail} Content-Digest`);
  list.add(
    value.replace(/[:=]+$/, ''),
    2,
    'base_value_trimmed',
    'Content-Digest without the characters at its end',
  );
  list.add(value.replace(/:$/, ''), 3, 'base_value_trimmed', 'Content-Digest without the colon at its end');
  list.add(value.toLowerCase(), 2, 'base_value_case', 'Content-Digest in lower case');
  list.add(value.toUpperCase(), 3, 'base_value_case', 'Content-Digest in upper case');
  list.add(value.replace(/^sha-256/, 'SHA-256'), 2, 'base_value_case', 'SHA-256 in Content-Digest');
  for (const other of others) {
    // A header that did not arrive shows no change.
    const notes: readonly Note[] =
      raw === undefined ? other.notes : [{ code: 'digest_changed_after_signing', detail: other.detail }];
    list.addNoted(`sha-256=:${encodeBase64(other.digest)}:`, other.cost, notes);
    for (const [code, text] of other.cost === 1 ? digestTexts(other.digest) : [])
      list.addNoted(text, other.cost + 2, [...notes, { code }]);
  }
  return list.list;
}

function signedDigestForm(form: string): Words {
  return {
    detail: form,
    mend: 'Sign the exact text of the Content-Digest header that you send.',
  };
}

/** Signers that write these also send them. */
const rareDigestTexts: ReadonlySet<FindingCode> = new Set(['digest_base64url']);

function digestTexts(digest: Uint8Array): readonly (readonly [FindingCode, string, string])[] {
  const base64 = encodeBase64(digest);
  const hex = hexadecimal(digest);
  const urlSafe = urlSafeBase64(digest);
  return [
    ['digest_form', `sha-256=:${base64}:`, 'the form of the profile'],
    ['digest_no_colons', `sha-256=${base64}`, 'without colons'],
    ['digest_form', `sha256=:${base64}:`, 'the name sha256'],
    ['digest_form', `sha256=${base64}`, 'the name sha256, without colons'],
    ['digest_old_form', `SHA-256=${base64}`, 'the old form'],
    ['digest_old_form', `SHA-256=:${base64}:`, 'the old name'],
    ['digest_form', base64, 'only the Base64'],
    ['digest_form', `:${base64}:`, 'only the Base64 in colons'],
    ['digest_hex', `sha-256=:${hex}:`, 'hex'],
    ['digest_hex', `sha-256=${hex}`, 'hex'],
    ['digest_hex', hex, 'only the hex'],
    ['digest_base64url', `sha-256=:${urlSafe}:`, 'URL-safe Base64'],
    ['digest_base64url', `sha-256=:${urlSafe.replace(/=+$/, '')}:`, 'URL-safe Base64 without padding'],
    ['digest_base64url', `sha-256=:${base64.replace(/=+$/, '')}:`, 'Base64 without padding'],
  ];
}

/**
 * Lists possible replacements of the old Digest header's value, which only occurs together with other lines
 * of the old drafts.
 */
export function oldDigestAlternatives(value: string, digest: Uint8Array): readonly Alternative<string>[] {
  const list = new Alternatives(value);
  const base64 = encodeBase64(digest);
  for (const name of ['SHA-256=', 'sha-256=', '']) {
    for (const text of [base64, `:${base64}:`, `${base64}:`, hexadecimal(digest)])
      list.add(name + text, 2, 'base_cavage', `digest: ${name}…`);
  }
  return list.list;
}

/** White space that signers leave around a value. */
function spaced(value: string): readonly (readonly [text: string, detail: string])[] {
  return [
    [` ${value}`, 'a space before'],
    [`${value} `, 'a space after'],
    [`${value}\n`, 'a newline after'],
    [`${value}\r`, 'a carriage return after'],
    [` ${value} `, 'spaces around'],
    [`\t${value}`, 'a tab before'],
    [value.replace(/\s+/g, ''), 'no spaces in'],
    [value.replace(/ /g, '  '), 'doubled spaces in'],
  ];
}

export interface DateContext {
  /** The intended Date, in Unix seconds. */
  readonly dateSeconds: number | undefined;
  readonly created: number | undefined;
  readonly nowSeconds: number;
  readonly raw: string | undefined;
}

export function dateAlternatives(value: string, around: DateContext): readonly Alternative<string>[] {
  const list = new Alternatives(value);
  const seconds = around.dateSeconds ?? around.created ?? around.nowSeconds;
  const instead = (other: string): Words =>
    shownByTexts(`${other} in the signature, ${value} in the request`);
  if (around.raw !== undefined) list.add(around.raw, 2, 'base_value_trimmed', 'Date');
  list.add(formatHttpDate(seconds), 1, 'date_format', instead(formatHttpDate(seconds)));
  // HTTP libraries replace a character that a header cannot hold with a question mark, as in month names.
  if (value.includes('?'))
    for (const letter of lettersOfMonths)
      list.add(
        value.replaceAll('?', letter),
        1,
        'date_format',
        shownByTexts(`${value.replaceAll('?', letter)} in the signature`),
      );
  for (const [form, text] of otherDateTexts(seconds))
    list.add(text, usualForms.has(form) ? 2 : 3.5, 'date_format', signedForm(form));
  const near = (other: number, cost: number): void => {
    const code = Math.abs(other - seconds) <= readTwiceSecondsMax ? 'date_read_twice' : 'base_other_date';
    list.add(formatHttpDate(other), cost, code, instead(formatHttpDate(other)));
  };
  for (let by = 1; by <= 5; by++)
    [seconds - by, seconds + by].forEach((other) => near(other, by === 1 ? 0.5 : by === 2 ? 2 : 3));
  if (around.created !== undefined) near(around.created, 1);
  near(around.nowSeconds, 2);
  for (let by = 6; by <= readTwiceSecondsMax; by++)
    [seconds - by, seconds + by].forEach((other) => near(other, by <= 10 ? 4 : 5));
  addZones(list, seconds, instead);
  for (const [form, text] of around.created === undefined ? [] : otherDateTexts(around.created))
    list.add(text, 4, 'date_format', signedForm(form));
  for (const other of [seconds - 1, seconds + 1, seconds - 2, seconds + 2]) {
    for (const [form, text] of otherDateTexts(other))
      list.addNoted(text, 5, [{ code: 'date_format', ...signedForm(form) }, { code: 'date_read_twice' }]);
  }
  for (const [text, detail] of spaced(value)) list.add(text, 3, 'base_value_trimmed', `${detail} Date`);
  list.add(value.toLowerCase(), 3, 'base_value_case', 'Date in lower case');
  list.add(value.toUpperCase(), 3, 'base_value_case', 'Date in upper case');
  return list.list;
}

function signedForm(form: string): Words {
  return {
    detail: form,
    mend: 'Create the Date value once, as an HTTP date, then sign and send that one text.',
  };
}

/** Lists dates further away than two readings of the clock explain. */
export function distantDates(value: string, around: DateContext): readonly Alternative<string>[] {
  const list = new Alternatives(value);
  const seconds = around.dateSeconds ?? around.created ?? around.nowSeconds;
  for (let by = readTwiceSecondsMax + 1; by <= otherDateSecondsMax; by++) {
    for (const other of [seconds - by, seconds + by].map(formatHttpDate))
      list.add(other, 4, 'base_other_date', `${other} in the signature, ${value} in the request`);
  }
  return list.list;
}

const usualForms: ReadonlySet<string> = new Set([
  'ISO 8601 with a Z',
  'RFC 5322',
  'with UTC in place of GMT',
  'with a day without its leading zero',
  'Unix seconds',
  'Unix milliseconds',
]);
const lettersOfMonths = 'äéûáíóõêçž';
const readTwiceSecondsMax = 60;
const otherDateSecondsMax = 300;

/** Europe, the Americas, India, China and Japan, in quarter hours. */
const usualZones: ReadonlySet<number> = new Set([4, 8, -20, -16, -32, -28, 22, 32, 36]);

function addZones(list: Alternatives<string>, seconds: number, instead: (other: string) => Words): void {
  for (let quarters = quartersMin; quarters <= quartersMax; quarters++) {
    const isInUse = isZone(quarters);
    if (quarters % 2 !== 0 && !isInUse) continue;
    const other = seconds + quarters * quarterSeconds;
    const cost = usualZones.has(quarters) ? 3.5 : 4;
    const local = formatHttpDate(other);
    list.add(local, cost, isInUse ? 'date_time_zone' : 'base_other_date', instead(local));
    const zone = offsetText(quarters);
    const zoned = local.replace('GMT', zone);
    list.add(zoned, 5, 'date_time_zone', instead(zoned));
    list.add(local.replace('GMT', `GMT${zone}`), 5, 'date_time_zone', instead(zoned));
  }
}
