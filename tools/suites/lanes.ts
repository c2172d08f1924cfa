/**
 * Divides test files into lanes that take about as long. They run side by side, each in a process of its own, where there
 * are two cores: three of them, because tests that start databases, nodes and browsers also wait for these.
 *
 * @param files paths relative to the repository, with `/`
 * @returns at least one lane for any files; no lane is empty
 */
export function lanesOf(files: readonly string[], cores: number): readonly (readonly string[])[] {
  if (cores < 2) return [files];
  const laneOf = (file: string): number =>
    foldersOfLanes.findIndex((folders) => folders.some((folder) => file.startsWith(folder)));
  // What no lane names is in a lane of its own, the last one.
  return [...foldersOfLanes.keys(), -1]
    .map((lane) => files.filter((file) => laneOf(file) === lane))
    .filter((lane) => lane.length > 0);
}

const foldersOfLanes: readonly (readonly string[])[] = [
  // Browsers, builds, and commands.
  ['packages/cli/', 'test/portal/', 'test/published/', 'tools/'],
  // Databases, nodes, and processes of the service.
  [
    'packages/server/test/live/',
    'packages/server/test/registry/',
    'packages/server/test/replay/',
    'packages/server/test/storage/',
    'test/cluster/',
    'test/crash/',
    'test/documents/',
  ],
];
