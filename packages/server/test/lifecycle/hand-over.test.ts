import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { acceptsConnections } from '@countersign/testing/accepts-connections';
import { openConnection } from '@countersign/testing/raw-connection';
import { baseUrl, runService, type RunningService } from '@countersign/testing/running-service';

/* How a node leaves its balancer: requests on open connections are served to the last. */

let running: RunningService;
before(async () => {
  running = await runService();
});
after(() => running.close());

test('while it hands over, a node serves what comes on open connections, closes each, and takes no new ones', async () => {
  const { signer } = await running.addClient();
  const { host } = new URL(baseUrl);
  const first = await openConnection(running.port);
  const second = await openConnection(running.port);
  for (const connection of [first, second]) {
    connection.write(`GET /live HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    assert.equal((await connection.answer()).headers['connection'], 'keep-alive');
  }

  await running.service.leave(0, new AbortController().signal);
  assert.equal(await acceptsConnections(running.port), false);

  const { headers } = signer.sign({ method: 'GET', url: `${baseUrl}/v1/whoami` });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  first.write(`GET /v1/whoami HTTP/1.1\r\nHost: ${host}\r\n${lines.join('')}\r\n`);
  const served = await first.answer();
  assert.equal(served.status, 200);
  assert.equal(served.headers['connection'], 'close');
  await first.ended();

  second.write('GET /ready HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  const ready = await second.answer();
  assert.deepEqual([ready.status, ready.json()['reason']], [503, 'the service is stopping']);
  assert.equal(ready.headers['connection'], 'close');
  await second.ended();
});

test('open connections are served for as long as a balancer needs to end its idle ones', async () => {
  const other = await runService();
  const connection = await openConnection(other.port);
  const wait = new AbortController();
  let isLeft = false;
  const left = other.service.leave(0, wait.signal).then(() => (isLeft = true));
  // In pieces, as the service counts: a machine that stands still takes nothing from the time.
  for (let piece = 0; piece < 20; piece += 1) await sleep(100);
  assert.equal(isLeft, false);
  assert.equal(await acceptsConnections(other.port), false);
  connection.write('GET /live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  assert.equal((await connection.answer()).status, 200);
  await connection.ended();
  wait.abort();
  await left;
  await other.close();
});

test('a request that has arrived unread when a stop closes idle connections is answered', async () => {
  const other = await runService();
  const connection = await openConnection(other.port);
  connection.write('GET /live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  await connection.answer();
  // The process reads nothing between these two.
  connection.write('GET /ready HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  const closing = other.close();
  assert.equal((await connection.answer()).status, 503);
  await closing;
});

test('a hand-over whose wait is ended leaves everything to the stop', async () => {
  const other = await runService();
  const wait = new AbortController();
  const left = other.service.leave(600_000, wait.signal);
  const ready = await other.send({ method: 'GET', url: '/ready' });
  assert.equal(ready.status, 503);
  const page = await other.send({ method: 'GET', url: '/docs/errors' });
  assert.equal(page.status, 200);
  wait.abort();
  await left;
  await other.close();
});
