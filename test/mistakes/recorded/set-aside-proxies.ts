import { join } from 'node:path';
import { binaries, installedFolder, type ProxyBinary } from '../../proxies/binaries.ts';
import { type ProxyKind, upstreamPort } from './proxies.ts';

const upstream = `127.0.0.1:${upstreamPort}`;

const squid = (variant: string, directives = ''): ProxyKind => ({
  name: `squid ${variant}`,
  command: (folder) => ['squid', '-N', '-f', join(folder, 'config')],
  config: () => `http_port 127.0.0.1:80 accel vhost
cache_peer 127.0.0.1 parent ${upstreamPort} 0 no-query originserver name=recorder
http_access allow all
cache deny all
cache_effective_user proxy
pid_filename none
access_log none
cache_log /dev/null
shutdown_lifetime 0 seconds
${directives}
`,
});

const trafficServer = (variant: string, remap: string): ProxyKind => ({
  name: `trafficserver ${variant}`,
  // It writes to its folder as a user of its own.
  command: (folder) => [
    'sh',
    '-c',
    'chown trafficserver "$1" && exec traffic_server --run-root="$1"',
    'sh',
    folder,
  ],
  config: () => '',
  files: (folder) => ({
    'runroot.yaml': [
      ['prefix', folder],
      ['exec_prefix', folder],
      ['bindir', '/usr/bin'],
      ['sbindir', '/usr/sbin'],
      ['libdir', '/usr/lib/trafficserver'],
      ['libexecdir', '/usr/lib/trafficserver/modules'],
      ...['sysconfdir', 'datadir', 'includedir', 'localstatedir', 'runtimedir', 'logdir'].map((name) => [
        name,
        folder,
      ]),
      ...['mandir', 'infodir', 'cachedir'].map((name) => [name, folder]),
    ]
      .map(([name, path]) => `${name}: ${path}\n`)
      .join(''),
    'records.config': [
      'http.server_ports STRING 80:ip-in=127.0.0.1',
      'admin.user_id STRING trafficserver',
      'url_remap.pristine_host_hdr INT 1',
      'http.cache.http INT 0',
      'log.logging_enabled INT 0',
    ]
      .map((line) => `CONFIG proxy.config.${line}\n`)
      .join(''),
    'remap.config': `${remap}\n`,
    'remove.config': 'cond %{REMAP_PSEUDO_HOOK}\nrm-header Date\n',
    'shorten.config': 'cond %{REMAP_PSEUDO_HOOK}\nrm-destination QUERY\n',
    'ip_allow.yaml': 'ip_allow: [{ apply: in, ip_addrs: 0/0, action: allow, methods: ALL }]\n',
    'storage.config': '',
    'plugin.config': '',
  }),
});

const installed = (name: ProxyBinary['name']): string =>
  join(installedFolder, name, binaries.find((one) => one.name === name)!.program);

const envoy = (
  variant: string,
  { manager = '', route = '', host = '' }: Readonly<Record<string, string>>,
): ProxyKind => ({
  name: `envoy ${variant}`,
  command: (folder) => [
    installed('envoy'),
    '--use-dynamic-base-id',
    '--concurrency',
    '1',
    '-l',
    'off',
    '-c',
    join(folder, 'envoy.yaml'),
  ],
  config: () => '',
  files: () => ({
    'envoy.yaml': `static_resources:
  listeners:
    - address: { socket_address: { address: 127.0.0.1, port_value: 80 } }
      filter_chains:
        - filters:
            - name: envoy.filters.network.http_connection_manager
              typed_config:
                '@type': type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                stat_prefix: web
                generate_request_id: false
                ${manager}
                route_config:
                  virtual_hosts:
                    - name: web
                      domains: ['*']
                      ${host}
                      routes: [{ match: { prefix: / }, route: { cluster: recorder ${route} } }]
                http_filters:
                  - name: envoy.filters.http.router
                    typed_config: { '@type': type.googleapis.com/envoy.extensions.filters.http.router.v3.Router }
  clusters:
    - name: recorder
      load_assignment:
        cluster_name: recorder
        endpoints:
          - lb_endpoints:
              - endpoint: { address: { socket_address: { address: 127.0.0.1, port_value: ${upstreamPort} } } }
`,
  }),
});

const traefik = (variant: string, middleware?: string): ProxyKind => ({
  name: `traefik ${variant}`,
  command: (folder) => [
    installed('traefik'),
    '--entrypoints.web.address=127.0.0.1:80',
    `--providers.file.filename=${join(folder, 'routes.yml')}`,
    '--global.checknewversion=false',
    '--global.sendanonymoususage=false',
  ],
  config: () => '',
  files: () => ({
    'routes.yml': `http:
  routers:
    web: { rule: 'PathPrefix(\`/\`)', service: recorder${middleware ? ', middlewares: [change]' : ''} }
  services:
    recorder: { loadBalancer: { servers: [{ url: 'http://${upstream}' }] } }
${middleware ? `  middlewares:\n    change: ${middleware}\n` : ''}`,
  }),
});

const nghttpx: ProxyKind = {
  name: 'nghttpx',
  command: (folder) => ['nghttpx', `--conf=${join(folder, 'config')}`],
  config: () => `frontend=127.0.0.1,80;no-tls
backend=127.0.0.1,${upstreamPort}
workers=1
`,
};

const h2o = (variant: string, paths: string): ProxyKind => ({
  name: `h2o ${variant}`,
  command: (folder) => ['h2o', '-m', 'worker', '-c', join(folder, 'config')],
  config: () => `listen: { host: 127.0.0.1, port: 80 }
user: root
num-threads: 1
proxy.preserve-host: ON
hosts:
  default:
    paths:
${paths}
`,
});

/**
 * Proxies that were recorded after the explainer had been built with the others. Their behaviour is never
 * looked at while it is built. They are Debian's squid, trafficserver, nghttp2-proxy and h2o, and the Envoy
 * and Traefik of `npm run test:proxies`.
 */
export const setAsideProxyKinds: readonly ProxyKind[] = [
  squid('plain'),
  squid('without date', 'request_header_access Date deny all'),
  trafficServer('plain', `map / http://${upstream}/`),
  trafficServer('prefix', `map /v1/ http://${upstream}/internal/v1/\nmap / http://${upstream}/`),
  trafficServer(
    'without query',
    `map / http://${upstream}/ @plugin=header_rewrite.so @pparam=shorten.config`,
  ),
  trafficServer('without date', `map / http://${upstream}/ @plugin=header_rewrite.so @pparam=remove.config`),
  envoy('plain', {}),
  envoy('normalised', {
    manager: 'normalize_path: true\n                merge_slashes: true',
  }),
  envoy('unescaped', {
    manager: 'normalize_path: true\n                path_with_escaped_slashes_action: UNESCAPE_AND_FORWARD',
  }),
  envoy('prefix', { route: ', prefix_rewrite: /edge/' }),
  envoy('without digest', { host: 'request_headers_to_remove: [content-digest]' }),
  traefik('plain'),
  traefik('without version', '{ stripPrefix: { prefixes: [/v1] } }'),
  traefik('prefix', '{ addPrefix: { prefix: /edge } }'),
  traefik('replace', "{ replacePathRegex: { regex: '^/v1/(.*)', replacement: '/v2/$1' } }"),
  traefik('without date', "{ headers: { customRequestHeaders: { Date: '' } } }"),
  nghttpx,
  h2o('plain', `      /: { proxy.reverse.url: 'http://${upstream}/' }`),
  h2o(
    'prefix',
    `      /v1: { proxy.reverse.url: 'http://${upstream}/internal/v1' }\n      /: { proxy.reverse.url: 'http://${upstream}/' }`,
  ),
];
