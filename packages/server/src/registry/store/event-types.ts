/** Returns the types of events that someone wants, as they are stored; null for all. */
export function readEventTypes(stored: string | null): readonly string[] | null {
  return stored === null ? null : (JSON.parse(stored) as string[]);
}

/** Returns the column of the types that someone wants. */
export function storedEventTypes(types: readonly string[] | null): string | null {
  return types === null ? null : JSON.stringify(types);
}

/** Returns true if someone wants events of a type. */
export function isWanted(stored: string | null, type: string): boolean {
  return readEventTypes(stored)?.includes(type) ?? true;
}
