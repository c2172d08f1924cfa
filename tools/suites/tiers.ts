import { loadedBy } from './imports-of-tests.ts';
import { programSuites } from './program-suites.ts';

/**
 * `pure` starts no program except Node itself, and passes at the first attempt on any machine. `programs` is
 * the rest: databases, proxies, browsers, tool chains, and everything that keeps both cores busy for long.
 */
export type Tier = 'pure' | 'programs';

/**
 * Modules of tests that start programs. A file that imports one, directly or through others, belongs to the
 * tier of programs.
 */
export const starters: readonly { readonly module: string; readonly starts: string }[] = [
  { module: 'packages/cli/test/edges.ts', starts: 'nginx, Caddy, HAProxy and Apache' },
  { module: 'packages/cli/test/installed.ts', starts: 'openssl, curl and shells' },
  { module: 'packages/pkcs11/test/softhsm.ts', starts: 'SoftHSM' },
  { module: 'packages/signature/test/module-pages.ts', starts: 'Chromium' },
  { module: 'packages/testing/src/databases/postgres-server.ts', starts: 'PostgreSQL' },
  { module: 'packages/testing/src/databases/redis.ts', starts: 'Redis' },
  { module: 'packages/testing/src/proxies/proxy-process.ts', starts: 'nginx, Caddy, HAProxy and Apache' },
  { module: 'packages/testing/src/service/service-process.ts', starts: 'the service as a process' },
  { module: 'test/applications/application.ts', starts: 'Apache, DokuWiki and Radicale' },
  { module: 'test/documents/run-block.ts', starts: 'shells, with what the documents name' },
  { module: 'test/interop/program-peers.ts', starts: 'Go, Python and Cargo' },
  { module: 'test/model/models.ts', starts: 'Spin and a C compiler' },
  { module: 'test/portal/browser.ts', starts: 'Chromium' },
  { module: 'test/published/installed-packages.ts', starts: 'npm' },
  { module: 'test/signers/packages.ts', starts: 'the tool chains of nine languages' },
];

/**
 * Runs tests on every database. In the pure tier that is SQLite, in the other PostgreSQL, so a file that
 * reaches PostgreSQL only through this module runs in both.
 */
export const everyDatabase = 'packages/testing/src/databases/backends.ts';

/** Passes the current tier to test files; without it, a file runs completely. */
export const tierVariable = 'TEST_TIER';

/** Returns a function that returns the tiers of a test file of the repository at `root`: one, or both. */
export function tiersIn(root: string): (suite: string) => readonly Tier[] {
  const modules = new Set(starters.map(({ module }) => module));
  const loaded = loadedBy(root, (file) => modules.has(file) || file === everyDatabase);
  return (suite) => {
    if (programSuites.some(({ path }) => suite.startsWith(path))) return ['programs'];
    const files = loaded(suite);
    if ([...files].some((file) => modules.has(file))) return ['programs'];
    return files.has(everyDatabase) ? ['pure', 'programs'] : ['pure'];
  };
}
