import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A benchmark's server in its own process. */
export interface ChildServer {
  readonly port: number;
  readonly processId: number;
  /** The resources that the process has used so far. */
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

export interface Usage {
  readonly cpuMs: number;
  /** Of the thread that responds; missing in older trees. */
  readonly mainCpuMs?: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
}

/** Starts a script of this folder that serves until `serveUntilStopped` ends. */
export async function startChild(
  script: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ChildServer> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(script, import.meta.url)), ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...environment },
  });
  const port = (await messageOf(child)) as number;
  return {
    port,
    processId: child.pid!,
    async usage() {
      child.send('usage');
      return (await messageOf(child)) as Usage;
    },
    async stop() {
      child.disconnect();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

/**
 * Runs in the server's process: reports its port, responds to questions about its usage, and resolves when it
 * has to stop.
 */
export async function serveUntilStopped(port: number): Promise<void> {
  process.on('message', () => process.send?.(currentUsage()));
  process.send?.(port);
  await once(process, 'disconnect');
}

function currentUsage(): Usage {
  const { user, system } = process.cpuUsage();
  const main = process.threadCpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return {
    cpuMs: (user + system) / 1000,
    mainCpuMs: (main.user + main.system) / 1000,
    rssBytes: rss,
    heapBytes: heapUsed,
  };
}

function messageOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new Error('A server of the benchmark has ended.'));
    child.once('exit', fail);
    child.once('message', (message) => {
      child.off('exit', fail);
      resolve(message);
    });
  });
}
