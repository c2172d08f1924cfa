import type { ImportGraph } from './graph.ts';
import { countRooms, type RoomFigures, type RoomReport } from './room-figures.ts';
import { roomLimits } from './room-limits.ts';

export interface RoomsReport {
  /** One readable text for each figure that is not what the limits say. */
  readonly findings: readonly string[];
  /** The figures of each source folder that has limits, as one line. */
  readonly totals: readonly string[];
}

const names: Readonly<Record<keyof RoomFigures, string>> = {
  rooms: 'rooms',
  arrows: 'arrows between them',
  up: 'arrows up',
  pairs: 'two-way pairs',
};

const advice: Readonly<Record<keyof RoomFigures, string>> = {
  rooms: 'put the new file into the folder of its subject',
  arrows: 'two rooms now know each other: move what both need, or hand it over as an argument',
  up: 'move what both need below both, types included',
  pairs: 'move what both need below both, types included',
};

/** Compares how many rooms and arrows source folders have with their limits, which may only shrink. */
export function checkRooms(
  graph: ImportGraph,
  limits: Readonly<Record<string, RoomFigures>> = roomLimits,
): RoomsReport {
  const reports = Object.entries(limits).map(([source, limit]) => ({
    source,
    limit,
    report: countRooms(graph, source),
  }));
  return {
    findings: reports.flatMap(({ source, limit, report }) => differences(source, limit, report)),
    totals: reports.map(({ source, report: { figures } }) => {
      const counts = figureNames.map((name) => `${figures[name]} ${names[name]}`);
      return `${source}: ${counts.join(', ')}`;
    }),
  };
}

const figureNames = ['rooms', 'arrows', 'up', 'pairs'] as const;

function differences(source: string, limit: RoomFigures, { figures, up, pairs }: RoomReport): string[] {
  const shown = { rooms: [], arrows: [], up, pairs };
  return figureNames.flatMap((name) => {
    const [found, allowed] = [figures[name], limit[name]];
    const what = `${source} has ${found} ${names[name]}`;
    if (found > allowed)
      return [[`${what}, ${allowed} at most: ${advice[name]}.`, ...shown[name]].join('\n  ')];
    if (found < allowed) return [`${what}: lower the ${allowed} in tools/boundaries/room-limits.ts.`];
    return [];
  });
}
