import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../network/free-port.ts';
import { waitUntil, waitUntilUp } from '../time/wait-until.ts';
import pg from 'pg';

/** Why tests with PostgreSQL are skipped on this machine; false when they are not. */
export const postgresSkip: string | false = whyMissing();

/** A real PostgreSQL server of the tests' own, in a temporary folder, on a free port of 127.0.0.1. */
export class PostgresServer {
  readonly port: number;
  readonly #folder: string;
  #process: ChildProcess | undefined;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.port = port;
    servers.add(this);
  }

  /** Makes a server and starts it. It waits for no disk unless `fsync` is set: a crash of the machine is never tested. */
  static async start(
    settings: Readonly<Record<string, string>> = {},
    tls?: { readonly key: Buffer; readonly certificate: Buffer },
  ): Promise<PostgresServer> {
    const server = await PostgresServer.#from(await template('postgres-empty', makeEmptyServer));
    server.configure({ ...quick, ...settings });
    if (tls !== undefined) {
      server.#writeFile('server.key', tls.key);
      server.#writeFile('server.crt', tls.certificate);
      server.configure({ ssl: 'on' });
    }
    await server.start();
    return server;
  }

  /**
   * Starts a copy of a server that `fill` has filled. The first process of a test run to ask for a name fills one; the
   * others copy it.
   */
  static async startFilled(
    name: string,
    fill: (server: PostgresServer) => Promise<void>,
  ): Promise<PostgresServer> {
    const makeFilled = async (): Promise<string> => {
      const filled = await PostgresServer.start();
      await fill(filled);
      await filled.stop();
      servers.delete(filled);
      return filled.#folder;
    };
    const server = await PostgresServer.#from(await template(name, makeFilled));
    await server.start();
    return server;
  }

  static async #from(original: string): Promise<PostgresServer> {
    const server = new PostgresServer(makeFolder(), await freePort());
    await runAsOwner('/bin/cp', ['--archive', `${original}/.`, server.#folder]);
    return server;
  }

  /** Copies a running server into a standby that follows it, and starts it on a port of its own. */
  static async startStandby(primary: PostgresServer): Promise<PostgresServer> {
    const standby = await PostgresServer.copyOf(primary, ['-R']);
    await standby.start();
    return standby;
  }

  /** Copies a running server, as a backup of its files does. The copy is not started, and has a port of its own. */
  static async copyOf(server: PostgresServer, options: readonly string[] = []): Promise<PostgresServer> {
    const folder = makeFolder();
    rmSync(folder, { recursive: true });
    const copying = ['-X', 'stream', '--checkpoint=fast', '--no-sync', ...options];
    await runAsOwner('pg_basebackup', ['-d', server.url('postgres'), '-D', folder, ...copying]);
    const copy = new PostgresServer(folder, await freePort());
    copy.configure({ port: String(copy.port) });
    return copy;
  }

  /** The address of a database on it. */
  url(database: string, user = 'tests'): string {
    return `postgresql://${user}@127.0.0.1:${this.port}/${database}`;
  }

  /** Adds settings; they count from the next start. */
  configure(settings: Readonly<Record<string, string>>): void {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    appendFileSync(join(this.#folder, 'postgresql.conf'), lines.join(''));
  }

  #writeFile(name: string, content: Buffer): void {
    const file = join(this.#folder, name);
    writeFileSync(file, content, { mode: 0o600 });
    const user = owner();
    if (user !== undefined) chownSync(file, user.uid, user.gid);
  }

  /** Starts it, on the same port as before, and waits until it answers. */
  async start(): Promise<void> {
    const [program, args] = asOwner('postgres', ['-D', this.#folder, '-p', String(this.port)]);
    const child = spawn(program, args, { cwd: this.#folder, stdio: ['ignore', 'ignore', 'pipe'] });
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-4000)));
    this.#process = child;
    await waitUntilUp({ name: 'PostgreSQL', child, output: () => log }, () => this.answers());
  }

  /** True if it accepts connections. */
  async answers(): Promise<boolean> {
    try {
      await this.query('select 1');
      return true;
    } catch {
      return false;
    }
  }

  /** Runs statements as the superuser. */
  async query<Row extends object>(text: string, database = 'postgres'): Promise<Row[]> {
    const connectionString = this.url(database);
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2000, query_timeout: 30_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Row>(text)).rows;
    } finally {
      await Promise.race([client.end().catch(() => undefined), sleep(1000, undefined, { ref: false })]);
    }
  }

  /** Stops it: `fast` ends the connections, `immediate` is a crash. */
  async stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    await this.#end(() => this.#process?.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT'));
  }

  /** Kills every process of it (`kill -9`). */
  async kill(): Promise<void> {
    await this.#end(() => this.#signalAll('SIGKILL'));
  }

  /** Lets every process of it stand still: connections stay open, and nothing answers. */
  pause(): void {
    this.#signalAll('SIGSTOP');
  }

  /** Ends a pause. */
  resume(): void {
    this.#signalAll('SIGCONT');
  }

  /** From here on a standby receives nothing. */
  async stopFollowing(): Promise<void> {
    await this.query(`alter system set primary_conninfo = ''`);
    await this.query('select pg_reload_conf()');
    await waitUntil(
      async () => (await this.query('select from pg_stat_wal_receiver')).length === 0,
      'the standby follows nobody',
    );
  }

  /** Makes a standby a primary, and waits until it can be written. */
  async promote(): Promise<void> {
    await this.query('select pg_promote(wait => true)');
  }

  /** Stops it and removes its folder. */
  async remove(): Promise<void> {
    this.resume();
    await this.stop('immediate');
    this.removeFolder();
  }

  /** For the end of the process, when nothing can be waited for. */
  killNow(): void {
    this.#signalAll('SIGKILL');
    this.removeFolder();
  }

  private removeFolder(): void {
    servers.delete(this);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #end(signal: () => void): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    signal();
    await closed;
  }

  /** Each process of PostgreSQL leads a group of its own, so they are named one by one. */
  #signalAll(signal: NodeJS.Signals): void {
    const pid = this.#process?.pid;
    if (pid === undefined || this.#process?.exitCode !== null) return;
    const children = `/proc/${pid}/task/${pid}/children`;
    const pids = existsSync(children)
      ? readFileSync(children, 'utf8').split(' ').filter(Boolean).map(Number)
      : [];
    for (const each of [pid, ...pids]) {
      try {
        process.kill(each, signal);
      } catch {
        // It has ended by itself.
      }
    }
  }
}

const quick = {
  fsync: 'off',
  full_page_writes: 'off',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '64MB',
  // In the folder: what is elsewhere outlives a server that is killed.
  dynamic_shared_memory_type: 'mmap',
  wal_keep_size: '64MB',
};

const servers = new Set<PostgresServer>();
process.on('exit', () => {
  for (const server of servers) server.killNow();
  for (const folder of ownTemplates) rmSync(folder, { recursive: true, force: true });
});

/** Folders of servers that never run: copying one is quicker than making another one. */
const templates = new Map<string, Promise<string>>();
const ownTemplates: string[] = [];

/**
 * Returns the template of a name. The processes of one run share it, because each file of tests has a process of its own: the
 * first that finishes provides it.
 *
 * @param make makes the folder
 */
function template(name: string, make: () => Promise<string>): Promise<string> {
  return templates.getOrInsertComputed(name, async () => {
    const runFolder = process.env['TEST_FOLDER'];
    const shared = runFolder === undefined ? undefined : join(runFolder, name);
    if (shared !== undefined && existsSync(shared)) return shared;
    const folder = await make();
    if (shared !== undefined && hasMoved(folder, shared)) return shared;
    ownTemplates.push(folder);
    return folder;
  });
}

/** A rename is one step, so no other process sees half of it. It fails when another one was first. */
function hasMoved(folder: string, to: string): boolean {
  try {
    renameSync(folder, to);
    return true;
  } catch {
    return false;
  }
}

async function makeEmptyServer(): Promise<string> {
  const folder = makeFolder();
  const locale = ['--encoding=UTF8', '--locale=C.UTF-8'];
  await runAsOwner('initdb', ['-D', folder, '--no-sync', '--auth=trust', ...locale, '--username=tests']);
  const passwords = '# the user "guarded" needs its password\nhost all guarded 127.0.0.1/32 scram-sha-256\n';
  const access = join(folder, 'pg_hba.conf');
  writeFileSync(access, passwords + readFileSync(access, 'utf8'));
  return folder;
}

/** The user under whom PostgreSQL runs, because it does not run as root; undefined for the tests' own user. */
function owner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [, , uid, gid] = (readFileSync('/etc/passwd', 'utf8').match(/^postgres:.*$/m)?.[0] ?? '').split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

/** The command that runs a program of PostgreSQL under its user, and ends it with the process of the tests. */
function asOwner(program: string, args: readonly string[]): [program: string, args: string[]] {
  const user = owner();
  const identity = user === undefined ? [] : [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  return ['setpriv', [...identity, '--pdeathsig=KILL', resolve(programsFolder() ?? '', program), ...args]];
}

async function runAsOwner(program: string, args: readonly string[]): Promise<void> {
  const [file, all] = asOwner(program, args);
  await promisify(execFile)(file, all, { cwd: tmpdir() });
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-postgres-'));
  const user = owner();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  return folder;
}

/** Debian puts the programs of each version into a folder of its own, which is in nobody's path. */
function programsFolder(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian)
    ? readdirSync(debian).toSorted((one, other) => Number(other) - Number(one))
    : [];
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...pathFolders()];
  const programs = ['initdb', 'postgres', 'pg_basebackup'];
  return folders.find((folder) => programs.every((program) => existsSync(join(folder, program))));
}

function pathFolders(): string[] {
  return (process.env['PATH'] ?? '').split(delimiter);
}

function whyMissing(): string | false {
  if (programsFolder() === undefined)
    return 'PostgreSQL is not installed (Debian: apt-get install postgresql)';
  if (!pathFolders().some((folder) => existsSync(join(folder, 'setpriv'))))
    return 'setpriv, which starts PostgreSQL, is not installed';
  if (Number.isNaN(owner()?.uid)) return 'PostgreSQL cannot run as root, and there is no user postgres';
  return false;
}
