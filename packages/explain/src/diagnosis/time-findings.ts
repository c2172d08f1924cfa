import { formatHttpDate, type TimeWindow } from '@countersign/signature';
import { type Finding, finding } from '../findings/finding.ts';
import { readMeantDate } from '../reading/lenient-date.ts';
import { isWholeHour, isZone, quarterSeconds, zoneName } from '../reading/time-zones.ts';

/** Finds what is wrong with a request's times by the service's clock. */
export function timeFindings(
  created: number | undefined,
  dateText: string | undefined,
  window: TimeWindow,
  nowSeconds: number,
): readonly Finding[] {
  const findings: Finding[] = [];
  const date = dateText === undefined ? undefined : readMeantDate(dateText);
  if (created !== undefined) findings.push(...clockFindings(created, date?.seconds, window, nowSeconds));
  // Without created, Date shows the caller's clock.
  else if (date) findings.push(...clockFindings(date.seconds, undefined, window, nowSeconds, 'Date is'));
  if (dateText === undefined) return findings;
  const expected = created === undefined ? undefined : formatHttpDate(created);
  const action = expected === undefined ? {} : { action: expected };
  const mend = expected === undefined ? {} : { mend: `Send \`Date: ${expected}\`.` };
  const hasOtherZone = date?.hasOtherZone === true;
  if (!date?.isHttpDate && hasOtherZone)
    findings.push(
      finding('date_format', 'observed', {
        alsoCodes: ['date_time_zone'],
        what: `Date is in a different time zone, which an HTTP date cannot be: ${dateText}.`,
        ...mend,
      }),
    );
  else if (!date?.isHttpDate)
    findings.push(finding('date_format', 'observed', { detail: dateText, ...mend }));
  else if (hasOtherZone) findings.push(finding('date_time_zone', 'observed', { detail: dateText, ...mend }));
  // If only the clock behind `created` is off by a time zone, a correct Date is not a second mistake.
  const isExplained =
    date !== undefined &&
    findings.some(({ code }) => code === 'clock_time_zone') &&
    Math.abs(date.seconds - nowSeconds) <= window.maxAgeSeconds;
  if (date && created !== undefined && !isExplained) {
    const apart = date.seconds - created;
    if (Math.abs(apart) > window.maxDateDifferenceSeconds)
      findings.push(apartFinding(dateText, apart, action));
  }
  return findings;
}

/** The maximum deviation from whole quarter hours for a difference to look like a time zone. */
const zoneToleranceSeconds = 120;

function apartFinding(dateText: string, apart: number, action: { readonly action?: string }): Finding {
  const detail = `${dateText} is ${duration(apart)} created`;
  return looksLikeZone(apart)
    ? finding('date_time_zone', 'likely', { detail, ...action })
    : finding('date_differs', 'observed', { detail, ...action });
}

function clockFindings(
  created: number,
  dateSeconds: number | undefined,
  window: TimeWindow,
  nowSeconds: number,
  subject = 'created is',
): Finding[] {
  const ahead = created - nowSeconds;
  if (-ahead <= window.maxAgeSeconds && ahead <= window.maxFutureSeconds) return [];
  const isDateToo =
    dateSeconds !== undefined && Math.abs(dateSeconds - created) <= window.maxDateDifferenceSeconds;
  const told = `${isDateToo ? 'created and Date are' : subject} ${duration(ahead)} the service's clock`;
  if (!looksLikeZone(ahead)) return [finding('clock_off', 'observed', { detail: told })];
  return [
    finding('clock_time_zone', 'likely', {
      what: `${told}: the local time of ${zoneName(Math.round(ahead / quarterSeconds))} was probably taken for UTC.`,
    }),
  ];
}

function looksLikeZone(seconds: number): boolean {
  const quarters = Math.round(seconds / quarterSeconds);
  if (!isZone(quarters)) return false;
  // Whole hours are common; other zones must fit closely.
  const tolerance = isWholeHour(quarters) ? zoneToleranceSeconds : 30;
  return Math.abs(seconds - quarters * quarterSeconds) <= tolerance;
}

function duration(seconds: number): string {
  const size = Math.abs(seconds);
  const text =
    size < 120
      ? `${size} s`
      : size < 7200
        ? `${Math.round(size / 60)} min (${size} s)`
        : size < 2 * 86400
          ? `${Math.round(size / 360) / 10} h (${size} s)`
          : `${Math.round(size / 8640) / 10} days (${size} s)`;
  return `${text} ${seconds < 0 ? 'behind' : 'ahead of'}`;
}
