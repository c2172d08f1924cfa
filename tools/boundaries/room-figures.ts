import { reachable } from './circles.ts';
import type { ImportGraph } from './graph.ts';

/** How the rooms of a source folder depend on each other. A room is a folder directly inside, or a file beside those. */
export interface RoomFigures {
  readonly rooms: number;
  /** How many times one room imports another, types included; each two rooms count once in each direction. */
  readonly arrows: number;
  /** Those of the arrows that run back up: the imports of the room they lead to reach the room they come from. */
  readonly up: number;
  /** Pairs of rooms that import each other. */
  readonly pairs: number;
}

/** The arrows of a source folder that are not allowed to be, by figure, as `a → b`. */
export interface RoomReport {
  readonly figures: RoomFigures;
  readonly up: readonly string[];
  readonly pairs: readonly string[];
}

/** Counts the rooms of a source folder and the arrows between them. */
export function countRooms(graph: ImportGraph, source: string): RoomReport {
  const roomOf = (path: string): string => path.slice(source.length + 1).split('/', 1)[0] ?? '';
  const files = [...graph.keys()].filter((path) => path.startsWith(`${source}/`));
  const arrows = new Map(files.map((path) => [roomOf(path), new Set<string>()]));
  for (const path of files) {
    const leavesTo = arrows.get(roomOf(path));
    for (const { to } of graph.get(path) ?? [])
      if (graph.has(to) && to.startsWith(`${source}/`) && roomOf(to) !== roomOf(path))
        leavesTo?.add(roomOf(to));
  }
  const all = [...arrows].flatMap(([from, targets]) => [...targets].map((to) => ({ from, to })));
  const up = all.filter(({ from, to }) => reachable(arrows, to).has(from));
  const pairs = all.filter(({ from, to }) => from < to && arrows.get(to)?.has(from));
  const figures = { rooms: arrows.size, arrows: all.length, up: up.length, pairs: pairs.length };
  return {
    figures,
    up: up.map(({ from, to }) => `${from} → ${to}`),
    pairs: pairs.map(({ from, to }) => `${from} ⇄ ${to}`),
  };
}
