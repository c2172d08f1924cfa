import { findPlaces, type Place } from './find-places.ts';
import { type KnownPlaces, knownPlaces } from './known-places.ts';

export interface WaitsReport {
  readonly findings: readonly string[];
  /** The number of known places, which still have to be fixed. */
  readonly known: { readonly sleep: number; readonly clock: number };
}

const whatToDo = {
  sleep:
    'sleeps directly before an assertion: wait for an event, or for a sentinel sent through the same channel',
  clock: "asserts the machine's own clock: set the clock, or count turns, attempts or bytes",
};

/**
 * Compares the places where tests depend on the machine's speed with the known ones: no new ones are allowed,
 * and fixed ones must be removed from the list.
 */
export function checkWaits(root: string, known: KnownPlaces = knownPlaces): WaitsReport {
  const places = findPlaces(root);
  const files = [...new Set([...places.map(({ file }) => file), ...Object.keys(known)])].toSorted();
  const kinds = ['sleep', 'clock'] as const;
  const findings = files.flatMap((file) =>
    kinds.flatMap((kind) => {
      const found = places.filter((place) => place.file === file && place.kind === kind);
      return differences(file, kind, found, known[file]?.[kind] ?? 0);
    }),
  );
  const count = (kind: Place['kind']): number =>
    Object.values(known).reduce((sum, place) => sum + (place[kind] ?? 0), 0);
  return { findings, known: { sleep: count('sleep'), clock: count('clock') } };
}

function differences(file: string, kind: Place['kind'], found: readonly Place[], allowed: number): string[] {
  if (found.length > allowed) {
    const lines = found.map(({ line }) => line).join(', ');
    return [`${file}:${lines} ${whatToDo[kind]} (${found.length}, ${allowed} known).`];
  }
  if (found.length < allowed)
    return [
      `${file} has ${found.length} of ${allowed} known (${kind}): lower its number in tools/waits/known-places.ts.`,
    ];
  return [];
}
