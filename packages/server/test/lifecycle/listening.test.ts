import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { freePort } from '@countersign/testing/free-port';
import { waitUntil } from '@countersign/testing/wait-until';
import { Listening } from '../../src/lifecycle/listening.ts';

const isLinux = process.platform === 'linux' ? false : 'only Linux divides connections among sockets';
const fail = (error: Error): void => {
  throw error;
};

/** Opens connections in a thread, while this one's event loop stands still, and returns once the system holds them all. */
function knock(port: number, count: number): Worker {
  const done = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(
    `const { connect } = require('node:net');
     const { done, port, count } = require('node:worker_threads').workerData;
     let open = 0;
     for (let number = 0; number < count; number++)
       connect(port, '127.0.0.1', () => {
         if (++open === count) Atomics.store(done, 0, 1), Atomics.notify(done, 0);
       }).on('error', () => undefined);`,
    { eval: true, workerData: { done, port, count } },
  );
  assert.notEqual(Atomics.wait(done, 0, 0, 60_000), 'timed-out');
  return worker;
}

/** Says why a connection is refused. */
async function refusal(port: number): Promise<string | undefined> {
  const [error] = (await once(connect(port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException];
  return error.code;
}

describe('a server that listens', () => {
  test('accepts many connections in one turn of the event loop', { skip: isLinux }, async (t) => {
    const server = createServer();
    const listening = await Listening.open(server, { host: '127.0.0.1', port: 0, onError: fail });
    let accepted = 0;
    server.on('connection', () => (accepted += 1));
    const worker = knock(listening.port, 60);
    t.after(async () => {
      await worker.terminate();
      await listening.end(0);
    });
    // The first may come before the system is asked.
    await nextTurn();
    await nextTurn();
    assert.ok(accepted > 6, `${accepted} in two turns`);
    await waitUntil(() => accepted === 60, 'all are accepted');
  });

  test('answers on whichever socket a connection came', async (t) => {
    const server = createServer((request, response) => response.end(request.url));
    const listening = await Listening.open(server, { host: '127.0.0.1', port: 0, onError: fail });
    t.after(() => listening.end(0));
    const texts = await Promise.all(
      Array.from({ length: 40 }, async (_, number) => {
        const options = { headers: { Connection: 'close' } };
        return (await fetch(`http://127.0.0.1:${listening.port}/${number}`, options)).text();
      }),
    );
    assert.deepEqual(
      texts,
      texts.map((__, number) => `/${number}`),
    );
  });

  test('says that somebody else listens there', async (t) => {
    const port = await freePort();
    const [first, second] = [createServer(), createServer()];
    const listening = await Listening.open(first, { host: '127.0.0.1', port, onError: fail });
    t.after(() => listening.end(0));
    const attempt = Listening.open(second, { host: '127.0.0.1', port, onError: fail });
    await assert.rejects(attempt, { code: 'EADDRINUSE' });
  });

  test('before it takes no more, takes every connection that the system holds already', async (t) => {
    const server = createServer();
    const listening = await Listening.open(server, { host: '127.0.0.1', port: 0, onError: fail });
    let accepted = 0;
    server.on('connection', () => (accepted += 1));
    // Several for each socket, as after a moment in which the process stood still.
    const worker = knock(listening.port, 200);
    t.after(() => worker.terminate());
    await listening.refuse();
    assert.equal(accepted, 200);
    assert.equal(await refusal(listening.port), 'ECONNREFUSED');
    await listening.end(0);
  });

  test('takes no connection after it was closed, and waits for open ones', async () => {
    const server = createServer();
    const listening = await Listening.open(server, { host: '127.0.0.1', port: 0, onError: fail });
    const open = Array.from({ length: 20 }, () => connect(listening.port, '127.0.0.1'));
    let accepted = 0;
    server.on('connection', () => (accepted += 1));
    await Promise.all(open.map((socket) => once(socket, 'connect')));
    await waitUntil(() => accepted === 20, 'all are accepted');
    let isEnded = false;
    await listening.refuse();
    const ended = listening.end(60_000).then(() => (isEnded = true));
    assert.equal(await refusal(listening.port), 'ECONNREFUSED');
    assert.equal(isEnded, false);
    server.closeAllConnections();
    await ended;
    for (const socket of open) socket.destroy();
  });
});
