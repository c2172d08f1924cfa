/** Test files that take minutes together: `npm test -- --all` and CI run them, a plain `npm test` names them. */
export const longSuites: readonly { readonly path: string; readonly why: string }[] = [
  { path: 'test/cluster/cluster.test.ts', why: 'Three services share stores under load.' },
  { path: 'test/cluster/kills.test.ts', why: 'Kills nodes and their PostgreSQL in a loop.' },
  { path: 'test/crash/kill-loop.test.ts', why: 'Kills the service in a loop while it is written to.' },
  { path: 'test/faults/faults.test.ts', why: 'Fails system calls of the service, one in each run.' },
  { path: 'test/rolling/rolling.test.ts', why: 'Restarts nodes behind balancers while requests pass.' },
  { path: 'test/soak/soak.test.ts', why: 'Sends a mix of everything for a while.' },
  { path: 'test/signers/signers.test.ts', why: 'Builds and tests the signers of all languages.' },
  { path: 'test/model/rules.test.ts', why: 'Compiles a checker for each rule of each model.' },
  {
    path: 'test/published/published.test.ts',
    why: 'Builds, packs and installs the library and the command line.',
  },
  { path: 'test/published/server.test.ts', why: 'Builds, packs and installs the service.' },
  { path: 'test/portal/accessibility.test.ts', why: 'Runs axe on every view, light and dark.' },
  { path: 'test/portal/conflict.test.ts', why: 'Several people in several browsers.' },
  { path: 'test/portal/hostile-texts.test.ts', why: 'Opens every view with texts that attack it.' },
  { path: 'test/portal/idle.test.ts', why: 'Waits for sessions to end.' },
  { path: 'test/portal/keyboard.test.ts', why: 'Walks through every dialog by keys alone.' },
  { path: 'test/portal/step-up.test.ts', why: 'Waits for proofs of identity to grow old.' },
  { path: 'packages/cli/test/rotate-kills.test.ts', why: 'Kills a rotation at each of its steps.' },
  { path: 'packages/cli/test/rotate-traffic.test.ts', why: 'Rotates keys while four processes use them.' },
  {
    path: 'packages/server/test/management/all-or-nothing-postgres.test.ts',
    why: 'Fails every statement of every change; the file for SQLite does so in a plain run.',
  },
  {
    path: 'packages/server/test/management/outcomes-postgres.test.ts',
    why: 'Every outcome of every operation; the file for SQLite does so in a plain run.',
  },
  {
    path: 'packages/server/test/replay/postgres-outage.test.ts',
    why: 'Stops, promotes and restores PostgreSQL servers.',
  },
  {
    path: 'packages/server/test/replay/redis-guard.test.ts',
    why: 'Empties, kills and promotes Redis servers.',
  },
  { path: 'tools/test/dev.test.ts', why: "Starts the service and Vite's dev server from nothing." },
  { path: 'tools/test/release.test.ts', why: 'Builds and packs everything three times.' },
];
