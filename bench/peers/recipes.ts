import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Recipe } from '@countersign/testing/proxy-process';
import { installedFolder } from '../../test/proxies/binaries.ts';
import type { BearerRequests } from '../bearer-requests.ts';

/** A proxy that verifies an RS256 JWT in each request, with one thread where that can be set. */
export interface Peer {
  readonly name: string;
  /** Files and commands that it needs, with how to get them; without them, it is skipped. */
  readonly needs: Readonly<Record<string, string>>;
  /** @param folder for what it builds, before it returns */
  readonly recipe: (requests: BearerRequests, folder: string) => Recipe;
}

const here = new URL('./', import.meta.url);
const njs = '/usr/lib/nginx/modules/ngx_http_js_module.so';
const openidc = '/usr/lib/apache2/modules/mod_auth_openidc.so';
const envoy = join(installedFolder, 'envoy/envoy/_bin/envoy');

export const peers: readonly Peer[] = [
  {
    name: 'HAProxy, jwt_verify',
    needs: { '/usr/sbin/haproxy': 'the package haproxy' },
    recipe: (requests) => ({
      ...common('haproxy', requests),
      program: '/usr/sbin/haproxy',
      files: ['haproxy.cfg'],
      start: (file) => ['-db', '-f', file],
    }),
  },
  {
    name: 'Envoy, jwt_authn',
    needs: { [envoy]: '`npm run test:proxies`, which installs Envoy' },
    recipe: (requests) => ({
      ...common('envoy', requests),
      program: envoy,
      files: ['envoy.yaml'],
      start: (file) => ['-c', file, '--concurrency', '1', '--log-level', 'error', '--disable-hot-restart'],
    }),
  },
  {
    name: 'Apache, mod_auth_openidc',
    needs: {
      '/usr/sbin/apache2': 'the package apache2',
      [openidc]: 'the package libapache2-mod-auth-openidc',
    },
    recipe: (requests) => ({
      ...common('apache', requests),
      program: '/usr/sbin/apache2',
      files: ['apache.conf'],
      start: (file) => ['-D', 'FOREGROUND', '-f', file],
    }),
  },
  {
    name: "Go's ReverseProxy",
    needs: { go: 'Go' },
    recipe(requests, folder) {
      const program = build('go', folder);
      return {
        ...common('go', requests),
        program: '/usr/bin/env',
        files: ['proxy.json'],
        start: (file) => ['GOMAXPROCS=1', program, file],
      };
    },
  },
  {
    name: 'Caddy, a handler of ours',
    needs: { go: 'Go' },
    recipe(requests, folder) {
      const program = build('caddy', folder);
      return {
        ...common('caddy', requests),
        program: '/usr/bin/env',
        files: ['caddy.json'],
        start: (file) => ['GOMAXPROCS=1', program, 'run', '--config', file],
      };
    },
  },
  {
    name: 'nginx, njs',
    needs: { '/usr/sbin/nginx': 'the package nginx', [njs]: 'the package libnginx-mod-http-js' },
    recipe: (requests) => ({
      ...common('nginx', requests),
      program: '/usr/sbin/nginx',
      files: ['nginx.conf', 'check.js'],
      start: (file, folder) => ['-c', file, '-g', `daemon off; pid ${folder}/nginx.pid;`],
    }),
  },
];

/** Returns what a peer lacks here; undefined if it can run. */
export function missing({ needs }: Peer): string | undefined {
  return Object.entries(needs).find(([program]) => !isThere(program))?.[1];
}

function isThere(program: string): boolean {
  if (program.startsWith('/')) return existsSync(program);
  const folders = (process.env['PATH'] ?? '').split(':').filter((folder) => folder !== '');
  return folders.some((folder) => existsSync(join(folder, program)));
}

function common(
  name: string,
  requests: BearerRequests,
): Pick<Recipe, 'name' | 'folder' | 'port' | 'change' | 'prepare'> {
  return {
    name,
    folder: new URL(`${name}/`, here),
    port: 8080,
    change: (text, folder) =>
      text.replaceAll('/etc/bench', folder).replaceAll(/(?:\/run|\/var\/log)\/apache2/g, folder),
    prepare(folder) {
      // Workers of nginx, which read the key, run as another user.
      chmodSync(folder, 0o755);
      writeFileSync(join(folder, 'public.pem'), requests.publicKey);
      writeFileSync(join(folder, 'keys.json'), requests.jwks);
    },
  };
}

/** Builds a program in Go and returns its path. Modules that it uses are downloaded, which takes minutes once. */
function build(name: 'go' | 'caddy', folder: string): string {
  const source = join(folder, name);
  mkdirSync(source);
  cpSync(new URL(`${name}/`, here), source, { recursive: true });
  cpSync(new URL('go/token.go', here), join(source, 'token.go'));
  const run = (...args: string[]): unknown => execFileSync('go', args, { cwd: source, stdio: 'pipe' });
  run('mod', 'tidy');
  run('build', '-o', join(folder, `${name}-program`), '.');
  return join(folder, `${name}-program`);
}
