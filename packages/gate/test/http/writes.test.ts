import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { openProtectedApi } from '@countersign/testing/protected-api';
import { openConnection, requestText } from '@countersign/testing/raw-connection';
import { sendSigned } from '@countersign/testing/running-service';

/** The calls of a socket's handle that write; each is one system call unless the peer reads too slowly. */
const writing = [
  'writev',
  'writeBuffer',
  'writeLatin1String',
  'writeUtf8String',
  'writeAsciiString',
  'writeUcs2String',
] as const;

type Handle = Record<(typeof writing)[number], (...args: unknown[]) => unknown>;

/** Counts what is written to connections that servers of this process accept, by the server's port. */
function countWrites(writes: Map<number, number>): (message: unknown) => void {
  return (message) => {
    const { socket } = message as { socket: Socket & { _handle: Handle } };
    const { _handle: handle, localPort = 0 } = socket;
    for (const name of writing) {
      const write = handle[name];
      handle[name] = (...args) => {
        writes.set(localPort, (writes.get(localPort) ?? 0) + 1);
        return write.apply(handle, args);
      };
    }
  };
}

describe('an answer', () => {
  test('is one write to its socket, whatever it is', async (t) => {
    const writes = new Map<number, number>();
    const count = countWrites(writes);
    subscribe('net.server.socket', count);
    t.after(() => unsubscribe('net.server.socket', count));
    const api = await openProtectedApi(t);
    const { running, signer } = api;
    const large = 'x'.repeat(2_000_000);
    const apiPort = Number(new URL(running.service.apiAddress!).port);
    const calls = {
      'a signed GET': () => sendSigned(running, signer, { method: 'GET', url: '/v1/whoami' }),
      'a signed POST': () => sendSigned(running, signer, { method: 'POST', url: '/v1/payments', body: '{}' }),
      'an unsigned GET': () => running.send({ method: 'GET', url: '/v1/whoami' }),
      'an unsigned POST': () => running.send({ method: 'POST', url: '/v1/payments', body: '{}' }),
      'a large unsigned POST': () => running.send({ method: 'POST', url: '/v1/payments', body: large }),
      'a HEAD': () => running.send({ method: 'HEAD', url: '/live' }),
      health: () => running.send({ method: 'GET', url: '/live' }),
      'a page': () => running.send({ method: 'GET', url: '/docs/errors' }),
      'a file of the portal': () => running.send({ method: 'GET', url: '/portal/' }),
      'a forwarded GET': () => api.call('GET', '/x'),
      'a forwarded POST': () => api.call('POST', '/x', { body: 'hello' }),
      CONNECT: async () => {
        const connection = await openConnection(running.port);
        connection.write(requestText('CONNECT', 'example.com:443', { Host: 'example.com:443' }));
        await connection.ended();
      },
    };
    for (const [what, call] of Object.entries(calls)) {
      writes.clear();
      await call();
      const port = what.startsWith('a forwarded') ? apiPort : running.port;
      assert.equal(writes.get(port), 1, what);
    }
  });
});
