import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@countersign/testing/free-port';
import {
  cannotRun,
  makeCertificate,
  type Recipe,
  type RunningProxy,
  startProxy,
} from '@countersign/testing/proxy-process';

export type BalancerName = 'haproxy' | 'nginx';

export const balancerNames: readonly BalancerName[] = ['haproxy', 'nginx'];

/** A load balancer that runs with the file that we ship. */
export interface Balancer extends RunningProxy {
  readonly name: BalancerName;
  /** Signs its own certificate. */
  readonly certificate: string;
}

const deploy = new URL('../../deploy/', import.meta.url);

const recipes: Readonly<Record<BalancerName, Recipe>> = {
  haproxy: {
    name: 'haproxy',
    folder: deploy,
    program: '/usr/sbin/haproxy',
    files: ['haproxy.cfg'],
    port: 8421,
    start: (file) => ['-db', '-f', file],
    change: (text, folder) => text.replace('/usr/local/etc/haproxy/tls.pem', join(folder, 'certificate.pem')),
  },
  nginx: {
    name: 'nginx',
    folder: deploy,
    program: '/usr/sbin/nginx',
    files: ['nginx.conf'],
    port: 443,
    start: (file, folder) => [
      '-c',
      file,
      '-g',
      `daemon off; pid ${folder}/nginx.pid; error_log stderr warn;`,
    ],
    change: (text, folder) => text.replaceAll('/etc/nginx/tls', folder),
  },
};

/** Returns why balancers cannot run here; false if they can. */
export const balancersAreMissing: string | false =
  balancerNames.map((name) => cannotRun(recipes[name])).find((reason) => reason !== false) ??
  nginxHasNoStreams();

/** Starts a balancer in front of nodes on these ports of 127.0.0.1. */
export async function startBalancer(
  name: BalancerName,
  ports: readonly number[],
  isPatient = false,
): Promise<Balancer> {
  let certificate = '';
  const prepare = (folder: string): void => {
    makeCertificate(folder);
    certificate = readFileSync(join(folder, 'certificate.pem'), 'utf8');
    // HAProxy expects the key in the same file.
    appendFileSync(join(folder, 'certificate.pem'), readFileSync(join(folder, 'key.pem')));
  };
  const inner = await freePort();
  const proxy = await startProxy({ ...recipes[name], prepare }, { 8420: inner }, (text) =>
    withNodes(isPatient ? text.replace('timeout check 2s', 'timeout check 30s') : text, ports),
  );
  return { ...proxy, name, certificate };
}

/** Replaces the nodes of a shipped file, and leaves everything else unchanged. */
function withNodes(text: string, ports: readonly number[]): string {
  const lines = text.replace(/^resolvers [^]*/m, '').split('\n');
  const isNode = (line: string): boolean => /^ +server (?:node-\d |10\.)/.test(line);
  const first = lines.findIndex(isNode);
  const nodes = ports.map((port, index) =>
    lines[first]!.replace(/node-1 node-1:8421/, `node-${index + 1} 127.0.0.1:${port}`).replace(
      '10.0.0.11:8421',
      `127.0.0.1:${port}`,
    ),
  );
  return lines
    .flatMap((line, index) => (index === first ? nodes : isNode(line) ? [] : [line]))
    .join('\n')
    .replace(/ resolvers containers init-addr libc,none$/m, '');
}

function nginxHasNoStreams(): string | false {
  const isThere = existsSync('/etc/nginx/modules-enabled/50-mod-stream.conf');
  return isThere ? false : 'libnginx-mod-stream is not installed';
}
