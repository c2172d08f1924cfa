import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { freePort } from '@countersign/testing/free-port';
import { waitUntilUp } from '@countersign/testing/wait-until';
import { folderWithKeys } from './key-files.ts';

/** A real proxy that may stand in front of a service. */
export interface Edge {
  readonly program: string;
  /** Its arguments, to run in the foreground with its file. */
  readonly argv: (file: string, folder: string) => readonly string[];
  /** Its file. `directives` are the differences between two of its configurations. */
  readonly file: (scene: EdgeScene) => string;
}

export interface EdgeScene {
  readonly folder: string;
  readonly port: number;
  /** Where the service listens, as `host:port`. */
  readonly service: string;
  readonly directives: string;
}

export const edges = {
  /** Its directives follow the service's address in `proxy_pass`. */
  nginx: {
    program: '/usr/sbin/nginx',
    argv: (file, folder) => ['-p', folder, '-c', file],
    file: ({ folder, port, service, directives }) => {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${folder}/${name};`)
        .join(' ');
      return `daemon off; pid ${folder}/pid; error_log stderr emerg; worker_processes 1; events {}
http { access_log off; ${temporary}
  server { listen 127.0.0.1:${port};
    location / { proxy_set_header Host $http_host; proxy_pass http://${service}${directives}; } } }
`;
    },
  },
  haproxy: {
    program: '/usr/sbin/haproxy',
    argv: (file) => ['-db', '-f', file],
    file: ({ port, service, directives }) => `global
  expose-experimental-directives
defaults
  mode http
  timeout connect 60s
  timeout client 60s
  timeout server 60s
frontend edge
  bind 127.0.0.1:${port}
  ${directives}
  default_backend service
backend service
  server service ${service}
`,
  },
  /** Its directives are parameters of `ProxyPass`. */
  apache: {
    program: '/usr/sbin/apache2',
    argv: (file, folder) => ['-d', folder, '-f', file, '-DFOREGROUND'],
    file: ({ folder, port, service, directives }) => `ServerName localhost
PidFile ${folder}/pid
ErrorLog ${folder}/errors
Listen 127.0.0.1:${port}
${['mpm_event', 'authz_core', 'proxy', 'proxy_http']
  .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
  .join('\n')}
ProxyPreserveHost On
AllowEncodedSlashes NoDecode
MergeSlashes Off
ProxyPass / http://${service}/ ${directives}
`,
  },
  caddy: {
    program: '/usr/bin/caddy',
    argv: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    file: ({ port, service, directives }) => `{
  admin off
  auto_https off
}
http://:${port} {
  bind 127.0.0.1
  ${directives}
  reverse_proxy ${service}
}
`,
  },
} satisfies Readonly<Record<string, Edge>>;

/** Returns why a proxy cannot be run here; false if it can. */
export function cannotRun({ program }: Edge): string | false {
  return existsSync(program) ? false : `${program} is not installed`;
}

/** Runs a proxy in front of a service until the test ends. Returns its URL. */
export async function startEdge(
  context: Pick<TestContext, 'after'>,
  { program, argv, file }: Edge,
  { origin, directives }: { readonly origin: string; readonly directives: string },
): Promise<string> {
  const folder = folderWithKeys(context);
  const port = await freePort();
  const path = join(folder, 'edge.conf');
  writeFileSync(path, file({ folder, port, service: new URL(origin).host, directives }));
  let output = '';
  const child = spawn(program, argv(path, folder), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, 'close');
  context.after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;
  await waitUntilUp({ name: program, child, output: () => output }, () =>
    // Nothing signed: only whether it listens.
    fetch(url, { method: 'HEAD' }).then(
      () => true,
      () => false,
    ),
  );
  return url;
}
