import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { baseUrl } from '@countersign/testing/running-service';
import { sqlite } from '@countersign/testing/sqlite-backend';
import { waitForResult, waitUntil } from '@countersign/testing/wait-until';
import { headersOf, type Person } from '../management/persons.ts';
import { managementScene, type ManagementScene } from '../management/scene.ts';

/** An open stream, as a browser has it. */
interface OpenStream {
  readonly response: IncomingMessage;
  readonly request: ClientRequest;
  text: string;
  isEnded: boolean;
}

async function listen(scene: ManagementScene, person: Person, method = 'GET'): Promise<OpenStream> {
  const { 'Countersign-Account': _account, ...headers } = headersOf(person, 'GET');
  const outgoing = request({
    host: '127.0.0.1',
    port: scene.running.port,
    method,
    path: `/v1/events?account=${person.accountId}`,
    agent: false,
    setHost: false,
    headers: { Host: new URL(baseUrl).host, Accept: 'text/event-stream', ...headers },
  });
  outgoing.on('error', () => undefined);
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const stream: OpenStream = { response, request: outgoing, text: '', isEnded: false };
  response.on('data', (chunk: Buffer) => {
    stream.text += chunk.toString();
  });
  response.on('error', () => undefined);
  response.on('close', () => {
    stream.isEnded = true;
  });
  return stream;
}

async function ends(stream: OpenStream): Promise<void> {
  await waitUntil(
    () => stream.isEnded,
    () => stream.text,
  );
}

/** A stream asks every 5 s whether it may go on, and says something every 15 s: at the beginning, and not again. */
async function endsSoon(stream: OpenStream): Promise<void> {
  await ends(stream);
  assert.equal(stream.text.match(/event: ping/g)?.length, 1, stream.text);
}

async function sceneOf(
  t: TestContext,
  settings: Readonly<Record<string, string>> = {},
): Promise<{ scene: ManagementScene; person: Person }> {
  const scene = await managementScene(sqlite, { settings });
  t.after(() => scene.close());
  return { scene, person: await scene.addPerson({ role: 'viewer' }) };
}

// Each has a service of its own, and mostly waits for its clock.
describe('the stream of events over HTTP', { concurrency: true }, () => {
  it('tells who may see the account of its requests and changes', async (t) => {
    const { scene, person } = await sceneOf(t);
    const stream = await listen(scene, person);
    assert.equal(stream.response.statusCode, 200);
    assert.equal(stream.response.headers['content-type'], 'text/event-stream');
    assert.equal(stream.response.headers['cache-control'], 'no-store');
    assert.equal(stream.response.headers['x-accel-buffering'], 'no');
    assert.equal(stream.response.headers['content-encoding'], undefined);
    await waitUntil(
      () => stream.text.includes('event: ping'),
      () => stream.text,
    );
    // Events before the end of the first look are not reported.
    await waitUntil(
      async () => {
        await scene.addCaller([]);
        await sleep(100);
        return /event: change\n.*client\.added/.test(stream.text);
      },
      () => stream.text,
    );
    await waitUntil(
      () => /event: request\n.*\/v1\/clients/.test(stream.text),
      () => stream.text,
    );
    stream.request.destroy();
  });

  it('answers HEAD with the head alone', async (t) => {
    const { scene, person } = await sceneOf(t);
    const { response, ...stream } = await listen(scene, person, 'HEAD');
    assert.equal(response.headers['content-type'], 'text/event-stream');
    if (!response.complete) await once(response, 'end');
    assert.equal(stream.text, '');
  });

  it('ends soon after the person has left the account', async (t) => {
    const { scene, person } = await sceneOf(t);
    const stream = await listen(scene, person);
    const database = await scene.database();
    await database.deleteFrom('members').where('user_id', '=', person.userId).execute();
    await endsSoon(stream);
  });

  it('ends soon after the account no longer allows the address', async (t) => {
    const { scene, person } = await sceneOf(t, { COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.1' });
    const stream = await listen(scene, person);
    const owner = await scene.addPerson({ role: 'owner' });
    await scene.succeed(owner, 'updateSecurityPolicy', {
      headers: { 'If-Match': '*', 'X-Forwarded-For': '203.0.113.7' },
      body: { portalNetworks: [{ entry: '203.0.113.0/24' }] },
    });
    await endsSoon(stream);
    const again = await listen(scene, person);
    assert.equal(again.response.statusCode, 403);
    again.request.destroy();
  });

  it('ends soon after a role of the account no longer lets its holders see it', async (t) => {
    const { scene } = await sceneOf(t);
    const owner = await scene.addPerson({ role: 'owner' });
    const { roleId } = await scene.succeed<{ roleId: string }>(owner, 'addRole', {
      body: { name: 'support', holders: 'members', permissions: ['audit:read', 'requests:read'] },
    });
    const holder = await scene.addPerson({ role: roleId });
    const stream = await listen(scene, holder);
    assert.equal(stream.response.statusCode, 200);
    await scene.succeed(owner, 'updateRole', {
      path: { roleId },
      headers: { 'If-Match': '*' },
      body: { permissions: ['roles:read'] },
    });
    await endsSoon(stream);
    const again = await listen(scene, holder);
    assert.equal(again.response.statusCode, 403);
    again.request.destroy();
  });

  it('ends soon after the session', async (t) => {
    const { scene, person } = await sceneOf(t);
    const stream = await listen(scene, person);
    const database = await scene.database();
    await database.deleteFrom('person_sessions').where('session_id', '=', person.sessionId).execute();
    await endsSoon(stream);
  });

  it('does not keep the service from stopping', async (t) => {
    const { scene, person } = await sceneOf(t, { COUNTERSIGN_STOP_SECONDS_MAX: '120' });
    const stream = await listen(scene, person);
    await waitForResult(scene.running.service.stop(), 'the service waits for somebody who listens');
    await ends(stream);
  });

  it('leaves nothing behind when the other side goes', async (t) => {
    const { scene, person } = await sceneOf(t);
    for (let round = 0; round < 25; round += 1) {
      // A person has no more than ten at a time: those that are gone do not count.
      await waitUntil(async () => {
        const { response, request: asked } = await listen(scene, person);
        asked.destroy();
        return response.statusCode === 200;
      }, `stream ${round}`);
    }
  });
});
