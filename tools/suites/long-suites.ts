/** Test files that take minutes together: `npm test -- --all` and CI run them, a plain `npm test` names them. */
export const longSuites: readonly { readonly path: string; readonly why: string }[] = [
  { path: 'test/cluster/cluster.test.ts', why: 'Three services share stores under load.' },
  { path: 'test/cluster/kills.test.ts', why: 'Kills nodes and their PostgreSQL in a loop.' },
  { path: 'test/crash/kill-loop.test.ts', why: 'Kills the service in a loop while it is written to.' },
  { path: 'test/published/published.test.ts', why: 'Builds, packs and installs two packages.' },
  { path: 'test/published/server.test.ts', why: 'Builds, packs and installs the service.' },
  {
    path: 'packages/server/test/replay/postgres-outage.test.ts',
    why: 'Stops, promotes and restores PostgreSQL servers.',
  },
  { path: 'tools/test/dev.test.ts', why: "Starts the service and Vite's dev server from nothing." },
  { path: 'tools/test/release.test.ts', why: 'Builds and packs everything three times.' },
];
