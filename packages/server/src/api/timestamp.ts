export function timestamp(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** JSON leaves a member out that is undefined. */
export function timestampIfAny(timeMs: number | undefined): string | undefined {
  return timeMs === undefined ? undefined : timestamp(timeMs);
}
