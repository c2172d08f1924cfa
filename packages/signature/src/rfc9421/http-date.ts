const dayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const pattern = /^(\w{3}), (\d\d) (\w{3}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/;

/** Cached, because honest traffic repeats the same few dates within a second, both ways. */
let lastRead = { text: 'Thu, 01 Jan 1970 00:00:00 GMT', seconds: 0 };
let lastWritten = { text: '', seconds: Number.NaN };

/**
 * Reads an IMF-fixdate, `Tue, 20 Apr 2021 02:07:55 GMT`, and nothing else (RFC 9110 section 5.6.7).
 *
 * Returns Unix seconds; undefined for any other text: obsolete formats, different case or spacing, the wrong day of the
 * week, a day that the month does not have, a leap second.
 */
export function readHttpDate(text: string): number | undefined {
  if (text === lastRead.text) return lastRead.seconds;
  const parts = text.length === 29 ? pattern.exec(text) : null;
  if (!parts) return undefined;
  const month = monthNames.indexOf(parts[3]!);
  if (month < 0) return undefined;
  const seconds = Date.UTC(+parts[4]!, month, +parts[2]!, +parts[5]!, +parts[6]!, +parts[7]!) / 1000;
  // Date.UTC turns 31 February into March and reads years below 100 as 19xx, so the text must survive a round trip.
  if (formatHttpDate(seconds) !== text) return undefined;
  lastRead = { text, seconds };
  return seconds;
}

/** Formats Unix seconds as an IMF-fixdate (RFC 9110 section 5.6.7). Valid for the years 0 to 9999. */
export function formatHttpDate(unixSeconds: number): string {
  if (unixSeconds !== lastWritten.seconds)
    lastWritten = { text: writeHttpDate(unixSeconds), seconds: unixSeconds };
  return lastWritten.text;
}

function writeHttpDate(unixSeconds: number): string {
  const date = new Date(unixSeconds * 1000);
  const day = twoDigits(date.getUTCDate());
  const time = `${twoDigits(date.getUTCHours())}:${twoDigits(date.getUTCMinutes())}:${twoDigits(date.getUTCSeconds())}`;
  const year = String(date.getUTCFullYear()).padStart(4, '0');
  return `${dayNames[date.getUTCDay()]}, ${day} ${monthNames[date.getUTCMonth()]} ${year} ${time} GMT`;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}
