import type { Edge, ImportGraph } from './graph.ts';

/** Files or folders that import each other in a circle. */
export interface Circle {
  readonly kind: 'files' | 'folders';
  /** Their paths: each imports the next, and the last one the first. */
  readonly members: readonly string[];
  /** One importing line for each step, as `path:line imports path`. */
  readonly lines: readonly string[];
}

/**
 * Finds the circles among files, and among the folders of each package at every depth. Only imports that are
 * loaded at once count: neither `import type`, which is erased, nor `import()`, which runs when everything
 * else has been loaded.
 *
 * A file next to folders counts as a folder of its own, so a folder that reaches itself through such a file
 * is a circle too. For each tangle, only the shortest circle is reported: break it, and the next one appears.
 */
export function findCircles(graph: ImportGraph): Circle[] {
  const edges = [...graph].flatMap(([from, found]) =>
    found
      .filter(({ kind, to }) => kind === 'static' && graph.has(to))
      .map((edge): Step => ({ ...edge, from })),
  );
  const folders = new Set([...graph.keys()].flatMap(foldersOf));
  const tangledFiles = circlesAmong(edges, (path) => path).map((circle) => ({
    kind: 'files' as const,
    ...circle,
  }));
  const tangledFolders = [...folders].toSorted().flatMap((folder) =>
    circlesAmong(edges, (path) => childOf(folder, path))
      .filter(({ members }) => members.some((member) => !graph.has(member)))
      .map((circle) => ({ kind: 'folders' as const, ...circle })),
  );
  return [...tangledFiles, ...tangledFolders];
}

interface Step extends Edge {
  readonly from: string;
}

/** The circles among groups of files: one for each group of groups that all reach each other. */
function circlesAmong(
  edges: readonly Step[],
  groupOf: (path: string) => string | undefined,
): Pick<Circle, 'members' | 'lines'>[] {
  const steps = new Map<string, Map<string, Step>>();
  for (const edge of edges) {
    const [from, to] = [groupOf(edge.from), groupOf(edge.to)];
    if (from === undefined || to === undefined || (from === to && edge.from !== edge.to)) continue;
    const known = steps.getOrInsertComputed(from, () => new Map<string, Step>());
    if (!known.has(to)) known.set(to, edge);
  }
  const circles: Pick<Circle, 'members' | 'lines'>[] = [];
  const done = new Set<string>();
  for (const start of [...steps.keys()].toSorted()) {
    if (done.has(start)) continue;
    const members = shortestWay(steps, start);
    if (members === undefined) continue;
    for (const member of tangleOf(steps, start)) done.add(member);
    const lines = members.map((member, index) => {
      const step = steps.get(member)?.get(members[(index + 1) % members.length] ?? '');
      return step === undefined ? '' : `${step.from}:${step.line} imports ${step.to}`;
    });
    circles.push({ members, lines });
  }
  return circles;
}

/** For each group, the groups that it imports: a map or a set of them. */
type Steps = ReadonlyMap<string, { keys(): Iterable<string> }>;

/** The shortest way from a group back to itself; undefined when there is none. */
function shortestWay(steps: Steps, start: string): string[] | undefined {
  const ways: string[][] = [[start]];
  const seen = new Set<string>();
  // The list grows during iteration, so the first path that closes is a shortest one.
  for (const way of ways) {
    for (const next of steps.get(way.at(-1) ?? '')?.keys() ?? []) {
      if (next === start) return way;
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return undefined;
}

/** All groups that a group reaches and that reach it. */
function tangleOf(steps: Steps, start: string): string[] {
  return [...reachable(steps, start)].filter((group) => reachable(steps, group).has(start));
}

/** All groups that a group reaches, and the group itself. */
export function reachable(steps: Steps, start: string): ReadonlySet<string> {
  const found = new Set<string>([start]);
  for (const group of found) for (const next of steps.get(group)?.keys() ?? []) found.add(next);
  return found;
}

/** The folders of a source file from its package's `src` down: `packages/a/src`, `packages/a/src/b`. */
function foldersOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(3).map((_, index) => parts.slice(0, index + 3).join('/'));
}

function childOf(folder: string, path: string): string | undefined {
  if (!path.startsWith(`${folder}/`)) return undefined;
  return `${folder}/${path.slice(folder.length + 1).split('/', 1)[0]}`;
}
