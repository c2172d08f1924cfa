import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { type BodyReading, readBody } from '../../../gate/src/http/body.ts';
import { attach, createListener } from '../../../gate/src/http/listener.ts';
import { openConnection, requestText } from './raw-connection.ts';

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
