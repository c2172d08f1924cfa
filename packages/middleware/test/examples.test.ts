import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createSigner } from '@countersign/signature/node';
import { freePort } from '@countersign/testing/free-port';
import { runService } from '@countersign/testing/running-service';
import { waitUntilUp } from '@countersign/testing/wait-until';
import { keyPair } from './scene.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'public.pem'), keyPair.publicKey);

/** Starts an example in the folder, as a reader would, and waits until it responds. */
async function startExample(
  name: string,
  port: number,
  environment: NodeJS.ProcessEnv = {},
): Promise<ChildProcess> {
  const file = fileURLToPath(new URL(`../../../examples/middleware/${name}.mjs`, import.meta.url));
  const child = spawn(process.execPath, [file], {
    cwd: folder,
    env: { ...process.env, PORT: String(port), ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  try {
    await waitUntilUp({ name, child, output: () => errors }, () =>
      fetch(`http://127.0.0.1:${port}/health`).then(
        () => true,
        () => false,
      ),
    );
    return child;
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

describe('the examples of examples/middleware', () => {
  for (const name of ['express', 'fastify', 'hono', 'koa', 'node-http']) {
    test(`${name}.mjs answers health to everybody, and orders to its client alone`, async (t) => {
      const port = await freePort();
      const child = await startExample(name, port);
      t.after(() => stop(child));
      const url = `http://127.0.0.1:${port}/orders`;
      const signer = createSigner({
        keyid: 'shop',
        privateKey: keyPair.privateKey,
        nowMs: () => Date.now() + 1000,
      });
      const { headers, body } = signer.sign({ method: 'POST', url, body: '{"amount":1250}' });
      const send = (sent: object): Promise<Response> =>
        fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json', ...sent }, body: body });
      assert.equal((await fetch(`http://127.0.0.1:${port}/health`)).status, 200);
      assert.equal((await send({})).status, 401);
      const answer = await send({ ...headers });
      assert.deepEqual([answer.status, await answer.json()], [201, { clientId: 'shop', amount: 1250 }]);
      const again = await send({ ...headers });
      assert.match(await again.text(), /signature_replayed/);
    });
  }

  test('follow-registry.mjs answers the clients of a service, and stops cleanly', async (t) => {
    const [servicePort, port] = [await freePort(), await freePort()];
    const serviceUrl = `http://127.0.0.1:${servicePort}`;
    const running = await runService({
      COUNTERSIGN_PORT: String(servicePort),
      COUNTERSIGN_PUBLIC_BASE_URLS: serviceUrl,
    });
    t.after(() => running.close());
    const { clientId } = await running.addClient({ roles: ['auditor'], keyPair });
    writeFileSync(join(folder, 'auditor.pem'), keyPair.privateKey);
    const child = await startExample('follow-registry', port, {
      COUNTERSIGN_URL: serviceUrl,
      AUDITOR_CLIENT_ID: clientId,
    });
    t.after(() => stop(child));
    const signer = createSigner({ keyid: clientId, privateKey: keyPair.privateKey });
    const { url, headers } = signer.sign({ method: 'GET', url: `http://127.0.0.1:${port}/anything` });
    const answer = await fetch(url, { headers: { ...headers } });
    assert.deepEqual([answer.status, await answer.json()], [200, { clientId, roles: ['auditor'] }]);
    await stop(child);
    assert.equal(child.exitCode, 0);
  });
});
