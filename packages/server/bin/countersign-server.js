#!/usr/bin/env node
// Starts the service. Plain JavaScript, because the Node that reads this may be too old for everything else here.
import { existsSync } from 'node:fs';

const oldestMajor = 24;

if (Number(process.versions.node.split('.', 1)[0]) >= oldestMajor) {
  hideExperimentalWarnings();
  // In the repository there is no build, and the source runs as it is.
  if (existsSync(new URL('../dist/main.js', import.meta.url))) await import('../dist/main.js');
  else await import('../src/main.ts');
} else {
  console.error(
    `countersign-server: this Node is ${process.versions.node}. Install Node ${oldestMajor} or newer.`,
  );
  process.exitCode = 1;
}

/** Node 24 calls its SQLite experimental, in a line at every start. */
function hideExperimentalWarnings() {
  const listeners = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') for (const listener of listeners) listener(warning);
  });
}
