import type { PaletteEntry } from './palette-source.ts';

const keptMax = 6;

/**
 * Returns the entries that were opened last in this tab, newest first. They are kept for one person in one account, and
 * no longer than the tab, because they name clients.
 */
export function recentEntries(owner: string): readonly PaletteEntry[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(nameOf(owner)) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isEntry).slice(0, keptMax) : [];
  } catch {
    // Storage is off, or contains something else.
    return [];
  }
}

export function noteEntry(owner: string, { path, title, detail }: PaletteEntry): void {
  const others = recentEntries(owner).filter((entry) => entry.path !== path);
  try {
    const kept = [{ path, title, detail }, ...others].slice(0, keptMax);
    sessionStorage.setItem(nameOf(owner), JSON.stringify(kept));
  } catch {
    // Storage is off or full: nothing is remembered.
  }
}

function nameOf(owner: string): string {
  return `countersign-recent ${owner}`;
}

function isEntry(value: unknown): value is PaletteEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { path, title, detail } = value as Record<string, unknown>;
  return (
    typeof path === 'string' &&
    /^\/(?![/\\])/.test(path) &&
    typeof title === 'string' &&
    (detail === undefined || typeof detail === 'string')
  );
}
