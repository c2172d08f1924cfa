// `npm run dev`: the service with demo data, restarted when its code changes, and the portal from Vite's dev
// server, reloaded when its code changes. Vite forwards every other path to the service, so browser and
// service see one origin.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const port = Number(process.env['COUNTERSIGN_PORT'] ?? 8421);
const [serviceUrl, portalUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${port + 1}`];
const env = {
  COUNTERSIGN_DATA_FOLDER: './data/development',
  ...process.env,
  COUNTERSIGN_PORT: String(port),
  // The first is the demo client's; the second is what browsers see.
  COUNTERSIGN_PUBLIC_BASE_URLS: `${serviceUrl},${portalUrl}`,
  PORTAL_DEV_SERVICE: serviceUrl,
};

const service = start('--watch', '--watch-preserve-output', 'packages/server/src/main.ts', '--demo');
const portal = start(
  ...`node_modules/vite/bin/vite.js packages/portal --host 127.0.0.1 --port ${port + 1} --strictPort`.split(
    ' ',
  ),
  ...'--clearScreen false --logLevel warn'.split(' '),
);
const children = [service, portal];
const stopping = new AbortController();
process.once('SIGINT', () => void stop()).once('SIGTERM', () => void stop());
process.once('exit', () => children.forEach((child) => end(child, 'SIGKILL')));
for (const child of children) child.once('exit', () => void stop());

if ((await isAnswered(`${serviceUrl}/live`)) && (await isAnswered(`${portalUrl}/portal/`))) {
  console.log(`
Portal    ${portalUrl}/portal/   from its sources; a change reloads the page
Service   ${serviceUrl}           a change restarts it; its own /portal/ is the last build

Ctrl-C stops both.`);
}

/** In a process group of its own, so that Ctrl-C reaches this process alone, which then stops each child once. */
function start(...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, args, {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
}

async function stop(): Promise<void> {
  if (stopping.signal.aborted) return;
  stopping.abort();
  const failed = children.some(({ exitCode }) => exitCode !== null);
  const ended = Promise.all(
    children.map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }),
  );
  await Promise.race([ended, sleep(10_000, undefined, { ref: false })]);
  process.exit(failed ? 1 : 0);
}

/** Ends a child process and everything that it has started. */
function end({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // It has already ended.
  }
}

async function isAnswered(url: string): Promise<boolean> {
  while (!stopping.signal.aborted) {
    try {
      if ((await fetch(url)).ok) return true;
    } catch {
      // It is not listening yet.
    }
    await sleep(100);
  }
  return false;
}
