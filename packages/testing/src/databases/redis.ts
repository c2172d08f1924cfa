import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../network/free-port.ts';
import { waitUntil, waitUntilUp } from '../time/wait-until.ts';
import { createClient } from '@redis/client';

const program = 'redis-server';

/** Why tests with a real Redis cannot run here; undefined when they can. Give it as `skip` of a test. */
export const redisIsMissing: string | false =
  spawnSync(program, ['--version']).status === 0 ? false : `${program} is not installed`;

/** What a server is started with. */
export interface RedisServerOptions {
  /** More lines of its configuration, as `name value`. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly replicaOf?: RedisServerProcess;
}

/** A redis-server of a test: a process of its own, in a temporary folder, on a free port of 127.0.0.1. */
export class RedisServerProcess {
  readonly port: number;
  readonly #folder: string;
  readonly #options: RedisServerOptions;
  #password = '';
  #child: ChildProcess | undefined;

  private constructor(port: number, options: RedisServerOptions) {
    this.port = port;
    this.#options = options;
    this.#folder = mkdtempSync(join(tmpdir(), 'countersign-redis-'));
  }

  /** Starts one that keeps an append-only file and evicts nothing, unless the settings say otherwise. */
  static async start(options: RedisServerOptions = {}): Promise<RedisServerProcess> {
    const server = new RedisServerProcess(await freePort(), options);
    await server.restart();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts the process again, on what the folder has. Resolves when it answers. */
  async restart(): Promise<void> {
    const { settings = {}, replicaOf } = this.#options;
    const all: Record<string, string> = {
      port: String(this.port),
      bind: '127.0.0.1',
      dir: this.#folder,
      save: '',
      appendonly: 'yes',
      'maxmemory-policy': 'noeviction',
      'repl-diskless-sync-delay': '0',
      ...(replicaOf && { replicaof: `127.0.0.1 ${replicaOf.port}` }),
      ...settings,
    };
    const child = spawn(
      program,
      Object.entries(all).flatMap(([name, value]) => [
        `--${name}`,
        ...(name === 'replicaof' ? value.split(' ') : [value]),
      ]),
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    this.#password = '';
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    this.#child = child;
    await waitUntilUp({ name: program, child, output: () => output }, () =>
      this.ask('PING').then(
        (reply) => reply === 'PONG',
        () => false,
      ),
    );
  }

  /** Sends one command on a connection of its own. */
  async ask(...command: readonly string[]): Promise<unknown> {
    const client = createClient({
      url: this.url,
      ...(this.#password !== '' && { password: this.#password }),
      RESP: 2,
      maintNotifications: 'disabled',
      disableClientInfo: true,
      socket: { reconnectStrategy: false },
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.sendCommand(command);
    } finally {
      client.destroy();
    }
  }

  /** Asks for this password from now on, until it is started again. */
  async requirePassword(password: string): Promise<void> {
    await this.ask('CONFIG', 'SET', 'requirepass', password);
    this.#password = password;
  }

  /** Ends the process as a crash does, and waits until it is gone. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'close');
  }

  /** Sends a signal that does not end it. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal);
  }

  /** Removes what it had written to its disk. */
  loseDisk(): void {
    rmSync(join(this.#folder, 'appendonlydir'), { recursive: true, force: true });
    for (const file of ['appendonly.aof', 'dump.rdb']) rmSync(join(this.#folder, file), { force: true });
  }

  /** Ends the process and removes its folder. */
  async stop(): Promise<void> {
    await this.kill();
    if (existsSync(this.#folder)) rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Waits until a replica has the data of its primary. */
  async synchronised(): Promise<void> {
    let state = '';
    await waitUntil(
      async () => {
        state = String(await this.ask('INFO', 'replication'));
        return state.includes('master_link_status:up');
      },
      () => `the replica has not synchronised:\n${state}`,
    );
  }
}
