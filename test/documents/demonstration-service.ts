import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository: documents name everything relative to it. */
export const root: string = fileURLToPath(new URL('../..', import.meta.url));

/** The service as `npm start` runs it, in a process of its own, on a free port, with a data folder of its own. */
export interface DemonstrationService {
  readonly dataFolder: string;
  /** What it has printed until it was ready, with the port and the folder that `npm start` has by default. */
  readonly printed: string;
  /** The environment in which a reader's commands find this service instead of the one in `data`. */
  readonly environment: NodeJS.ProcessEnv;
  /** Ends it as a reader does, and removes what the test added to its folder. Gives the exit code. */
  stop(): Promise<number | null>;
}

/**
 * The arguments for Node with which `npm start` runs the service. Tests never call npm itself: its first step would
 * install, and so change the folder that other tests run in.
 */
export function startArguments(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  const [program, ...argv] = scripts.start.split(' ');
  if (program !== 'node') throw new Error(`npm start runs ${program}, which this test does not know.`);
  return argv;
}

/** Starts the service, and resolves when it says that it is ready. */
export async function startDemonstration(
  settings: Readonly<Record<string, string>> = {},
): Promise<DemonstrationService> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-documents-'));
  const dataFolder = join(folder, 'data');
  const environment = { ...readerEnvironment(), COUNTERSIGN_DATA_FOLDER: dataFolder };
  const child = spawn(process.execPath, startArguments(), {
    cwd: root,
    env: { ...environment, COUNTERSIGN_PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    const printed = await readyText(child);
    const port = /listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(printed)?.[1];
    if (port === undefined) throw new Error(`The service did not say where it listens:\n${printed}`);
    return {
      dataFolder,
      environment,
      printed: printed.replaceAll(`:${port}`, ':8421').replaceAll(relative(root, dataFolder), 'data'),
      stop: () => stop(child, folder),
    };
  } catch (error) {
    await stop(child, folder);
    throw error;
  }
}

/** The environment of a reader: the Node of the repository comes first, nothing of ours is set, npx installs nothing. */
export function readerEnvironment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('COUNTERSIGN_') && name !== 'NODE_TEST_CONTEXT',
  );
  const path = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env['PATH'] ?? ''}`;
  return { ...Object.fromEntries(others), PATH: path, NO_COLOR: '1', npm_config_yes: 'false' };
}

function readyText(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const onText = (chunk: string): void => {
      text += chunk;
      if (text.includes('Ctrl-C stops it.')) resolve(text);
    };
    child.stdout?.setEncoding('utf8').on('data', onText);
    child.stderr?.setEncoding('utf8').on('data', onText);
    child.on('error', reject);
    child.on('close', (code) => reject(new Error(`The service ended with ${code}:\n${text}`)));
  });
}

async function stop(child: ChildProcess, folder: string): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const closed = once(child, 'close');
    child.kill('SIGINT');
    await closed;
  }
  rmSync(folder, { recursive: true, force: true });
  return child.exitCode;
}
