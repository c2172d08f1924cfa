import { formatHttpDate, readHttpDate } from '@countersign/signature';

/** A time read from any form that signers write. */
export interface MeantDate {
  readonly seconds: number;
  readonly hasOtherZone: boolean;
  readonly isHttpDate: boolean;
}

/** Reads a date leniently. Undefined if its form is unknown. */
export function readMeantDate(text: string): MeantDate | undefined {
  const strict = readHttpDate(text);
  if (strict !== undefined) return { seconds: strict, hasOtherZone: false, isHttpDate: true };
  const seconds = readNumber(text) ?? readWords(text) ?? readIso(text);
  if (seconds === undefined || !Number.isFinite(seconds)) return undefined;
  const zone = /(?:[+-](\d\d):?(\d\d)|\b([ECMP][SD]T|CEST|CET|BST|JST|IST|MSK))\s*(?:\([^)]*\))?$/.exec(text);
  const hasOtherZone = zone !== null && (zone[3] !== undefined || `${zone[1]}${zone[2]}` !== '0000');
  return { seconds: Math.floor(seconds), hasOtherZone, isHttpDate: false };
}

/** Lists the other forms in which signers write a time, each with its name. HTTP's own form is not included. */
export function otherDateTexts(seconds: number): readonly (readonly [form: string, text: string])[] {
  const usual = formatHttpDate(seconds);
  const iso = new Date(seconds * 1000).toISOString();
  const short = iso.slice(0, 19);
  const [, dayName = '', day = '', month = '', year = '', time = ''] =
    /^(\w+), (\d+) (\w+) (\d+) (\S+)/.exec(usual) ?? [];
  const longDay = longDayNames[dayNames.indexOf(dayName)] ?? dayName;
  const isoText: [string, string][] = [
    `${short}Z`,
    iso,
    `${short}+00:00`,
    `${short}.000+00:00`,
    `${short}.000000Z`,
    `${short}.000000+00:00`,
    `${short}+0000`,
    short,
    short.replace('T', ' '),
    `${short.replace('T', ' ')}Z`,
    `${short.replace('T', ' ')} UTC`,
    `${short.replace(/[-:]/g, '')}Z`,
  ].map((text, index) => [index < 2 ? 'ISO 8601 with a Z' : 'ISO 8601', text]);
  const rest: [string, string][] = [
    ['RFC 5322', usual.replace('GMT', '+0000')],
    ['with UTC in place of GMT', usual.replace('GMT', 'UTC')],
    ['with Z in place of GMT', usual.replace('GMT', 'Z')],
    ['without GMT', usual.replace(' GMT', '')],
    ['with a day without its leading zero', usual.replace(', 0', ', ')],
    ['without the day of the week', usual.slice(5)],
    ['RFC 5322 with -0000', usual.replace('GMT', '-0000')],
    ['RFC 850', `${longDay}, ${day}-${month}-${year.slice(2)} ${time} GMT`],
    ['asctime', `${dayName} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`],
    [
      "JavaScript's toString",
      `${dayName} ${month} ${day} ${year} ${time} GMT+0000 (Coordinated Universal Time)`,
    ],
    ['Unix date', `${dayName} ${month} ${day.replace(/^0/, ' ')} ${time} UTC ${year}`],
    ['Unix seconds', String(seconds)],
    ['Unix milliseconds', `${seconds}000`],
  ];
  return [...isoText, ...rest];
}

const dayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const longDayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

function readNumber(text: string): number | undefined {
  const match = /^(\d{9,10})(\d{3})?(?:\.\d{1,9})?$/.exec(text);
  return match ? Number(match[1]) : undefined;
}

function readIso(text: string): number | undefined {
  const match =
    /^(\d{4})-?(\d\d)-?(\d\d)[T ](\d\d):?(\d\d)(?::?(\d\d))?(?:\.\d{1,9})?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?$/.exec(
      text,
    );
  if (!match) return undefined;
  const [year, month, day, hour, minute, second = 0] = match.slice(1, 7).map((part) => Number(part ?? 0));
  return Date.UTC(year!, month! - 1, day, hour, minute, second) / 1000 - zoneSeconds(match[7] ?? 'Z');
}

/** Reads any form with a month name, recognizing the elements by their shape. */
function readWords(text: string): number | undefined {
  if (text.length > 80) return undefined;
  const month = monthNames.findIndex((name) => new RegExp(`\\b${name}`, 'i').test(text));
  const time = /(\d{1,2}):(\d\d)(?::(\d\d))?(?:\.\d+)?(?:\s*([AP])M)?/i.exec(text);
  const rest = text.replace(time?.[0] ?? '', ' ').replace(/[+-]\d\d:?\d\d/, ' ');
  const year = /\b(\d{4})\b/.exec(rest)?.[1] ?? /-(\d\d)\b/.exec(rest)?.[1];
  const day = /(?<!\d)(\d{1,2})(?!\d)/.exec(rest)?.[1];
  if (month < 0 || !time || year === undefined || day === undefined) return undefined;
  const fullYear = year.length === 2 ? 2000 + Number(year) : Number(year);
  const hour = (Number(time[1]) % (time[4] ? 12 : 24)) + (time[4]?.toUpperCase() === 'P' ? 12 : 0);
  const zone = /[+-]\d\d:?\d\d/.exec(text.replace(time[0], ' '))?.[0] ?? namedZone(text);
  const local = Date.UTC(fullYear, month, Number(day), hour, Number(time[2]), Number(time[3] ?? 0)) / 1000;
  return local - zoneSeconds(zone);
}

const zonesByName: Readonly<Record<string, string>> = {
  EST: '-0500',
  EDT: '-0400',
  CST: '-0600',
  CDT: '-0500',
  MST: '-0700',
  MDT: '-0600',
  PST: '-0800',
  PDT: '-0700',
  CET: '+0100',
  CEST: '+0200',
  BST: '+0100',
  MSK: '+0300',
  IST: '+0530',
  JST: '+0900',
};

function namedZone(text: string): string {
  return zonesByName[/\b([A-Z]{3,4})$/.exec(text.trim())?.[1] ?? ''] ?? 'Z';
}

function zoneSeconds(zone: string): number {
  const match = /^([+-])(\d\d):?(\d\d)$/.exec(zone);
  if (!match) return 0;
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 3600 + Number(match[3]) * 60);
}
