/**
 * Divides test files between two processes that run side by side, so that both take about as long. Files that mostly wait for
 * programs that they start (databases, nodes, browsers) stay together as far as that allows, the others fill the processor
 * meanwhile.
 *
 * @param files paths relative to the repository, with `/`
 * @returns one lane or two; no lane is empty
 */
export function lanesOf(files: readonly string[], cores: number): readonly (readonly string[])[] {
  if (cores < 2) return [files];
  const isWaiting = (file: string): boolean => startsPrograms.some((folder) => file.startsWith(folder));
  const sorted = [...files.filter(isWaiting), ...files.filter((file) => !isWaiting(file))];
  const half = sorted.reduce((sum, file) => sum + secondsOf(file), 0) / 2;
  const first: string[] = [];
  const second: string[] = [];
  let seconds = 0;
  for (const file of sorted) {
    const lane = seconds + secondsOf(file) / 2 <= half ? first : second;
    if (lane === first) seconds += secondsOf(file);
    lane.push(file);
  }
  return [first, second].filter((lane) => lane.length > 0);
}

const startsPrograms = [
  'packages/server/test/replay/',
  'test/applications/',
  'test/cluster/',
  'test/crash/',
  'test/faults/',
  'test/portal/',
  'test/published/',
  'test/soak/',
];

/** Roughly how many seconds a file takes, by how its path starts; the first that fits counts. */
const roughSeconds: readonly (readonly [start: string, seconds: number])[] = [
  ['test/portal/accessibility', 60],
  ['test/portal/widths', 120],
  ['test/portal/whole-way', 45],
  ['test/portal/documents', 25],
  ['test/portal/first-views', 60],
  ['test/portal/try-it', 20],
  ['test/portal/hostile-texts', 28],
  ['test/portal/idle', 20],
  ['test/portal/demo-data', 15],
  ['test/portal/search', 25],
  ['test/portal/notices', 30],
  ['test/portal/five-tasks', 20],
  ['test/portal/', 9],
  ['test/published/', 95],
  ['test/soak/', 25],
  ['test/cluster/cluster', 27],
  ['test/cluster/kills', 11],
  ['packages/server/test/replay/redis-guard', 40],
  ['packages/server/test/replay/postgres-outage', 17],
  ['packages/server/test/replay/', 6],
  ['packages/server/test/management/outcomes', 9],
  ['packages/server/test/management/all-or-nothing', 6],
  ['packages/server/test/demonstration/', 30],
  ['test/faults/', 70],
  ['test/signers/', 240],
  ['test/model/rules', 37],
  ['test/model/', 13],
  ['test/rolling/', 27],
  ['test/strangers/', 15],
  ['packages/portal/test/snippets', 20],
  ['tools/test/release', 60],
  ['packages/server/test/configuration/start', 23],
  ['packages/server/test/connections/', 17],
  ['packages/server/test/', 2.5],
  ['test/', 3],
  ['tools/test/', 2.5],
  ['', 0.5],
];

function secondsOf(file: string): number {
  return roughSeconds.find(([start]) => file.startsWith(start))?.[1] ?? 1;
}
