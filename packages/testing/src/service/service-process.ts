import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { baseUrl } from './running-service.ts';

const sources = fileURLToPath(new URL('../../../server/src/main.ts', import.meta.url));

/** Preloaded into a service (`node --import`), sends it signals at a counted moment. The file says by which variables. */
export const signalAtMoment: string = new URL('./signal-at-moment.mjs', import.meta.url).href;

/** How a process has ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The real service in a process of its own, for what only the end of a process can show. */
export class ServiceProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<Ending>;
  readonly #listening: Promise<string>;
  #output = '';

  /**
   * Starts it on a free port. Other variables of the environment that begin with COUNTERSIGN_ are not handed on.
   *
   * @param settings undefined for one that is to be as it is unless an operator says otherwise
   * @param openFilesMax its limit of open files, as `ulimit -n` sets it
   * @param program the file of a built service; its sources by default
   */
  constructor(
    dataFolder: string,
    settings: Readonly<Record<string, string | undefined>> = {},
    openFilesMax?: number,
    program = sources,
  ) {
    const limited = ['sh', '-c', `ulimit -n ${openFilesMax}; exec "$@"`, 'sh'];
    const [file, ...args] = [...(openFilesMax === undefined ? [] : limited), process.execPath, program];
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('COUNTERSIGN_'));
    this.#child = spawn(file, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...Object.fromEntries(inherited),
        COUNTERSIGN_PORT: '0',
        COUNTERSIGN_DATA_FOLDER: dataFolder,
        COUNTERSIGN_PUBLIC_BASE_URLS: baseUrl,
        COUNTERSIGN_LOG_LEVEL: 'error',
        // Tests fail on purpose, from one address, and a machine that runs all of them cannot keep up.
        COUNTERSIGN_OVERLOAD_FAILURES_PER_MINUTE_MAX: '0',
        ...settings,
      },
    });
    this.#ended = new Promise((resolve) =>
      this.#child.once('close', (code, signal) => resolve({ code, signal })),
    );
    this.#listening = new Promise((resolve, reject) => {
      const read = (chunk: Buffer): void => {
        this.#output += chunk.toString();
        const address = /listens on (http:\S+?),/.exec(this.#output)?.[1];
        if (address !== undefined) resolve(address);
      };
      this.#child.stdout?.on('data', read);
      this.#child.stderr?.on('data', read);
      void this.#ended.then(({ code }) =>
        reject(new Error(`It ended with exit code ${code}:\n${this.#output}`)),
      );
    });
    this.#listening.catch(() => undefined);
  }

  /** Its number in the system. */
  get processId(): number {
    return this.#child.pid!;
  }

  /** What it has printed, with its log. */
  get output(): string {
    return this.#output;
  }

  /** Resolves when it has ended. */
  get ended(): Promise<Ending> {
    return this.#ended;
  }

  /** Resolves with the address when it listens; rejects, with what it printed, when it ends before. */
  listening(): Promise<string> {
    return this.#listening;
  }

  /** Ends it with a signal, SIGKILL unless said otherwise, and waits until it is gone. */
  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<Ending> {
    this.#child.kill(signal);
    return this.#ended;
  }
}
