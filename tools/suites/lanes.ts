/**
 * Divides test files into those that mostly wait for programs that they start (databases, nodes, browsers, other
 * services) and all others, so that both take about as long. The two run side by side, each in a process of its own, where
 * there are two cores.
 *
 * @param files paths relative to the repository, with `/`
 * @returns one lane or two; no lane is empty
 */
export function lanesOf(files: readonly string[], cores: number): readonly (readonly string[])[] {
  if (cores < 2) return [files];
  const waiting = files.filter((file) => startsPrograms.some((folder) => file.startsWith(folder)));
  const others = files.filter((file) => !waiting.includes(file));
  return [waiting, others].filter((lane) => lane.length > 0);
}

const startsPrograms = [
  'packages/server/test/replay/',
  'test/cluster/',
  'test/crash/',
  'test/portal/',
  'test/published/',
];
