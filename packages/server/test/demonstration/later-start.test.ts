import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '@countersign/testing/free-port';
import { ServiceProcess } from '@countersign/testing/service-process';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { waitUntil } from '@countersign/testing/wait-until';

const commandLine = fileURLToPath(new URL('../../../cli/bin/countersign.js', import.meta.url));
const openapi = `openapi: 3.0.0
info: { title: Shop, version: '1' }
paths:
  /orders:
    get: { operationId: listOrders, responses: { '200': { description: OK } } }
`;

test('the commands that are shown call the port of this start, and list its routes', async (t) => {
  const dataFolder = temporaryFolder(t);
  const folder = temporaryFolder(t);
  const document = join(folder, "shop's api.yaml");
  writeFileSync(document, openapi);
  const credentials = (): { readonly baseUrl: string } =>
    JSON.parse(readFileSync(join(dataFolder, 'demo', 'credentials.json'), 'utf8')) as { baseUrl: string };
  const start = async (settings: Readonly<Record<string, string>>): Promise<[ServiceProcess, number]> => {
    const port = await freePort();
    const service = new ServiceProcess(dataFolder, {
      COUNTERSIGN_DEMONSTRATION: 'yes',
      COUNTERSIGN_PUBLIC_BASE_URLS: undefined,
      COUNTERSIGN_PORT: String(port),
      ...settings,
    });
    t.after(() => service.end());
    await waitUntil(
      () => service.output.includes('Ctrl-C stops it.'),
      () => service.output,
    );
    return [service, port];
  };
  const [first, firstPort] = await start({});
  assert.equal(credentials().baseUrl, `http://127.0.0.1:${firstPort}`);
  await first.end('SIGTERM');
  const [second, secondPort] = await start({
    COUNTERSIGN_UPSTREAM: 'http://127.0.0.1:9',
    COUNTERSIGN_OPENAPI: document,
    COUNTERSIGN_API_PORT: String(await freePort()),
  });
  assert.equal(credentials().baseUrl, `http://127.0.0.1:${secondPort}`);
  const command = /countersign (routes list .*)/.exec(second.output)?.[1] ?? assert.fail(second.output);
  await second.end('SIGTERM');
  const shell = spawn('sh', ['-c', `"${process.execPath}" "${commandLine}" ${command}`], {
    cwd: folder,
    env: { PATH: process.env['PATH'], NO_COLOR: '1' },
  });
  let printed = '';
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const [code] = (await once(shell, 'close')) as [number | null];
  assert.equal(code, 0, printed);
  assert.match(printed, /GET .*\/orders/);
});

test('what is shown of an API is a route that it has, or nothing', async (t) => {
  const shown = async (routes: readonly object[]): Promise<string> => {
    const service = new ServiceProcess(temporaryFolder(t), {
      COUNTERSIGN_DEMONSTRATION: 'yes',
      COUNTERSIGN_PUBLIC_BASE_URLS: undefined,
      COUNTERSIGN_UPSTREAM: 'http://127.0.0.1:9',
      COUNTERSIGN_API_PORT: '0',
      COUNTERSIGN_PROFILES: 'curl-8.22',
      COUNTERSIGN_ROUTES: JSON.stringify(routes),
    });
    await waitUntil(
      () => service.output.includes('Ctrl-C stops it.'),
      () => service.output,
    );
    // The demo data, which is being written, is not waited for.
    await service.end();
    return service.output;
  };
  const permission = 'none';
  const some = await shown([
    { path: '/orders/{id}', permission },
    { path: '/pages/**', permission, mode: 'identify' },
    { path: '/scripts', permission, profiles: ['curl-8.22'] },
    { path: '/payments', permission, methods: ['POST'] },
    { path: '/orders/**', permission },
  ]);
  assert.match(some, /502 {2}a signed GET \/orders /);
  assert.match(some, /request GET \S+\/orders -v/);
  const none = await shown([{ path: '/orders/{id}', permission }]);
  assert.match(none, /Nothing is sent to your API: none of its routes can be read without an ID/);
  assert.doesNotMatch(none, /a signed GET/);
  assert.match(none, /request GET \/v1\/whoami\n/);
});
