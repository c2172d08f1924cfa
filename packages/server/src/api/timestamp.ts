export function timestamp(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** Reads a time that its schema has checked, if there is one. */
export function timeMsIfAny(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

/** Formats a time if there is one. JSON omits undefined members. */
export function timestampIfAny(timeMs: number | undefined): string | undefined {
  return timeMs === undefined ? undefined : timestamp(timeMs);
}
