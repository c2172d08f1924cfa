import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@countersign/testing/free-port';
import { listLoadedModules } from '@countersign/testing/loaded-modules';
import { residentBytes } from '@countersign/testing/resident-memory';
import { installPackages } from '../test/published/installed-packages.ts';
import { inTurn } from './in-turn.ts';
import { quantile } from './paired.ts';
import { processTreeCpuMs } from './process-tree.ts';

/** How quickly the published packages start, and what an idle service takes. Medians over the rounds. */
export interface StartResult {
  readonly commands: readonly CommandStart[];
  readonly service: ServiceStart;
}

/** One run of a program, from its start to its end. */
export interface CommandStart {
  readonly name: string;
  /** The modules that it loads, without those of Node. */
  readonly modules: number;
  readonly milliseconds: number;
  /** The median of the rounds' differences to an empty program. */
  readonly addedMs: number;
}

/** The service on SQLite with its portal, and nothing else. */
export interface ServiceStart {
  /** The modules of the main thread, without those of Node. */
  readonly modules: number;
  /** From the start of the process to the first response. */
  readonly listeningMs: number;
  /** The processor time of all threads until then. */
  readonly cpuMs: number;
  /** After ten seconds without a request. */
  readonly rssBytes: number;
}

const idleMs = 10_000;

/** Builds the packages, installs them into a new folder, and measures their programs in turn. Only on Linux. */
export async function benchStart(rounds: number, idleRounds: number): Promise<StartResult> {
  const packages = await installPackages([
    'packages/signature',
    'packages/explain',
    'packages/client',
    'packages/cli',
    'packages/server',
  ]);
  try {
    const bin = (name: string): string => join(packages.project, 'node_modules', name, 'bin', `${name}.js`);
    const sides: readonly (readonly [name: string, ...argv: string[]])[] = [
      ['node -e 0', '-e', '0'],
      ['countersign --version', bin('countersign'), '--version'],
      ['countersign --help', bin('countersign'), '--help'],
      ['countersign-server --version', bin('countersign-server'), '--version'],
    ];
    const times = await inTurn(
      sides,
      rounds,
      () =>
        async ([, ...argv]) =>
          durationOf(argv),
    );
    const commands = sides.map(([name, ...argv], index) => ({
      name,
      modules: countModules(argv),
      milliseconds: quantile(
        times.map((round) => round[index]!),
        0.5,
      ),
      addedMs: quantile(
        times.map((round) => round[index]! - round[0]!),
        0.5,
      ),
    }));
    const starts: ServiceStart[] = [];
    for (let round = 0; round < idleRounds; round += 1)
      starts.push(await measureService(bin('countersign-server')));
    const median = (key: keyof ServiceStart): number =>
      quantile(
        starts.map((one) => one[key]),
        0.5,
      );
    return {
      commands,
      service: {
        modules: median('modules'),
        listeningMs: median('listeningMs'),
        cpuMs: median('cpuMs'),
        rssBytes: median('rssBytes'),
      },
    };
  } finally {
    packages.remove();
  }
}

function durationOf(argv: readonly string[]): number {
  const startedMs = performance.now();
  const { status } = spawnSync(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) throw new Error(`${argv.join(' ')} ended with exit code ${status}.`);
  return performance.now() - startedMs;
}

function countModules(argv: readonly string[]): number {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-start-'));
  try {
    const { environment, list } = listLoadedModules(folder);
    spawnSync(process.execPath, argv, { env: { ...process.env, ...environment }, stdio: 'ignore' });
    return countOwn(list());
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function countOwn(urls: readonly string[]): number {
  return urls.filter((url) => url.startsWith('file:')).length;
}

/** Starts it twice: what counts the modules takes time and memory itself. */
async function measureService(program: string): Promise<ServiceStart> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-start-'));
  try {
    const { environment, list } = listLoadedModules(folder);
    const counted = await startService(program, join(folder, 'counted'), environment);
    await stop(counted.child);
    const { child, listeningMs, cpuMs } = await startService(program, join(folder, 'timed'), {});
    await sleep(idleMs);
    const rssBytes = residentBytes(child.pid!);
    await stop(child);
    return { modules: countOwn(list()), listeningMs, cpuMs, rssBytes };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function startService(
  program: string,
  dataFolder: string,
  environment: Readonly<Record<string, string>>,
): Promise<{ child: ChildProcess; listeningMs: number; cpuMs: number }> {
  const port = await freePort();
  const settings = { COUNTERSIGN_PORT: String(port), COUNTERSIGN_DATA_FOLDER: dataFolder };
  const startedMs = performance.now();
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, ...environment, ...settings },
    stdio: 'ignore',
  });
  while (!(await isReady(port)))
    if (child.exitCode === null) await sleep(5);
    else throw new Error(`The service ended with exit code ${child.exitCode}.`);
  return { child, listeningMs: performance.now() - startedMs, cpuMs: processTreeCpuMs(child.pid!) };
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/ready`)).ok;
  } catch {
    return false;
  }
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}
