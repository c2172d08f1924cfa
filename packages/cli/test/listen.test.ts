import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { freePort } from '@countersign/testing/free-port';
import { closeServer, listenOn } from '@countersign/testing/listen-on';
import { openProtectedApi } from '@countersign/testing/protected-api';
import { publishedKeyPair } from '@countersign/testing/running-service';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { waitUntil } from '@countersign/testing/wait-until';
import { exits } from '../src/exits.ts';
import { type Ended, run } from './run.ts';

interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

interface Scene {
  readonly folder: string;
  readonly receiver: string;
  readonly received: readonly Received[];
  /** The status of the next answers. */
  answer: number;
  /** Calls an operation as the same client. */
  readonly api: (...argv: string[]) => Promise<Ended>;
  /** Runs the command until `stop` resolves. */
  readonly listen: (stop: Promise<void>, ...argv: string[]) => Promise<Ended>;
}

async function openScene(t: TestContext, roles: readonly string[] = ['administrator']): Promise<Scene> {
  const port = await freePort();
  const consoleUrl = `http://127.0.0.1:${port}`;
  const service = await openProtectedApi(t, {
    environment: { COUNTERSIGN_PORT: String(port), COUNTERSIGN_PUBLIC_BASE_URLS: consoleUrl },
  });
  const folder = temporaryFolder(t);
  const keyPair = publishedKeyPair('rsa-2048-b');
  const { clientId } = await service.running.addClient({ roles: [...roles], keyPair });
  writeFileSync(join(folder, 'admin.pem'), keyPair.privateKey, { mode: 0o600 });
  const credentials = { clientId, privateKeyFile: 'admin.pem', baseUrl: consoleUrl };
  writeFileSync(join(folder, 'admin.json'), JSON.stringify(credentials));
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      response.writeHead(scene.answer).end();
    });
  });
  const origin = await listenOn(server);
  t.after(() => closeServer(server));
  const by = ['--credentials', 'admin.json'];
  const scene: Scene = {
    folder,
    receiver: `${origin}/hooks`,
    received,
    answer: 204,
    api: (...argv) => run(['api', ...argv, ...by], { folder }),
    listen: (stop, ...argv) =>
      run(['listen', '--forward-to', scene.receiver, ...by, ...argv], { folder, stop }),
  };
  return scene;
}

/** Adds roles until an event of it has arrived: the command may not listen yet. */
async function untilReceived(scene: Scene, count: number): Promise<void> {
  for (let role = 0; scene.received.length < count && role < 50; role += 1) {
    const name = `role-${count}-${role}`;
    const { code, errors } = await scene.api('addRole', `name=${name}`, 'permissions:=["payments:read"]');
    assert.equal(code, 0, errors);
    if (role > 0) await waitUntil(() => scene.received.length >= count, 'an event').catch(() => undefined);
  }
}

describe('countersign listen', () => {
  test('forwards events to a local program, signed with its secret, and ends cleanly', async (t) => {
    const scene = await openScene(t);
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    writeFileSync(join(scene.folder, 'hook.secret'), `${secret}\n`);
    const stop = Promise.withResolvers<void>();
    const listening = scene.listen(stop.promise, '--secret-file', 'hook.secret', '--events', 'role.added');
    await untilReceived(scene, 1);
    const [event] = scene.received;
    assert.ok(event);
    const { headers, body } = event;
    const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
    const key = Buffer.from(secret.slice(6), 'base64');
    const signature = createHmac('sha256', key).update(signed).digest('base64');
    assert.equal(headers['webhook-signature'], `v1,${signature}`);
    const { id, type } = JSON.parse(body) as { id: string; type: string };
    assert.deepEqual([type, id], ['role.added', headers['webhook-id']]);
    stop.resolve();
    const ended = await listening;
    assert.equal(ended.code, exits.ok.code, ended.errors);
    assert.match(ended.errors, new RegExp(`Secret: ${secret.replaceAll('+', '\\+')}`));
    assert.match(ended.out, new RegExp(`^role\\.added {2}${id} {2}204 {2}\\d+ ms$`, 'm'));
    const ids = scene.received.map((one) => one.headers['webhook-id']);
    assert.equal(new Set(ids).size, ids.length);
  });

  test('an event that the program rejects is one line too, and is not sent again', async (t) => {
    const scene = await openScene(t);
    scene.answer = 500;
    const stop = Promise.withResolvers<void>();
    const listening = scene.listen(stop.promise, '--json', '--print-body', '--events', 'role.added');
    await untilReceived(scene, 1);
    stop.resolve();
    const lines = (await listening).out.trim().split('\n');
    const shown = lines.map(
      (line) => JSON.parse(line) as { id: string; status: number; body: { id: string } },
    );
    assert.ok(shown.every(({ id, status, body }) => status === 500 && body.id === id));
    const ids = scene.received.map((one) => one.headers['webhook-id']);
    assert.equal(new Set(ids).size, ids.length);
  });

  test('who may not read the events is rejected, and what is no URL or secret too', async (t) => {
    const scene = await openScene(t, ['payments-reader']);
    const never = new Promise<void>(() => undefined);
    const refused = await scene.listen(never);
    assert.equal(refused.code, exits.refused.code);
    assert.match(refused.errors, /permission_denied/);
    assert.doesNotMatch(refused.errors, /Forwarding|whsec_/);
    const { folder } = scene;
    for (const [argv, reason] of [
      [[], /--forward-to URL/],
      [['--forward-to', 'localhost:3000'], /http or https URL/],
    ] as const) {
      const ended = await run(['listen', ...argv], { folder });
      assert.deepEqual([ended.code, reason.test(ended.errors)], [exits.usage.code, true], ended.errors);
    }
    const environment = { COUNTERSIGN_LISTEN_SECRET: 'short' };
    const ended = await run(['listen', '--forward-to', scene.receiver], { folder, environment });
    assert.match(ended.errors, /whsec_ and Base64/);
  });
});
