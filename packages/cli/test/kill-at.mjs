// Preloaded into a process that a test kills: ends it by SIGKILL before its n-th change of a file, request to the service
// or look at an answer. Plain JavaScript, so that it loads everywhere.
import { syncBuiltinESMExports } from 'node:module';
import files from 'node:fs/promises';
import http from 'node:http';
import timers from 'node:timers/promises';

const last = Number(process.env['KILL_AT']);
let steps = 0;

function step() {
  steps += 1;
  if (steps !== last) return;
  process.kill(process.pid, 'SIGKILL');
  // The signal arrives before anything else runs.
  for (;;);
}

for (const name of ['open', 'rename', 'link', 'rm', 'copyFile']) {
  const original = files[name];
  files[name] = async (...given) => {
    step();
    return original(...given);
  };
}

const { request } = http;
http.request = (...given) => {
  step();
  // The service has done what was asked, and nobody hears of it.
  return request(...given).prependListener('response', step);
};

// A single node knows of a change at once, and nothing here follows the key file.
timers.setTimeout = async (milliseconds) => {
  await new Promise((resolve) => setTimeout(resolve, milliseconds > 500 ? 1 : 20));
};

syncBuiltinESMExports();
