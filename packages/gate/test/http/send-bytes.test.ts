import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { sendBytes } from '../../src/http/send-bytes.ts';

describe('the bytes of a response', () => {
  const long = randomBytes(3_000_001);
  let body: Uint8Array = long;
  let response: ServerResponse;
  const server = createServer((_request, given) => {
    response = given;
    response.writeHead(200, { 'Content-Length': String(body.length) });
    sendBytes(response, body);
  });
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

  test('stop when the caller goes away in the middle', async () => {
    body = long;
    const incoming = await request('GET');
    incoming.destroy();
    await once(response, 'close');
    assert.equal(response.writableFinished, false);
  });

  for (const length of [0, 1, 65_535, 65_536, 65_537, 131_072, 3_000_001]) {
    test(`arrive as they are: ${length} of them`, async () => {
      body = long.subarray(0, length);
      const received = Buffer.concat(await Array.fromAsync(await request('GET')));
      assert.ok(received.equals(body));
    });
  }

  test('are not written ahead of a caller that does not read', async () => {
    body = Buffer.alloc(64 * 1024 * 1024);
    const incoming = await request('GET');
    // A second response proves that the service has continued meanwhile.
    const unread = response;
    body = long;
    await Array.fromAsync(await request('GET'));
    assert.ok(unread.writableLength < 1_000_000, `${unread.writableLength} bytes wait in memory`);
    const received = await Array.fromAsync(incoming);
    assert.equal(
      received.reduce((sum, chunk) => sum + (chunk as Buffer).length, 0),
      64 * 1024 * 1024,
    );
  });

  for (const when of ['with its request', 'at the first byte'] as const) {
    test(`arrive at a caller that closes its side of the connection ${when}`, async () => {
      body = long;
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      if (when === 'with its request') socket.end();
      else socket.once('data', () => socket.end());
      const received = Buffer.concat(await Array.fromAsync(socket));
      const bodyStart = received.indexOf('\r\n\r\n') + 4;
      assert.ok(received.subarray(bodyStart).equals(long), `${received.length - bodyStart} bytes`);
    });
  }

  test('are left out of the response to HEAD', async () => {
    body = long;
    const incoming = await request('HEAD');
    assert.equal(incoming.headers['content-length'], String(long.length));
    assert.deepEqual(await Array.fromAsync(incoming), []);
  });

  async function request(method: string): Promise<IncomingMessage> {
    const { port } = server.address() as AddressInfo;
    const outgoing = get({ port, host: '127.0.0.1', method, agent: false });
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    return incoming;
  }
});
