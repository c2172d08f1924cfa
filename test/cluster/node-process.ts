import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceProcess } from '@countersign/testing/service-process';
import { type Answer, Caller, type Prepared } from '../crash/caller.ts';

/** A node in a process of its own, to be killed and restarted. */
export class NodeProcess {
  readonly #dataFolder = mkdtempSync(join(tmpdir(), 'countersign-node-'));
  readonly #settings: Readonly<Record<string, string>>;
  #process: ServiceProcess | undefined;
  #caller: Caller | undefined;

  constructor(settings: Readonly<Record<string, string>>) {
    this.#settings = settings;
  }

  get isRunning(): boolean {
    return this.#caller !== undefined;
  }

  /** Starts it, repeatedly if it ends because the database is down. */
  async start(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const started = new ServiceProcess(this.#dataFolder, this.#settings);
      this.#process = started;
      try {
        this.#caller = new Caller(await started.listening());
        return;
      } catch (error) {
        if (attempt === startAttemptsMax) throw error;
      }
      await sleep(100);
    }
  }

  /** `kill -9` */
  async kill(): Promise<void> {
    const caller = this.#caller;
    this.#caller = undefined;
    await this.#process?.end();
    caller?.close();
  }

  /** Rejects if the node is not running or ends before it responds. */
  async send(prepared: Prepared): Promise<Answer> {
    if (this.#caller === undefined) throw new Error('The node does not run.');
    return this.#caller.send(prepared);
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#dataFolder, { recursive: true, force: true });
  }
}

const startAttemptsMax = 50;
