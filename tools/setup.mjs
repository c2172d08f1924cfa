// Installs the dependencies if the lockfile has changed: `runtime` for npm start, `all` for npm test.
// Plain JavaScript, because the Node that runs this may be too old for TypeScript. Everything after it runs on the pinned
// Node in node_modules/.bin, which npm puts first.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const mode = process.argv[2] === 'runtime' ? 'runtime' : 'all';
const shell = process.platform === 'win32';
const bundledNode = join('node_modules', '.bin', shell ? 'node.cmd' : 'node');
const stampFile = 'node_modules/.countersign-setup';
process.chdir(fileURLToPath(new URL('..', import.meta.url)));

if (Number.parseInt(process.versions.node, 10) < 20) {
  stop(
    `Countersign needs Node 20 or newer, this is ${process.versions.node}. Install a newer Node, then try again.`,
  );
}
// The stamp includes the platform: a folder copied or mounted into a container has the wrong binaries.
const lockfile = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');
const installed = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : '';
if (![mode, 'all'].some((each) => installed === stamp(each))) {
  install();
  requireNodeForTypeScript();
  writeFileSync(stampFile, stamp(mode));
}

function stamp(/** @type {string} */ installedMode) {
  return `${lockfile} ${process.platform} ${process.arch} ${installedMode}\n`;
}

function install() {
  console.error('Installing dependencies (about 20 seconds, once)…');
  const quick = ['--no-fund', '--no-audit', '--loglevel=error', '--prefer-offline'];
  // npm waits more than a minute between its attempts, silently: without a network, nothing else happens.
  quick.push('--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=3000');
  // Explicit, because the caller's settings (NODE_ENV=production, omit=optional) would change what is installed.
  const parts = ['--include=optional', mode === 'all' ? '--include=dev' : '--omit=dev'];
  const { status, error } = spawnSync('npm', ['ci', ...quick, ...parts], {
    stdio: ['ignore', 'ignore', 'inherit'],
    shell,
  });
  if (status === 0) return;
  stop(
    `The dependencies could not be installed: npm ci failed${error ? ` (${error.message})` : ', its message is above'}. ` +
      'It needs the package registry that npm is configured for, or an npm cache that holds the packages. ' +
      'Put that right, then run the same command again.',
  );
}

function requireNodeForTypeScript() {
  if (existsSync(bundledNode) && spawnSync(bundledNode, ['--version'], { shell }).status === 0) return;
  if (!process.features.typescript) {
    stop(
      `No Node comes with this for ${process.platform} ${process.arch}, and the one here, ${process.versions.node}, ` +
        'cannot run TypeScript. Install Node 24 or newer, then try again.',
    );
  }
  // A pinned Node that does not start (built for another C library) would hide the one that does.
  rmSync(bundledNode, { force: true });
}

function stop(/** @type {string} */ sentence) {
  console.error(sentence);
  process.exit(1);
}
