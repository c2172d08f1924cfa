export function timestamp(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** Formats a time if there is one. JSON omits undefined members. */
export function timestampIfAny(timeMs: number | undefined): string | undefined {
  return timeMs === undefined ? undefined : timestamp(timeMs);
}
