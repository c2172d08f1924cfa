import fs from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import worker from 'node:worker_threads';

/*
 * Preloaded into a service (`node --import`): sends it signals at a moment of its life that is counted, not timed, so that the
 * same moment comes again in the next run. Moments are the loading of modules, calls of files and databases, the start of
 * threads, ports that begin to listen, and what is printed.
 *
 * They count from the first line of ours on: before that, nothing can handle a signal and nothing is open.
 *
 * SIGNAL_AT     the moment: its number, or a part of its name
 * SIGNALS       the signals that are sent then, separated by commas
 * MOMENTS_FILE  gets the name of every moment instead, one on a line
 */
const { SIGNAL_AT: at, SIGNALS: signals = 'SIGTERM', MOMENTS_FILE: momentsFile } = process.env;
const { appendFileSync } = fs;
let count = 0;
let isSent = false;
/** True while a moment is written down: that uses files too, which is no moment of the service. */
let isNoting = false;

if (worker.isMainThread) watch();

function watch() {
  registerHooks({
    load(url, context, nextLoad) {
      passed(`load ${url.replace(/.*\//, '')}`);
      return nextLoad(url, context);
    },
  });
  for (const name of [
    'mkdirSync',
    'openSync',
    'readFileSync',
    'writeFileSync',
    'renameSync',
    'fsyncSync',
    'writeSync',
  ])
    wrap(fs, name, `fs.${name}`);
  for (const name of ['mkdir', 'open', 'readFile', 'writeFile', 'readdir', 'rename', 'stat'])
    wrap(fs.promises, name, `fs.promises.${name}`);
  for (const name of ['exec', 'prepare', 'close']) wrap(DatabaseSync.prototype, name, `database.${name}`);
  wrap(net.Server.prototype, 'listen', 'listen');
  wrap(net.Server.prototype, 'close', 'close');
  const emit = Reflect.get(net.Server.prototype, 'emit');
  net.Server.prototype.emit = function (event, ...values) {
    if (event === 'listening') passed('listening');
    return Reflect.apply(emit, this, [event, ...values]);
  };
  const { Worker } = worker;
  worker.Worker = class extends Worker {
    constructor(...values) {
      passed(`thread ${values[1]?.name ?? ''}`);
      super(...values);
    }
  };
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream);
    stream.write = (...values) => {
      const result = write(...values);
      passed(`print ${String(values[0]).trim().split('\n', 1)[0]}`);
      return result;
    };
  }
  syncBuiltinESMExports();
  // Nothing comes of itself any more once the service waits for requests.
  const { setInterval: every } = globalThis;
  globalThis.setInterval = (...values) => {
    passed('interval');
    return every(...values);
  };
}

function wrap(owner, name, as) {
  const original = owner[name];
  owner[name] = function (...values) {
    passed(as);
    return original.apply(this, values);
  };
}

function passed(name) {
  if (isNoting || (count === 0 && process.listenerCount('SIGTERM') === 0)) return;
  count += 1;
  if (momentsFile !== undefined) {
    note(name);
    return;
  }
  if (isSent || at === undefined || !(/^\d+$/.test(at) ? count === Number(at) : name.includes(at))) return;
  isSent = true;
  for (const signal of signals.split(',')) process.kill(process.pid, signal);
}

function note(name) {
  isNoting = true;
  appendFileSync(momentsFile, `${name}\n`);
  isNoting = false;
}
