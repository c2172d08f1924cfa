import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { openConnection, requestText } from '@countersign/testing/raw-connection';
import { waitForResult, waitUntil } from '@countersign/testing/wait-until';
import { type BodyReading, readBody } from '../../src/http/body.ts';
import { attach, createListener } from '../../src/http/listener.ts';

/** The number of chunks after which the others of a turn are joined, and these with what waited before it. */
const eventsMax = 256 + 2;

const arrivals: Readonly<Record<string, (request: IncomingMessage) => Promise<unknown>>> = {
  'as it arrives': async () => undefined,
  'after it has waited': (request) =>
    waitUntil(() => request.readableLength >= request.readableHighWaterMark, 'as much as may wait'),
};
for (const [when, arrival] of Object.entries(arrivals)) {
  test(`a body in chunks of one byte, read ${when}, is read on in the next turn of the event loop, again and again`, async (t) => {
    const bytes = 131_072;
    let received: (reading: BodyReading) => void;
    const reading = new Promise<BodyReading>((resolve) => (received = resolve));
    let waiting = 0;
    let push: unknown;
    let chunks = 0;
    let mostInTurn = 0;
    const server = createListener();
    attach(server, {
      onRequest: (request) => {
        void arrival(request).then(() => {
          waiting = request.readableLength;
          let before = 0;
          let immediate = setImmediate(function look() {
            mostInTurn = Math.max(mostInTurn, chunks - before);
            before = chunks;
            immediate = setImmediate(look);
          });
          const read = readBody(request, bytes).finally(() => {
            clearImmediate(immediate);
            push = Reflect.get(request, 'push');
          });
          request.on('data', () => (chunks += 1));
          return read.then(received);
        });
      },
      problemTypeBase: 'https://api.example.test/docs/errors',
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const connection = await openConnection((server.address() as AddressInfo).port);
    t.after(() => {
      connection.cut();
      server.close();
    });
    const head = requestText('POST', '/', { Host: 'api.example.test', 'Transfer-Encoding': 'chunked' });
    connection.write(`${head}${'1\r\nx\r\n'.repeat(bytes)}0\r\n\r\n`);
    const { outcome, ...rest } = await waitForResult(reading, 'the body');
    assert.equal(outcome, 'complete');
    assert.deepEqual(rest, { body: Buffer.alloc(bytes, 'x') });
    assert.ok(chunks < bytes / 4 + waiting, `${chunks} events, of which ${waiting} waited`);
    assert.ok(mostInTurn <= eventsMax, `${mostInTurn} events in one turn`);
    // Otherwise each of many holds would make the next chunks dearer.
    assert.equal(push, Reflect.get(Readable.prototype, 'push'));
  });
}

test('a body whose caller was gone before it is read is aborted, not waited for', async () => {
  let received: (reading: BodyReading) => void;
  const reading = new Promise<BodyReading>((resolve) => (received = resolve));
  const started = Promise.withResolvers<void>();
  const server = createListener();
  attach(server, {
    onRequest: (request) => {
      started.resolve();
      request.on('close', () => void readBody(request, 1000).then(received));
    },
    problemTypeBase: 'https://api.example.test/docs/errors',
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connection = await openConnection((server.address() as AddressInfo).port);
  connection.write(requestText('POST', '/', { Host: 'api.example.test', 'Content-Length': '5' }, 'he'));
  await started.promise;
  connection.cut();
  assert.deepEqual(await reading, { outcome: 'aborted' });
  server.close();
});
