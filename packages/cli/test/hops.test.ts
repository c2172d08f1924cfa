import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { exits } from '../src/exits.ts';
import { folderWithKeys, pair } from './key-files.ts';
import { startProxy } from './proxy-scene.ts';
import { run } from './run.ts';
import { type Arrived, startSignedService } from './signed-service.ts';

const nginx = '/usr/sbin/nginx';
const isSkipped = existsSync(nginx) ? false : 'nginx is not installed';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Runs nginx in front of a service, with a directive that may rewrite the target. Returns its URL. */
async function startNginx(context: TestContext, passTo: string): Promise<string> {
  const folder = folderWithKeys(context);
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log stderr emerg; worker_processes 1; events {}
http { access_log off; ${temporary}
  server { listen 127.0.0.1:${port}; location / { proxy_set_header Host $http_host; proxy_pass ${passTo}; } } }
`,
  );
  const child = spawn(nginx, ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  context.after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;
  while (child.exitCode === null) {
    // Nothing signed: only whether it listens.
    const isUp = await fetch(url, { method: 'HEAD' }).then(
      () => true,
      () => false,
    );
    if (isUp) break;
    await sleep(20);
  }
  return url;
}

/** The request as the service received it, byte for byte. */
function asHttp({ method, target, rawHeaders, body }: Arrived): Buffer {
  const lines = Array.from({ length: rawHeaders.length / 2 }, (_, index) => {
    return `${rawHeaders[index * 2]}: ${rawHeaders[index * 2 + 1]}\r\n`;
  });
  return Buffer.concat([
    Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'),
    body,
  ]);
}

describe('what was sent, through a real proxy, to a running service', { skip: isSkipped }, () => {
  it('request --save: nginx that rewrites the path is found, and one that does not is not', async (context) => {
    for (const [end, rewrites] of [
      ['/', true],
      ['', false],
    ] as const) {
      const service = await startSignedService(context, { publicKey: pair.publicKey });
      const edge = await startNginx(context, service.origin + end);
      const folder = folderWithKeys(context);
      const argv = ['--client-id', 'client_test', '--key', 'private.pem', '--save', 'sent.http'];
      const sent = await run(
        [
          'request',
          'POST',
          `${edge}/v1/%7Ejane//x`,
          '-d',
          '{"a":1}',
          '-H',
          'Authorization: Bearer s3cr3t',
          ...argv,
        ],
        { folder },
      );
      assert.equal(sent.code, rewrites ? exits.refused.code : exits.ok.code, sent.errors);
      assert.equal(statSync(join(folder, 'sent.http')).mode & 0o777, 0o600);
      assert.doesNotMatch(readFileSync(join(folder, 'sent.http'), 'utf8'), /s3cr3t/);
      writeFileSync(join(folder, 'received.http'), asHttp(service.arrived.at(-1)!));
      const { code, out } = await run(
        ['explain', 'received.http', '--sent', 'sent.http', '--key', 'public.pem', '--base-url', edge],
        { folder },
      );
      if (rewrites) {
        assert.match(
          out,
          /^Changed between sent\.http and the service: .*path.*\nThe signature is valid in sent\.http, and no longer in the service/,
        );
        assert.match(out, /sent\.http +\/v1\/%7Ejane\/\/x\n +the service +\/v1\/~jane\/x\n/);
        // The program signed what it sent, so it is told nothing about its signature.
        assert.doesNotMatch(out, /Rejected|Checks/);
        assert.equal(code, exits.refused.code);
      } else {
        assert.match(out, /^Nothing that is signed changed between sent\.http and the service/);
        assert.equal(code, exits.ok.code, out);
      }
    }
  });

  it('proxy --trace: what the signing proxy sent is compared with what came', async (context) => {
    const service = await startSignedService(context, { publicKey: pair.publicKey });
    const edge = await startNginx(context, `${service.origin}/`);
    const proxy = await startProxy(context, { target: edge, argv: ['--trace', 'sent'] });
    const headers = { authorization: 'Bearer s3cr3t', cookie: 'session=s3cr3t' };
    await fetch(`${proxy.address}/v1/%7Ejane`, { method: 'POST', body: '{"a":1}', headers });
    await proxy.stop();
    const [name = ''] = readdirSync(join(proxy.folder, 'sent'));
    const file = join(proxy.folder, 'sent', name);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(statSync(join(proxy.folder, 'sent')).mode & 0o777, 0o700);
    assert.doesNotMatch(readFileSync(file, 'utf8'), /s3cr3t|PRIVATE/);
    const folder = folderWithKeys(context);
    writeFileSync(join(folder, 'received.http'), asHttp(service.arrived.at(-1)!));
    const { out } = await run(
      ['explain', 'received.http', '--sent', file, '--key', 'public.pem', '--base-url', edge],
      { folder },
    );
    assert.match(
      out,
      /^Changed between .*\.http and the service: The path was encoded differently \(%7E became ~\)\./,
    );
  });
});

describe('proxy --trace', () => {
  it('a folder that cannot be used ends the command', async (context) => {
    const folder = folderWithKeys(context);
    writeFileSync(join(folder, 'file'), '');
    const argv = ['proxy', '--target', 'http://127.0.0.1:9', '--client-id', 'a', '--key', 'private.pem'];
    const { code, errors } = await run([...argv, '--listen', '0', '--trace', 'file'], { folder });
    assert.equal(code, exits.local.code);
    assert.match(errors, /trace folder file exists already/);
  });

  it('keeps the last 100, and leaves out large bodies', async (context) => {
    const service = await startSignedService(context, { publicKey: pair.publicKey });
    const proxy = await startProxy(context, { target: service.origin, argv: ['--trace', 'sent', '--quiet'] });
    const sent = join(proxy.folder, 'sent');
    mkdirSync(sent, { recursive: true });
    writeFileSync(join(sent, 'mine.txt'), 'stays');
    for (let index = 0; index < 103; index++) await fetch(`${proxy.address}/v1/${index}`);
    await fetch(`${proxy.address}/v1/large`, { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) });
    await proxy.stop();
    const names = readdirSync(sent)
      .filter((name) => name.endsWith('.http'))
      .toSorted();
    assert.equal(names.length, 100);
    assert.equal(readFileSync(join(sent, 'mine.txt'), 'utf8'), 'stays');
    const first = readFileSync(join(sent, names[0]!), 'utf8');
    assert.match(first, new RegExp(`^GET ${service.origin}/v1/4 HTTP/1\\.1\\r\\n`));
    const last = readFileSync(join(sent, names.at(-1)!), 'utf8');
    assert.match(last, /\r\nContent-Length: 1048577\r\n[^]*\r\n\r\n$/);
  });
});
