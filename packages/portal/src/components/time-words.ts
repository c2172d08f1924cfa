import { locale } from '#messages/locale.ts';

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
const absolute = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
const short = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const dayOnly = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });

const exact = new Intl.DateTimeFormat(locale, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});

/** Formats a difference: `3 minutes ago`, `in 2 days`, or `now` within 10 s. */
export function relativeTime(atMs: number, nowMs: number, now: string): string {
  const seconds = (atMs - nowMs) / 1000;
  const distance = Math.abs(seconds);
  if (distance < nowSeconds) return now;
  const step = steps.find(({ below }) => distance < below);
  return step === undefined ? now : relative.format(Math.trunc(seconds / step.seconds), step.unit);
}

/** Formats a time to the second in the person's time zone: `21 Nov 2026, 14:03:21`. */
export function absoluteTime(at: string | number): string {
  return absolute.format(new Date(at));
}

/** Formats a time to the second with the person's time zone: `21 Nov 2026, 14:03:21 CET`. */
export function exactTime(at: string): string {
  return exact.format(new Date(at));
}

/** Formats a time in UTC: `2026-11-21 13:03:21.250 UTC`. */
export function utcTime(at: string): string {
  return `${new Date(at).toISOString().replace('T', ' ').replace('Z', '')} UTC`;
}

export function shortTime(at: string | number): string {
  return short.format(new Date(at));
}

export function dayOf(at: string | number): string {
  return dayOnly.format(new Date(at));
}

export function clockTime(at: string | number): string {
  return clock.format(new Date(at));
}

const span = new Intl.DateTimeFormat(locale, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/** Formats a stretch of time: `21 Nov, 14:00 – 16:00`, or `21 Nov, 14:00` if it has no length. */
export function timeSpan(fromMs: number, toMs: number): string {
  return span.formatRange(fromMs, toMs);
}

/** Formats a time as the value of an `<input type="datetime-local">`: `2026-11-21T14:03`. */
export function localTimeText(timeMs: number): string {
  const local = new Date(timeMs - new Date(timeMs).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
