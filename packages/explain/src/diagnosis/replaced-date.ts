import { readHttpDate } from '@countersign/signature';
import type { FindingCode } from '../findings/findings.ts';
import { readMeantDate } from '../reading/lenient-date.ts';

/** The wording for a Date that was right when it was signed and changed before arrival. */
export interface ReplacedDate {
  readonly mend: string;
  readonly alsoCodes?: readonly FindingCode[];
}

/** The findings about a Date that differs from the signed one. */
export const dateCodes: ReadonlySet<FindingCode> = new Set([
  'base_other_date',
  'date_read_twice',
  'date_format',
  'date_time_zone',
]);

/**
 * Advises about a Date that was replaced after signing. Undefined if the signed one was itself wrong, or if
 * the caller may simply have read its clock twice.
 */
export function replacedDate(
  signed: string,
  arrived: string,
  created: number | undefined,
  maxApartSeconds: number,
  proxies: readonly string[],
): ReplacedDate | undefined {
  const isNear = (seconds: number): boolean =>
    created !== undefined && Math.abs(seconds - created) <= maxApartSeconds;
  const isRight = (text: string): boolean => {
    const seconds = readHttpDate(text);
    return seconds !== undefined && isNear(seconds);
  };
  if (!isRight(signed)) return undefined;
  const isArrivedRight = isRight(arrived);
  if (isArrivedRight && proxies.length === 0) return undefined;
  const way =
    proxies.length === 0
      ? 'Send the Date that you signed. If you do, an HTTP client or a proxy replaces it: make it pass Date on unchanged.'
      : `The request came through a proxy (${proxies.join(', ')}). If it replaces Date, make it pass Date on unchanged; if not, send the Date that you signed.`;
  // An unreadable date, and the same time in another format, cannot be said to differ.
  const read = readMeantDate(arrived);
  const mend = read?.isHttpDate ? way : `${way} Use the HTTP date format: \`Date: ${signed}\`.`;
  return { mend, ...(read && !isNear(read.seconds) && { alsoCodes: ['date_differs'] }) };
}
