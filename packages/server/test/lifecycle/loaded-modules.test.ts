import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { listLoadedModules } from '@countersign/testing/loaded-modules';
import { ServiceProcess } from '@countersign/testing/service-process';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { waitUntil } from '@countersign/testing/wait-until';
import { runProgram } from '../configuration/run-program.ts';

/** What a service on SQLite without an upstream, metrics and mail has no use for. */
const unused = [
  '@bufbuild/protobuf',
  '@connectrpc/connect',
  '@redis/client',
  '@simplewebauthn/server',
  'nodemailer',
  'openid-client',
  'pg',
  'prom-client',
  'undici',
  'yaml',
];

const repository = new URL('../../../../', import.meta.url).href;

/** Returns the names of the running threads of a process. */
function threadsOf(processId: number): readonly string[] {
  const tasks = `/proc/${processId}/task`;
  return readdirSync(tasks).map((task) => readFileSync(join(tasks, task, 'comm'), 'utf8').trimEnd());
}

describe('the service loads', () => {
  it('next to nothing for its version', async (t) => {
    const { environment, list } = listLoadedModules(temporaryFolder(t));
    const { exitCode, output } = await runProgram(['--version'], environment);
    assert.equal(exitCode, 0);
    assert.match(output, /^\d+\.\d+\.\d+\n$/);
    assert.deepEqual(
      list()
        .filter((url) => !url.startsWith('node:'))
        .map((url) => url.replace(`${repository}packages/server/src/`, '')),
      ['main.ts', 'lifecycle/process-signals.ts', 'lifecycle/version.ts'],
    );
  });

  it('nothing for parts that it does not have', async (t) => {
    const folder = temporaryFolder(t);
    const { environment, list } = listLoadedModules(folder);
    const service = new ServiceProcess(join(folder, 'data'), environment);
    t.after(() => service.end());
    await service.listening();
    const modules = list();
    assert.ok(modules.some((url) => url.includes('/node_modules/kysely/')));
    assert.deepEqual(
      unused.filter((name) => modules.some((url) => url.includes(`/node_modules/${name}/`))),
      [],
    );
    const explainer = modules.filter((url) => url.startsWith(`${repository}packages/explain/`));
    assert.deepEqual(
      explainer.filter((url) => !url.startsWith(`${repository}packages/explain/src/findings/`)),
      [],
    );
    // Its exports have the classes of web sockets, which an import loads with it, and with them all of Node's fetch.
    assert.ok(modules.includes('node:http (required)'));
    assert.equal(modules.includes('node:http'), false);
  });
});

describe(
  'the thread of the reports',
  { skip: process.platform !== 'linux' && 'only Linux lists threads' },
  () => {
    it('starts when the portal is opened', async (t) => {
      const ownBaseUrl = { COUNTERSIGN_PUBLIC_BASE_URLS: undefined };
      const service = new ServiceProcess(join(temporaryFolder(t), 'data'), ownBaseUrl);
      t.after(() => service.end());
      const address = await service.listening();
      assert.equal(threadsOf(service.processId).includes('reports'), false);
      const { status } = await fetch(`${address}/portal/`);
      assert.notEqual(status, 404);
      await waitUntil(
        () => threadsOf(service.processId).includes('reports'),
        () => threadsOf(service.processId).join(', '),
      );
    });
  },
);
