import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type InstalledPackages, installPackages, root } from './installed-packages.ts';
import { freePort } from '../../packages/server/test/free-port.ts';

const program = 'node_modules/countersign-server/bin/countersign-server.js';
const command = 'node_modules/countersign/bin/countersign.js';

let packages: InstalledPackages;
const installed = (...path: string[]): string => join(packages.project, 'node_modules', ...path);

describe('the package of the service', () => {
  before(async () => {
    packages = await installPackages([
      'packages/signature',
      'packages/explain',
      'packages/cli',
      'packages/server',
    ]);
  });
  after(() => packages?.remove());

  it('holds what is built, and names no place of the machine that built it', () => {
    const files = globSync('**/*.*', { cwd: installed('countersign-server') });
    assert.ok(files.includes('bin/countersign-server.js') && files.includes('dist/contract/index.js'));
    for (const file of files) {
      assert.match(file, /^(package\.json|README\.md|bin\/.+\.js|dist\/.+(\.d\.ts|\.js)|portal\/[^.].+)$/);
      assert.equal(readFileSync(installed('countersign-server', file), 'utf8').includes(root), false, file);
    }
  });

  it('depends on exact versions of what can be installed, and on no private package', () => {
    const { dependencies, engines } = JSON.parse(
      readFileSync(installed('countersign-server', 'package.json'), 'utf8'),
    ) as { dependencies: Record<string, string>; engines: unknown };
    assert.deepEqual(engines, { node: '>=24' });
    for (const [name, version] of Object.entries(dependencies)) {
      assert.match(version, /^\d+\.\d+\.\d+$/, name);
      assert.ok(existsSync(installed(name, 'package.json')), name);
    }
    assert.equal(existsSync(installed('@countersign', 'contract')), false);
    assert.equal(existsSync(installed('@countersign', 'server')), false);
  });

  it('explains itself, by its own name', async () => {
    const help = await packages.run(process.execPath, [program, '--help']);
    assert.equal(help.code, 0, help.errors);
    assert.match(help.out, /^ {2}countersign-server --help /m);
    assert.doesNotMatch(help.out, /^ {2}npm /m);
    const unknown = await packages.run(process.execPath, [program, '--port']);
    assert.deepEqual([unknown.code, /see: countersign-server --help/.test(unknown.errors)], [2, true]);
  });

  it('serves: a client that was added beside it is answered, a stranger refused', async () => {
    const port = await freePort();
    const call = (...argv: string[]): ReturnType<InstalledPackages['run']> =>
      packages.run(process.execPath, [command, ...argv]);
    const keys = await call('keygen', '--bits', '2048', '--out', 'shop.pem', '--public-out', 'shop.pub.pem');
    assert.equal(keys.code, 0, keys.errors);
    const service = await startProgram(port);
    try {
      const url = `http://127.0.0.1:${port}/v1/whoami`;
      await assertServesPortal(`http://127.0.0.1:${port}`);
      assert.equal((await fetch(url)).status, 401);
      const key = ['--key', 'shop.pub.pem', '--network', '127.0.0.1', '--role', 'auditor'];
      const added = await call('clients', 'add', '--name', 'Shop', ...key, '--json');
      assert.equal(added.code, 0, added.errors + added.out);
      const clientId = /"clientId": ?"([^"]+)"/.exec(added.out)?.[1] ?? assert.fail(added.out);
      // The service follows the change within a second.
      const answer = await untilAccepted(() =>
        call('request', 'GET', url, '--client-id', clientId, '--key', 'shop.pem'),
      );
      assert.match(answer, new RegExp(clientId));
      // By a thread of its own, whose file the package has too.
      const pasted = JSON.stringify({ method: 'GET', targetUri: 'https://api.example.test/', headers: [] });
      const asked = ['--client-id', clientId, '--key', 'shop.pem', '-d', pasted];
      const explained = await call('request', 'POST', url.replace('whoami', 'explanations'), ...asked);
      assert.match(explained.out, /"verdict": ?"refused"/, explained.errors);
    } finally {
      service.kill('SIGTERM');
      const [code] = (await once(service, 'exit')) as [number | null];
      assert.equal(code, 0);
    }
  });
});

/** Loads the portal's page and every file that it loads at start. */
async function assertServesPortal(baseUrl: string): Promise<void> {
  const page = await fetch(`${baseUrl}/portal/`);
  assert.equal(page.status, 200);
  const paths = [...(await page.text()).matchAll(/(?:src|href)="(\/portal\/[^"]+)"/g)].map(
    (match) => match[1] ?? '',
  );
  assert.ok(paths.length > 1);
  for (const path of paths) assert.equal((await fetch(`${baseUrl}${path}`)).status, 200, path);
}

/** Starts the installed program and waits until it answers. */
async function startProgram(port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program], {
    cwd: packages.project,
    env: {
      PATH: process.env['PATH'],
      COUNTERSIGN_PORT: String(port),
      COUNTERSIGN_DATA_FOLDER: './data',
      COUNTERSIGN_LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += String(chunk);
  });
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const live = await fetch(`http://127.0.0.1:${port}/live`).catch(() => undefined);
    if (live?.status === 200) return child;
    if (child.exitCode !== null) break;
    await pause();
  }
  child.kill('SIGKILL');
  assert.fail(`the service does not answer: ${errors}`);
}

async function untilAccepted(send: () => ReturnType<InstalledPackages['run']>): Promise<string> {
  let last = '';
  for (let attempt = 0; attempt < 30; attempt += 1) {
    const { code, out, errors } = await send();
    if (code === 0) return out;
    last = out + errors;
    await pause();
  }
  return assert.fail(last);
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
