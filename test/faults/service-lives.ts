import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@countersign/testing/free-port';
import { type Ending, ServiceProcess } from '@countersign/testing/service-process';
import { patienceMs } from '@countersign/testing/wait-until';
import type { FailingCalls } from './failing-calls.ts';

/** One service, as its supervisor sees it: started, ended, and restarted if it could not start or was killed. */
export class ServiceLives {
  readonly #dataFolder: string;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #calls: FailingCalls;
  readonly #violate: (text: string) => void;
  #process: ServiceProcess | undefined;
  #ending: Ending | undefined;
  #port = 0;
  #count = 0;
  /** True if the fault occurred before this life began. */
  #failedBefore = false;

  constructor(
    dataFolder: string,
    settings: Readonly<Record<string, string>>,
    calls: FailingCalls,
    violate: (text: string) => void,
  ) {
    this.#dataFolder = dataFolder;
    this.#settings = settings;
    this.#calls = calls;
    this.#violate = violate;
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The number of starts so far. */
  get count(): number {
    return this.#count;
  }

  get hasEnded(): boolean {
    return this.#ending !== undefined;
  }

  /** True if the fault occurred in this life. */
  get hasFailed(): boolean {
    return !this.#failedBefore && this.#calls.failed !== undefined;
  }

  get output(): string {
    return this.#process?.output ?? '';
  }

  /** Starts it. A fault may stop that once; the next start must succeed. */
  async start(): Promise<void> {
    await this.#startOnce();
    if (!this.hasEnded) return;
    const { code, signal } = this.#ending!;
    const isExcused = this.hasFailed && (signal === 'SIGKILL' || isRefusedStart(code, this.output));
    if (!isExcused) this.#violate(`it did not start (${code ?? signal}):\n${this.output}`);
    await this.#startOnce();
    if (this.hasEnded) throw new Error(`It does not start any more:\n${this.output}`);
  }

  async #startOnce(): Promise<void> {
    this.#failedBefore = this.#calls.failed !== undefined;
    this.#count += 1;
    if (this.#port === 0) this.#port = await freePort();
    this.#calls.count('folder');
    this.#ending = undefined;
    const service = new ServiceProcess(this.#dataFolder, {
      ...this.#settings,
      ...this.#calls.environment,
      COUNTERSIGN_PORT: String(this.#port),
    });
    this.#process = service;
    void service.ended.then((ending) => {
      if (this.#process === service) this.#ending = ending;
    });
    await this.until(
      'it is ready',
      async () => this.hasEnded || (this.#hasSaidSo && (await isReady(this.address))),
    );
    // Another program has taken the port meanwhile.
    if (this.hasEnded && this.output.includes('EADDRINUSE')) {
      this.#port = 0;
      return this.#startOnce();
    }
    this.#calls.count('everything');
  }

  /** True if it has reported that it listens, or if a fault may have prevented that. */
  get #hasSaidSo(): boolean {
    return this.output.includes('listens on') || this.#calls.failed?.includes('standard output') === true;
  }

  /** Ends it with a signal, and checks that a stop is clean unless a fault came in this life. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (this.hasEnded) return;
    const late = setTimeout(() => {
      this.#violate(`${signal} does not end it:\n${this.output}`);
      void this.#process!.end('SIGKILL');
    }, patienceMs);
    this.#ending = await this.#process!.end(signal);
    clearTimeout(late);
    this.#calls.count('nothing');
    if (signal === 'SIGKILL') return;
    const { code, signal: by } = this.#ending;
    const isExcused = this.hasFailed && (code === 1 || by === 'SIGKILL');
    if (code !== 0 && !isExcused) this.#violate(`its stop ended with ${code ?? by}:\n${this.output}`);
    if (isCrash(this.output)) this.#violate(`it crashed while it stopped:\n${this.output}`);
  }

  /** If it has ended by itself, checks that the fault killed it, and starts it again. */
  async startIfKilled(): Promise<void> {
    if (!this.hasEnded) return;
    const { code, signal } = this.#ending!;
    if (!(this.hasFailed && signal === 'SIGKILL'))
      this.#violate(`it ended (${code ?? signal}):\n${this.output}`);
    await this.start();
  }

  /** Waits until a condition holds. */
  async until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
    const deadline = performance.now() + patienceMs;
    while (!(await isSo())) {
      if (performance.now() > deadline) throw new Error(`Never came: ${what}\n${this.output}`);
      await sleep(25);
    }
  }

  async kill(): Promise<void> {
    this.#ending = await this.#process?.end('SIGKILL');
  }
}

/** A start that could not succeed says why in one line, and nothing else. */
function isRefusedStart(code: number | null, output: string): boolean {
  return code === 1 && /^Cannot (?:start|listen): .+$/m.test(output) && !isCrash(output);
}

/** Node prints an exception that nobody caught with the line of code that threw it. */
function isCrash(output: string): boolean {
  return /^Node\.js v\d/m.test(output);
}

function isReady(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request(`${address}/ready`, { agent: false }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode === 200));
      answer.on('error', () => resolve(false));
    });
    asked.on('error', () => resolve(false));
    asked.setTimeout(5000, () => asked.destroy());
    asked.end();
  });
}
