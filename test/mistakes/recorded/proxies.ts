import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedFolder } from './senders.ts';

/** The recorder's port behind a proxy. The proxy itself has port 80. */
export const upstreamPort = 9080;

const upstream = `127.0.0.1:${upstreamPort}`;

/** A proxy with one configuration. */
export interface ProxyKind {
  /** The program, and the variant after a space. */
  readonly name: string;
  readonly command: (folder: string) => readonly string[];
  /** Written as `config` in its folder. */
  readonly config: (folder: string) => string;
  /** More files, by name. */
  readonly files?: (folder: string) => Readonly<Record<string, string>>;
}

const nginx = (variant: string, location: string): ProxyKind => ({
  name: `nginx ${variant}`,
  command: (folder) => ['nginx', '-p', folder, '-c', join(folder, 'config')],
  config: (
    folder,
  ) => `daemon off; pid ${folder}/pid; error_log stderr emerg; user root; worker_processes 1; events {}
http {
  access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server { listen 127.0.0.1:80; location / { proxy_set_header Host $host; ${location} } }
}
`,
});

const apache = (variant: string, directives: string): ProxyKind => ({
  name: `apache ${variant}`,
  command: (folder) => ['apache2', '-d', folder, '-f', join(folder, 'config'), '-DFOREGROUND'],
  config: (folder) => `ServerRoot "${folder}"
ServerName api.countersign.example
PidFile ${folder}/pid
ErrorLog ${folder}/errors
Listen 127.0.0.1:80
${['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'rewrite', 'headers']
  .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
  .join('\n')}
ProxyPreserveHost On
<VirtualHost 127.0.0.1:80>
${directives}
</VirtualHost>
`,
});

const haproxy = (variant: string, rules: string): ProxyKind => ({
  name: `haproxy ${variant}`,
  command: (folder) => ['haproxy', '-db', '-f', join(folder, 'config')],
  config: () => `global
  expose-experimental-directives
defaults
  mode http
  timeout connect 5s
  timeout client 5s
  timeout server 5s
frontend web
  bind 127.0.0.1:80
${rules}  default_backend recorder
backend recorder
  server recorder ${upstream}
`,
});

const caddy = (variant: string, directives: string): ProxyKind => ({
  name: `caddy ${variant}`,
  command: (folder) => ['caddy', 'run', '--adapter', 'caddyfile', '--config', join(folder, 'config')],
  config: () => `{
  admin off
  auto_https off
}
:80 {
${directives}
  reverse_proxy ${upstream}
}
`,
});

const varnish = (variant: string, receive: string): ProxyKind => ({
  name: `varnish ${variant}`,
  command: (folder) => [
    'varnishd',
    '-F',
    '-n',
    join(folder, 'work'),
    '-a',
    '127.0.0.1:80',
    '-f',
    join(folder, 'config'),
  ],
  config: () => `vcl 4.1;
import std;
backend recorder { .host = "127.0.0.1"; .port = "${upstreamPort}"; }
sub vcl_recv { ${receive} return (pass); }
`,
});

const nodeProxy = (variant: string): ProxyKind => ({
  name: variant,
  command: () => [
    process.execPath,
    fileURLToPath(new URL('senders/node-proxy.js', import.meta.url)),
    variant,
    String(upstreamPort),
  ],
  config: () => '',
});

export const proxyKinds: readonly ProxyKind[] = [
  nginx('plain', `proxy_pass http://${upstream};`),
  nginx('with path', `proxy_pass http://${upstream}/;`),
  nginx('with variable', `proxy_pass http://${upstream}$uri$is_args$args;`),
  nginx('prefix', `rewrite ^/v1/(.*)$ /api/v1/$1 break; proxy_pass http://${upstream};`),
  nginx('without version', `rewrite ^/v1(/.*)$ $1 break; proxy_pass http://${upstream};`),
  nginx(
    'without body',
    `proxy_pass_request_body off; proxy_set_header Content-Length ""; proxy_pass http://${upstream};`,
  ),
  nginx('without date', `proxy_set_header Date ""; proxy_pass http://${upstream};`),
  nginx('as post', `proxy_method POST; proxy_pass http://${upstream};`),
  apache('plain', `ProxyPass / http://${upstream}/`),
  apache('nocanon', `AllowEncodedSlashes NoDecode\nProxyPass / http://${upstream}/ nocanon`),
  apache('rewrite', `RewriteEngine On\nRewriteRule ^/(.*)$ http://${upstream}/$1 [P]`),
  apache('rewrite escaped', `RewriteEngine On\nRewriteRule ^/(.*)$ http://${upstream}/$1 [P,B]`),
  apache('prefix', `ProxyPass /v1/ http://${upstream}/api/v1/\nProxyPass / http://${upstream}/`),
  apache('without date', `RequestHeader unset Date early\nProxyPass / http://${upstream}/`),
  haproxy('plain', ''),
  haproxy(
    'normalised',
    [
      'path-merge-slashes',
      'path-strip-dot',
      'path-strip-dotdot',
      'percent-to-uppercase',
      'percent-decode-unreserved',
      'query-sort-by-name',
    ]
      .map((name) => `  http-request normalize-uri ${name}\n`)
      .join(''),
  ),
  haproxy('sorted', '  http-request normalize-uri query-sort-by-name\n'),
  haproxy('fragment', '  http-request normalize-uri fragment-strip\n'),
  haproxy('prefix', '  http-request replace-path /v1/(.*) /internal/v1/\\1\n'),
  haproxy('extra parameter', '  http-request set-query "%[query]&source=edge"\n'),
  haproxy('decoded', '  http-request set-path "%[path,url_dec]"\n'),
  haproxy('without digest', '  http-request del-header content-digest\n'),
  haproxy('date twice', '  http-request add-header Date "%[date,http_date]"\n'),
  caddy('plain', ''),
  caddy('prefix', '  rewrite * /edge{uri}'),
  caddy('without version', '  uri strip_prefix /v1'),
  caddy('replace', '  uri replace /v1/ /v2/'),
  caddy('path', '  rewrite * {path}?{query}'),
  varnish('plain', ''),
  varnish('sorted', 'set req.url = std.querysort(req.url);'),
  varnish('lower', 'set req.url = std.tolower(req.url);'),
  varnish('without query', 'set req.url = regsub(req.url, "\\?.*$", "");'),
  varnish('without slash', 'set req.url = regsub(req.url, "/$", "");'),
  {
    name: 'lighttpd',
    command: (folder) => ['lighttpd', '-D', '-f', join(folder, 'config')],
    config: (folder) => `server.document-root = "${folder}"
server.bind = "127.0.0.1"
server.port = 80
server.modules = ("mod_proxy")
server.upload-dirs = ("${folder}")
proxy.server = ("" => (("host" => "127.0.0.1", "port" => ${upstreamPort})))
`,
  },
  {
    name: 'mitmproxy',
    command: () => [
      'mitmdump',
      '-q',
      '--mode',
      `reverse:http://${upstream}`,
      '--listen-host',
      '127.0.0.1',
      '-p',
      '80',
      '--set',
      'keep_host_header=true',
    ],
    config: () => '',
  },
  nodeProxy('http-proxy'),
  nodeProxy('express-json'),
  nodeProxy('express-form'),
  nodeProxy('fetch-forward'),
];

export interface RunningProxy {
  stop(): Promise<void>;
}

/** Starts a proxy. Undefined if its program is missing or does not start. */
export async function startProxy(kind: ProxyKind): Promise<RunningProxy | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-'));
  // Varnish reads its files as another user.
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'config'), kind.config(folder));
  for (const [name, text] of Object.entries(kind.files?.(folder) ?? {}))
    writeFileSync(join(folder, name), text);
  mkdirSync(join(folder, 'node'), { recursive: true });
  const [program, ...rest] = kind.command(folder);
  const child: ChildProcess = spawn(program!, rest, {
    stdio: process.env['DEBUG_SENDERS'] ? ['ignore', 'inherit', 'inherit'] : 'ignore',
    cwd: program === process.execPath ? join(installedFolder, 'node') : folder,
    env: { ...process.env, HOME: folder },
  });
  let isOver = false;
  child.on('error', () => (isOver = true));
  child.on('exit', () => (isOver = true));
  const stop = async (): Promise<void> => {
    if (!isOver) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 3000);
      await ended;
      clearTimeout(timer);
    }
    rmSync(folder, { recursive: true, force: true });
  };
  for (let tries = 0; tries < 150; tries++) {
    if (isOver) break;
    if (await isListening()) return { stop };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await stop();
  return undefined;
}

async function isListening(): Promise<boolean> {
  const socket = connect(80, '127.0.0.1');
  const answer = await Promise.race([
    once(socket, 'connect').then(
      () => true,
      () => false,
    ),
    once(socket, 'error').then(
      () => false,
      () => false,
    ),
  ]);
  socket.destroy();
  return answer;
}
