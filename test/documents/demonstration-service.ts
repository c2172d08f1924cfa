import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readerEnvironment, readerFolder, root } from './reader-folder.ts';

/** The service as `npm start` runs it, in a process and a folder of its own, on a free port. */
export interface DemonstrationService {
  /** The folder in which a reader types commands. The service keeps its data in its subfolder `data`. */
  readonly folder: string;
  /** Its output until it was ready, with the default port of `npm start`. */
  readonly printed: string;
  /** Like `kill -9`. */
  crash(): Promise<void>;
  /** Restarts in the same folder, on the same port. */
  startAgain(): Promise<void>;
  /** Like Ctrl-C. Resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Stops it if it runs, and deletes its folder. */
  remove(): Promise<void>;
}

/**
 * Returns the arguments with which `npm start` runs Node. Tests never call npm: its first step installs, which would change the
 * folder that other tests run in.
 */
export function startArguments(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  const [program, main = '', ...options] = scripts.start.split(' ');
  if (program !== 'node') throw new Error(`npm start runs ${program}, which this test does not know.`);
  return [join(root, main), ...options];
}

/** Starts the service and waits until it says that it is ready. Rejects with its output if it ends before. */
export async function startDemonstration(
  settings: Readonly<Record<string, string>> = {},
): Promise<DemonstrationService> {
  const { folder, remove } = readerFolder();
  let child: ChildProcess | undefined;
  const start = async (port: string): Promise<string> => {
    child = spawn(process.execPath, startArguments(), {
      cwd: folder,
      env: { ...readerEnvironment(), COUNTERSIGN_PORT: port, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return readyText(child);
  };
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child === undefined) return null;
    if (child.exitCode === null && child.signalCode === null) {
      const closed = once(child, 'close');
      child.kill(signal);
      await closed;
    }
    return child.exitCode;
  };
  try {
    const printed = await start('0');
    const port = /listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(printed)?.[1];
    if (port === undefined) throw new Error(`The service did not say where it listens:\n${printed}`);
    return {
      folder,
      printed: printed.replaceAll(`:${port}`, ':8421'),
      crash: async () => void (await end('SIGKILL')),
      startAgain: async () => void (await start(port)),
      stop: () => end('SIGINT'),
      async remove() {
        await end('SIGINT');
        remove();
      },
    };
  } catch (error) {
    await end('SIGKILL');
    remove();
    throw error;
  }
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
