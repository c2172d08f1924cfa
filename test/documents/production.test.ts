import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '@countersign/testing/free-port';
import { cannotRun, recipes, type RunningProxy, startProxy } from '@countersign/testing/proxy-process';
import { waitFor } from '@countersign/testing/wait-until';
import { readerEnvironment, readerFolder, root } from './reader-folder.ts';
import { type BlockRun, readDocument, runBlock, testBlocks } from './run-block.ts';

/*
 * Follows the page step by step, with the nginx, files and commands that it shows. Only ports, hosts and
 * folders differ.
 */

const path = 'docs/production.md';
const { markdown } = readDocument(path);
const blocks = testBlocks(path);
const caller = '127.0.0.2';
/** The service, as the installed program starts it. */
const main = join(root, 'packages/server/src/main.ts');
const [check, backup, clients, ready, routes] = blocks;

describe(path, { skip: cannotRun(recipes.nginx) }, () => {
  const { folder, remove } = readerFolder();
  const received: IncomingHttpHeaders[] = [];
  const api = createServer((request, response) => {
    received.push(request.headers);
    response.end('fine');
  });
  let ports: {
    readonly console: number;
    readonly api: number;
    readonly metrics: number;
    readonly upstream: number;
  };
  let proxy: RunningProxy | undefined;
  let stop = async (): Promise<void> => undefined;
  let printed = '';

  before(async () => {
    api.listen(0, '127.0.0.1');
    await once(api, 'listening');
    const { port: upstream } = api.address() as AddressInfo;
    ports = { console: await freePort(), api: await freePort(), metrics: await freePort(), upstream };
    for (const name of ['etc', 'tls', 'data', 'backups']) mkdirSync(join(folder, name), { mode: 0o700 });
    proxy = await startNginx();
    writeFileSync(join(folder, 'etc/countersign.json'), here(fence('json')));
    writeFileSync(join(folder, 'etc/environment'), here(fence('ini')).replace('…', 'secret'.repeat(8)));
  });
  after(async () => {
    await stop();
    await proxy?.stop();
    api.close();
    remove();
  });

  it('has no other blocks than those that run below', () => {
    const lastLines = blocks.map(({ text }) =>
      text.trim().split('\n').at(-1)?.split(' ').slice(0, 2).join(' '),
    );
    assert.deepEqual(lastLines, [
      'node --env-file=/etc/countersign/environment',
      'countersign backup',
      'countersign request',
      'countersign routes',
      'countersign routes',
    ]);
    assert.deepEqual(
      markdown.fences.map(({ words }) => words[0]).filter((language) => language !== 'sh'),
      ['json', 'ini', 'nginx'],
    );
  });

  it('checks the configuration before the start, and starts with it', async () => {
    const { output } = await succeed(check!.text);
    assert.match(output, /no mistakes/);
    await startService();
    const [, link] = /^Nobody can sign in yet\..+\n {2}(\S+)#token=/m.exec(printed) ?? [];
    assert.equal(link, here('https://console.example.com/portal/set-up'));
  });

  it('serves the portal and health through nginx, and metrics beside it', async () => {
    for (const address of ['https://console.example.com/portal/', 'https://console.example.com/ready'])
      assert.equal((await get(here(address))).status, 200, address);
    const metrics = await fetch(`http://127.0.0.1:${ports.metrics}/metrics`);
    assert.match(await metrics.text(), /^countersign_guard_ready 1$/m);
  });

  it('backs up', async () => {
    await succeed(backup!.text);
    assert.match(readdirSync(join(folder, 'backups')).join(), /^countersign-\d{4}-\d\d-\d\d\.sqlite$/);
  });

  it('registers a client, whose requests reach the API through nginx', async () => {
    const { output, errors } = await succeed(clients!.text);
    assert.match(output + errors, /fine/);
    assert.match(received.at(-1)?.['countersign-client-id'] as string, /^client_/);
  });

  it('lets unsigned requests through while the route observes, and tells who is ready', async () => {
    assert.deepEqual(await get(here('https://api.example.com/status')), { status: 200, text: 'fine' });
    const headers = received.at(-1);
    assert.equal(headers?.['countersign-client-id'], undefined);
    assert.equal(headers?.['x-forwarded-for'], caller, 'the proxy is trusted, and says who called');
    // The requests that it examines are written in the background.
    const { output } = await waitFor(async () => {
      const result = await run(ready!.text);
      return result.exitCode === 0 ? result : undefined;
    }, 'the client to be ready');
    assert.match(output, /Shop/);
  });

  it('rejects unsigned requests once the route enforces, without a restart', async () => {
    const file = join(folder, 'etc/countersign.json');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(', "mode": "observe"', ''));
    assert.match((await succeed(routes!.text)).output, /valid: 1 route/);
    const { text: answer } = await waitFor(async () => {
      const result = await get(here('https://api.example.com/status'));
      return result.status === 401 ? result : undefined;
    }, 'an unsigned request to be rejected');
    assert.match(answer, /"code":"signature_missing"/);
    await succeed('countersign request GET https://api.example.com/status --credentials shop.json');
  });

  /** Runs nginx with the page's block, as a file that its main configuration includes. */
  async function startNginx(): Promise<RunningProxy> {
    const files = join(folder, 'nginx');
    mkdirSync(files);
    const text = `events {}\nhttp {\naccess_log off;\n${fence('nginx')}}\n`;
    writeFileSync(join(files, 'nginx.conf'), text.replaceAll('/etc/nginx/tls', join(folder, 'tls')));
    makeCertificate();
    return startProxy(
      { ...recipes.nginx, folder: pathToFileURL(`${files}/`), port: 443 },
      { 8421: ports.console, 8422: ports.api },
      (each) =>
        each.replaceAll('api.example.com', 'localhost').replaceAll('console.example.com', '127.0.0.1'),
    );
  }

  function makeCertificate(): void {
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    const files = ['-keyout', join(folder, 'tls/key.pem'), '-out', join(folder, 'tls/certificate.pem')];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...names, ...files],
      {
        stdio: 'ignore',
      },
    );
  }

  /** Starts the service as the unit does, with the page's settings. */
  async function startService(): Promise<void> {
    const child = spawn(process.execPath, [`--env-file=${join(folder, 'etc/environment')}`, main], {
      cwd: folder,
      env: { ...readerEnvironment(), ...environment() },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = once(child, 'close');
    stop = async () => {
      if (child.exitCode === null) child.kill('SIGTERM');
      await closed;
    };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
    await waitFor(
      () => {
        if (child.exitCode !== null) assert.fail(printed);
        return printed.includes('Ctrl-C stops it.') || undefined;
      },
      () => printed,
    );
  }

  /** The ports of this test, and its certificate. */
  function environment(): Record<string, string> {
    return {
      COUNTERSIGN_PORT: String(ports.console),
      COUNTERSIGN_API_PORT: String(ports.api),
      NODE_EXTRA_CA_CERTS: join(folder, 'tls/certificate.pem'),
    };
  }

  async function run(commands: string): Promise<BlockRun> {
    return runBlock({ path, line: 0, language: 'sh', text: here(commands) }, folder, environment());
  }

  async function succeed(commands: string): Promise<BlockRun> {
    const result = await run(commands);
    assert.equal(result.exitCode, 0, result.output + result.errors);
    return result;
  }

  /** Inserts this test's ports, hosts and folders into a text of the page. */
  function here(text: string): string {
    return text
      .replaceAll('https://api.example.com', `https://localhost:${proxy?.port}`)
      .replaceAll('https://console.example.com', `https://127.0.0.1:${proxy?.port}`)
      .replaceAll('http://127.0.0.1:3000', `http://127.0.0.1:${ports.upstream}`)
      .replaceAll('9421', String(ports.metrics))
      .replaceAll('203.0.113.7', '127.0.0.1')
      .replaceAll('/opt/countersign/node_modules/countersign-server/bin/countersign-server.js', main)
      .replaceAll('/etc/countersign', join(folder, 'etc'))
      .replaceAll('/var/lib/countersign', join(folder, 'data'))
      .replaceAll('/var/backups', join(folder, 'backups'));
  }

  /** Sends a request without a signature, from an address that is not the proxy's. */
  async function get(url: string): Promise<{ readonly status: number; readonly text: string }> {
    const options = [
      '--silent',
      '--show-error',
      '--interface',
      caller,
      '--cacert',
      join(folder, 'tls/certificate.pem'),
    ];
    const { stdout } = await promisify(execFile)('curl', [...options, '--write-out', '\n%{http_code}', url]);
    const lines = stdout.split('\n');
    return { status: Number(lines.pop()), text: lines.join('\n') };
  }
});

/** Returns the text of the only block in this language. */
function fence(language: string): string {
  const found = markdown.fences.filter(({ words }) => words[0] === language);
  assert.equal(found.length, 1, language);
  return found[0]!.text;
}
