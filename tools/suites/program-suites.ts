/**
 * Test files and folders of the tier of programs that cannot be recognized by their imports, or that keep
 * both cores busy for long. They start in this order, longest first, so that none is still running when all
 * others are done.
 */
export const programSuites: readonly ProgramSuite[] = [
  { path: 'test/signers/rust', why: 'Compiles the signer and its dependencies.' },
  { path: 'test/signers/go', why: 'Compiles the signer and its linter.' },
  { path: 'test/interop/', why: 'Builds and runs a library in its language.' },
  { path: 'test/signers/', why: 'Builds and tests a signer in its language.' },
  { path: 'test/published/', why: 'Builds, packs and installs the packages.' },
  { path: 'test/portal/every-view', why: 'Looks at every view in every width.' },
  { path: 'test/faults/', why: 'Fails system calls of the service, one in each run.', isAlone: true },
  { path: 'tools/test/release.test.ts', why: 'Builds and packs everything three times.' },
  { path: 'test/portal/', why: 'A browser, and a service for each file.' },
  {
    path: 'packages/server/test/replay/redis-guard.test.ts',
    why: 'Empties, kills and promotes Redis servers.',
  },
  { path: 'test/model/', why: 'Compiles a checker for each rule of each model.' },
  { path: 'packages/cli/test/rotate-traffic.test.ts', why: 'Rotates keys while four processes use them.' },
  { path: 'packages/server/test/demonstration/', why: 'Starts the service as a new user does.' },
  { path: 'test/cluster/', why: 'Three services share stores under load.', isAlone: true },
  { path: 'test/rolling/', why: 'Restarts nodes behind balancers while requests pass.', isAlone: true },
  { path: 'test/soak/', why: 'Sends a mix of everything for a while.', isAlone: true },
  { path: 'test/mistakes/', why: 'Explains thousands of requests.' },
  { path: 'packages/cli/test/rotate.test.ts', why: 'Rotates keys of several services.' },
  {
    path: 'packages/server/test/identity/demonstration.test.ts',
    why: 'Makes a demonstration account several times.',
  },
  { path: 'packages/gate/test/http/limits.test.ts', why: 'Waits for the time limits of requests.' },
  { path: 'test/crash/', why: 'Kills the service in a loop while it is written to.' },
  { path: 'test/webhooks/', why: 'Kills nodes while they deliver events.' },
  { path: 'test/strangers/', why: 'Opens thousands of connections.', isAlone: true },
  { path: 'tools/test/dev.test.ts', why: "Starts the service and Vite's dev server from nothing." },
  { path: 'packages/cli/test/rotate-kills.test.ts', why: 'Kills a rotation at each of its steps.' },
  { path: 'packages/cli/test/completion.test.ts', why: 'bash, zsh and fish load the completion.' },
  { path: 'packages/server/test/directories/', why: 'openssl makes certificates.' },
  { path: 'packages/server/test/streams/network.test.ts', why: 'openssl makes certificates.' },
  { path: 'packages/gate/test/proxy/tls.test.ts', why: 'openssl makes certificates.' },
  { path: 'packages/gate/test/proxy/upstream-addresses.test.ts', why: 'openssl makes certificates.' },
  { path: 'packages/gate/test/http/refused-bodies.test.ts', why: 'curl and Python send the bodies.' },
  {
    path: 'packages/server/test/identity/mail.test.ts',
    why: 'openssl makes the certificate of a mail server.',
  },
  { path: 'test/webhook-receivers/', why: 'Compiles and runs the receivers of the page, in nine languages.' },
  { path: 'test/deploy/', why: 'promtool and systemd-analyze read the shipped files.' },
  { path: 'test/documents/http-tools.test.ts', why: 'Starts the tools that the page names.' },
];

export interface ProgramSuite {
  /** The prefix of its files' paths. */
  readonly path: string;
  readonly why: string;
  /** True if it measures, or waits by time: no other file runs at the same time. */
  readonly isAlone?: true;
}
