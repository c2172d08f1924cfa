import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acceptsConnections } from '../network/accepts-connections.ts';
import { freePort } from '../network/free-port.ts';
import { waitUntil, waitUntilUp } from '../time/wait-until.ts';
import { exchange } from './wire.ts';

/** A proxy with one of our recipes. */
export interface Recipe {
  readonly name: string;
  /** Where its files are; its folder in `examples/proxies` unless set. */
  readonly folder?: URL;
  /** The path of its program. */
  readonly program: string;
  /** Files of the recipe, the one to start first. */
  readonly files: readonly string[];
  /** A path in the first file by which it names the second. */
  readonly secondPath?: string;
  /** The port on which the recipe listens. */
  readonly port: number;
  /** Returns the arguments with which it runs in the foreground. */
  readonly start: (file: string, folder: string) => readonly string[];
  /** Changes the text of a file, beyond its ports. */
  readonly change?: (text: string, folder: string) => string;
  /** The status of its responses as long as it has read no routes. */
  readonly statusUntilReady?: number;
  /** Writes more files, such as certificates. */
  readonly prepare?: (folder: string) => void;
}

/** Set by `npm run test:proxies`. */
export const installed: string = process.env['COUNTERSIGN_TEST_PROXIES'] ?? '';

const examples = new URL('../../../../examples/proxies/', import.meta.url);

const envoy = join(installed, 'envoy/envoy/_bin/envoy');

export const recipes = {
  nginx: {
    name: 'nginx',
    program: '/usr/sbin/nginx',
    files: ['nginx.conf'],
    port: 8080,
    start: nginxArguments,
  },
  'nginx-njs': {
    name: 'nginx-njs',
    program: '/usr/sbin/nginx',
    files: ['nginx.conf', 'countersign.js'],
    secondPath: '/etc/nginx/countersign.js',
    port: 8080,
    start: nginxArguments,
  },
  caddy: {
    name: 'caddy',
    program: '/usr/bin/caddy',
    files: ['Caddyfile'],
    port: 8080,
    start: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
  },
  haproxy: {
    name: 'haproxy',
    program: '/usr/sbin/haproxy',
    files: ['haproxy.cfg', 'countersign.lua'],
    secondPath: '/etc/haproxy/countersign.lua',
    port: 8080,
    start: (file) => ['-db', '-f', file],
  },
  apache: {
    name: 'apache',
    program: '/usr/sbin/apache2',
    files: ['apache.conf'],
    port: 8443,
    start: (file) => ['-X', '-f', file],
    change: (text, folder) =>
      text
        .replace(/^PidFile .*/m, `PidFile ${folder}/apache2.pid`)
        .replace(/^ErrorLog .*/m, `ErrorLog ${folder}/error.log`)
        .replace(/^ +SSLCertificateFile .*/m, `SSLCertificateFile ${folder}/certificate.pem`)
        .replace(/^ +SSLCertificateKeyFile .*/m, `SSLCertificateKeyFile ${folder}/key.pem`),
    prepare: makeCertificate,
  },
} satisfies Readonly<Record<string, Recipe>>;

/** Proxies that no distribution has in these versions. `npm run test:proxies` installs them and names the folder. */
export const installedRecipes = {
  'caddy-current': {
    name: 'caddy',
    program: join(installed, 'caddy/caddy'),
    files: ['Caddyfile'],
    port: 8080,
    start: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
  },
  'envoy-grpc': {
    name: 'envoy',
    program: envoy,
    files: ['grpc.yaml'],
    port: 8080,
    start: envoyArguments,
  },
  envoy: {
    name: 'envoy',
    program: envoy,
    files: ['http.yaml'],
    port: 8080,
    start: envoyArguments,
  },
  traefik: {
    name: 'traefik',
    program: join(installed, 'traefik/traefik'),
    files: ['traefik.yaml', 'dynamic.yaml'],
    secondPath: '/etc/traefik/dynamic.yaml',
    port: 8080,
    start: (file) => [`--configFile=${file}`],
    statusUntilReady: 404,
  },
} satisfies Readonly<Record<string, Recipe>>;

/** Returns why a recipe cannot be run here; false if it can. */
export function cannotRun({ name, program }: Recipe): string | false {
  return existsSync(program) ? false : `${name} is not installed`;
}

/** A proxy that runs. */
export interface RunningProxy {
  readonly port: number;
  readonly processId: number;
  /** Everything that it has printed. */
  readonly output: () => string;
  stop(): Promise<void>;
}

/**
 * Runs a recipe as its file says, on a free port.
 *
 * @param ports ports that stand in the file, and those to use in their place
 * @param change changes the text of each file
 */
export async function startProxy(
  recipe: Recipe,
  ports: Readonly<Record<number, number>>,
  change: (text: string) => string = (text) => text,
): Promise<RunningProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-proxy-'));
  const port = await freePort();
  const all: Readonly<Record<number, number>> = { ...ports, [recipe.port]: port };
  for (const name of recipe.files) {
    const from = recipe.folder ?? new URL(`${recipe.name}/`, examples);
    let text = change(await readFile(new URL(name, from), 'utf8'));
    for (const [usual, free] of Object.entries(all))
      text = text.replaceAll(new RegExp(`(: ?)${usual}\\b`, 'g'), `$1@${free}@`);
    text = text.replaceAll(/@(\d+)@/g, '$1');
    if (recipe.secondPath !== undefined)
      text = text.replaceAll(recipe.secondPath, join(folder, recipe.files[1]!));
    await writeFile(join(folder, name), recipe.change?.(text, folder) ?? text);
  }
  recipe.prepare?.(folder);
  let output = '';
  const child = spawn(recipe.program, recipe.start(join(folder, recipe.files[0]!), folder), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  const ended = once(child, 'close');
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilUp({ name: recipe.name, child, output: () => output }, () => acceptsConnections(port));
    if (recipe.statusUntilReady !== undefined) await answeringOtherwise(recipe.statusUntilReady, child, port);
  } catch (error) {
    await stop();
    throw new Error(`${recipe.name} does not listen:\n${output}`, { cause: error });
  }
  return { port, processId: child.pid!, output: () => output, stop };
}

function envoyArguments(file: string): readonly string[] {
  // Several Envoys on a machine would otherwise share memory for a restart without a pause.
  return ['-c', file, '--concurrency', '2', '--log-level', 'error', '--disable-hot-restart'];
}

function nginxArguments(file: string, folder: string): readonly string[] {
  return ['-c', file, '-g', `daemon off; pid ${folder}/nginx.pid;`];
}

/** Waits until a proxy responds with another status, or has ended. */
async function answeringOtherwise(status: number, child: ChildProcess, port: number): Promise<void> {
  const request = { method: 'GET', target: '/', headers: [['Host', 'localhost']] } as const;
  await waitUntil(
    async () => child.exitCode !== null || (await exchange(port, request)).status !== status,
    `another status than ${status}`,
  );
}

/** Makes a certificate for api.example.test and its key, in PEM. */
export function makeCertificate(folder: string): void {
  const subject = ['-subj', '/CN=api.example.test', '-days', '2'];
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...key, ...subject, ...files], { stdio: 'ignore' });
}
