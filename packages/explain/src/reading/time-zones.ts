/** A quarter hour, the step in which time zones differ. */
export const quarterSeconds = 900;

/** From UTC-12 to UTC+14. */
export const quartersMin = -48;
export const quartersMax = 56;

/**
 * Returns true if clocks somewhere have this offset from UTC, in quarter hours: each whole hour, and the few
 * in between.
 */
export function isZone(quarters: number): boolean {
  return isWholeHour(quarters) || zonesBetweenHours.has(quarters);
}

/** Returns true if an offset is a number of whole hours. */
export function isWholeHour(quarters: number): boolean {
  return quarters !== 0 && quarters % 4 === 0 && quarters >= quartersMin && quarters <= quartersMax;
}

/** Names a zone as people do, such as UTC-8 and UTC+5:45. */
export function zoneName(quarters: number): string {
  const { sign, hours, minutes } = partsOf(quarters);
  return `UTC${sign}${hours}${minutes === 0 ? '' : `:${minutes}`}`;
}

/** Writes an offset as dates have it, such as +0545. */
export function offsetText(quarters: number): string {
  const { sign, hours, minutes } = partsOf(quarters);
  return sign + [hours, minutes].map((part) => String(part).padStart(2, '0')).join('');
}

function partsOf(quarters: number): {
  readonly sign: string;
  readonly hours: number;
  readonly minutes: number;
} {
  const size = Math.abs(quarters);
  return { sign: quarters < 0 ? '-' : '+', hours: Math.floor(size / 4), minutes: (size % 4) * 15 };
}

/** From UTC-09:30 of the Marquesas to UTC+13:45 of Chatham's summer. */
const zonesBetweenHours: ReadonlySet<number> = new Set([
  -38, -14, -10, 14, 18, 22, 23, 26, 35, 38, 42, 51, 55,
]);
