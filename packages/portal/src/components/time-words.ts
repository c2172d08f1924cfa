import { locale } from '#messages/locale.ts';
import {
  type ClockForm,
  type DateForm,
  shownZone,
  type TimeForm,
  timeForm,
  zoneOfBrowser,
} from '../session/time-form.ts';

const steps: readonly {
  readonly unit: Intl.RelativeTimeFormatUnit;
  readonly seconds: number;
  readonly below: number;
}[] = [
  { unit: 'second', seconds: 1, below: 60 },
  { unit: 'minute', seconds: 60, below: 60 * 60 },
  { unit: 'hour', seconds: 60 * 60, below: 36 * 60 * 60 },
  { unit: 'day', seconds: 24 * 60 * 60, below: 60 * 24 * 60 * 60 },
  { unit: 'month', seconds: 30.44 * 24 * 60 * 60, below: 548 * 24 * 60 * 60 },
  { unit: 'year', seconds: 365.25 * 24 * 60 * 60, below: Number.POSITIVE_INFINITY },
];

/** Smaller differences are `now`: clocks differ. */
const nowSeconds = 10;

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'always' });

/** Formats a difference: `3 minutes ago`, `in 2 days`, or `now` within 10 s. */
export function relativeTime(atMs: number, nowMs: number, now: string): string {
  const seconds = (atMs - nowMs) / 1000;
  const distance = Math.abs(seconds);
  if (distance < nowSeconds) return now;
  const step = steps.find(({ below }) => distance < below);
  return step === undefined ? now : relative.format(Math.trunc(seconds / step.seconds), step.unit);
}

/**
 * Formats a time to the second in the person's time zone: `21 Nov 2026, 14:03:21`. The zone is named if it is not the browser's.
 */
export function absoluteTime(at: string | number): string {
  const { date, seconds, otherZone } = writers();
  return `${date(at)}, ${seconds(at)}${otherZone(at)}`;
}

/** Formats a time to the second with the person's time zone: `21 Nov 2026, 14:03:21 CET`. */
export function exactTime(at: string): string {
  const { wordyDate, seconds, zone } = writers();
  return `${wordyDate(at)}, ${seconds(at)} ${zone(at)}`;
}

/** Formats a time in UTC: `2026-11-21 13:03:21.250 UTC`. */
export function utcTime(at: string): string {
  return `${new Date(at).toISOString().replace('T', ' ').replace('Z', '')} UTC`;
}

/** Formats a time to the minute. The zone is named if it is not the browser's. */
export function shortTime(at: string | number): string {
  const { date, minutes, otherZone } = writers();
  return `${date(at)}, ${minutes(at)}${otherZone(at)}`;
}

export function dayOf(at: string | number): string {
  return writers().date(at);
}

/** Formats a day without its year, for the axis of a chart. */
export function dayInYear(at: string | number): string {
  return withoutYear(writers().date(at));
}

/** Returns the year of a time in the person's time zone. */
export function yearOf(at: string | number): string {
  return writers().parts(at).year;
}

export function clockTime(at: string | number): string {
  return writers().minutes(at);
}

/** Formats a stretch of time: `21 Nov, 14:00 – 16:00`, or `21 Nov, 14:00` if it has no length. */
export function timeSpan(fromMs: number, toMs: number): string {
  return writers().span(fromMs, toMs);
}

/** Formats a time as the value of an `<input type="datetime-local">` in the person's time zone: `2026-11-21T14:03`. */
export function localTimeText(timeMs: number): string {
  const { year, month, day, hour, minute } = writers().parts(timeMs);
  return `${year.padStart(4, '0')}-${month}-${day}T${hour}:${minute}`;
}

/** Reads the value of an `<input type="datetime-local">` in the person's time zone, in milliseconds; NaN if it is no time. */
export function readLocalTime(text: string): number {
  const asUtcMs = Date.parse(`${text}Z`);
  if (Number.isNaN(asUtcMs)) return Number.NaN;
  // The offset belongs to the time that is looked for, which the first guess misses by at most a day.
  const offsetAt = (timeMs: number): number =>
    Date.parse(`${localTimeText(timeMs)}Z`) - startOfMinute(timeMs);
  const guessMs = asUtcMs - offsetAt(asUtcMs);
  return asUtcMs - offsetAt(guessMs);
}

/** Reads the value of an `<input type="datetime-local">` as RFC 3339 in UTC; undefined if it is no time. */
export function readLocalTimeInUtc(text: string): string | undefined {
  const timeMs = readLocalTime(text);
  return Number.isNaN(timeMs) ? undefined : new Date(timeMs).toISOString();
}

/** Returns true if a field for a time in the future, which may be empty, has another text. */
export function isNoFutureTime(text: string): boolean {
  return text !== '' && !(readLocalTime(text) > Date.now());
}

function startOfMinute(timeMs: number): number {
  return Math.floor(timeMs / 60_000) * 60_000;
}

/** Returns a time in a form that the person could choose. */
export function timeIn(form: TimeForm, at: number): { readonly date: string; readonly clock: string } {
  const { date, minutes } = writersFor(form);
  return { date: date(at), clock: minutes(at) };
}

/** What writes times in one form. */
interface Writers {
  readonly parts: (
    at: string | number,
  ) => Readonly<Record<'year' | 'month' | 'day' | 'hour' | 'minute', string>>;
  readonly date: (at: string | number) => string;
  /** The same, with the name of the month if the form is that of the language. */
  readonly wordyDate: (at: string | number) => string;
  readonly seconds: (at: string | number) => string;
  readonly minutes: (at: string | number) => string;
  readonly zone: (at: string | number) => string;
  /** The zone after a space; empty if it is the browser's. */
  readonly otherZone: (at: string | number) => string;
  readonly span: (fromMs: number, toMs: number) => string;
}

let made: { readonly form: TimeForm; readonly writers: Writers } | undefined;

function writers(): Writers {
  const form = timeForm();
  if (made?.form !== form) made = { form, writers: writersFor(form) };
  return made.writers;
}

function writersFor(form: TimeForm): Writers {
  const timeZone = shownZone(form);
  const write = (options: Intl.DateTimeFormatOptions): ((at: string | number) => string) => {
    const format = new Intl.DateTimeFormat(locale, { ...clockOptions[form.clock], ...options, timeZone });
    return (at) => format.format(new Date(at));
  };
  const numbers = new Intl.DateTimeFormat('en', { ...digits, hourCycle: 'h23', timeZone });
  const parts: Writers['parts'] = (at) =>
    Object.fromEntries(
      numbers.formatToParts(new Date(at)).map(({ type, value }) => [type, value]),
    ) as ReturnType<Writers['parts']>;
  const chosenDate = form.date === 'language' ? undefined : dateWriter(form.date, parts, timeZone);
  const date = chosenDate ?? write({ dateStyle: 'medium' });
  const minutes = write({ timeStyle: 'short' });
  const zoneFormat = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' });
  const zone = (at: string | number): string =>
    zoneFormat.formatToParts(new Date(at)).find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
  const isOther = timeZone !== zoneOfBrowser();
  return {
    parts,
    date,
    wordyDate: chosenDate ?? dateWriter('words', parts, timeZone),
    minutes,
    seconds: write({ timeStyle: 'medium' }),
    zone,
    otherZone: (at) => (isOther ? ` ${zone(at)}` : ''),
    span: form.date === 'language' ? languageSpan(form, timeZone) : otherSpan(date, minutes),
  };
}

const digits = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
} as const;

const clockOptions: Readonly<Record<ClockForm, Intl.DateTimeFormatOptions>> = {
  language: {},
  '24': { hourCycle: 'h23' },
  '12': { hourCycle: 'h12' },
};

const datePatterns = {
  iso: 'year-month-day',
  slashes: 'day/month/year',
  'month-first': 'month/day/year',
  dots: 'day.month.year',
} as const;

function dateWriter(
  form: Exclude<DateForm, 'language'>,
  parts: Writers['parts'],
  timeZone: string,
): (at: string | number) => string {
  if (form === 'words') {
    const words = new Intl.DateTimeFormat(locale, {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      timeZone,
    });
    return (at) => words.format(new Date(at));
  }
  return (at) => {
    const numbers = parts(at);
    return datePatterns[form].replaceAll(/\w+/g, (name) => numbers[name as keyof typeof numbers]);
  };
}

function languageSpan({ clock }: TimeForm, timeZone: string): Writers['span'] {
  const format = new Intl.DateTimeFormat(locale, {
    ...clockOptions[clock],
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  });
  return (fromMs, toMs) => format.formatRange(fromMs, toMs);
}

function otherSpan(date: Writers['date'], minutes: Writers['minutes']): Writers['span'] {
  const name = (timeMs: number): string => `${withoutYear(date(timeMs))}, ${minutes(timeMs)}`;
  return (fromMs, toMs) => {
    if (minutes(fromMs) === minutes(toMs) && date(fromMs) === date(toMs)) return name(fromMs);
    return `${name(fromMs)} – ${date(fromMs) === date(toMs) ? minutes(toMs) : name(toMs)}`;
  };
}

function withoutYear(date: string): string {
  return date.replace(/^\d{4}-|[ /]\d{4}$|(?<=\.)\d{4}$/, '');
}
