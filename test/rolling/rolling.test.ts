import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { request } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { freePort } from '@countersign/testing/free-port';
import { postgresSkip } from '@countersign/testing/postgres-server';
import { waitUntil } from '@countersign/testing/wait-until';
import { type Balancer, balancerNames, balancersAreMissing, startBalancer } from './balancers.ts';
import { runRolling } from './rolling.ts';

/* The short form; npm run test:rolling is the long one. */

const skip = postgresSkip === false ? balancersAreMissing : postgresSkip;

test('a node that is restarted behind HAProxy and nginx loses no request', { skip }, async (context) => {
  const result = await runRolling({
    balancers: balancerNames,
    requests: 100,
    restarts: 1,
    perSecond: 10,
    isPatient: true,
  });
  // How soon a node decides belongs to the long form: other tests may be using the machine here.
  const tooSlow = /: 503 (?:registry_stale|guard_unavailable|storage_unavailable)$/;
  const lost = [...result.failures].filter(([what]) => !tooSlow.test(what));
  assert.deepEqual(lost, [], result.output);
  assert.deepEqual(result.unclean, []);
  assert.ok(result.restarts >= 1);
  for (const [name, accepted] of result.accepted) {
    assert.ok(accepted > 0, name);
    context.diagnostic(`${accepted} requests through ${name}`);
  }
});

for (const name of balancerNames) {
  describe(`${name} as deploy/ has it`, { skip }, () => {
    /** Accepts each request and ends the connection without a response: it may have been done. */
    let received: string[] = [];
    const node = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (head: Buffer) => {
        const line = head.toString('latin1').split('\r\n', 1)[0]!;
        if (line.startsWith('GET /ready ')) {
          socket.end('HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n');
          return;
        }
        received.push(line);
        socket.destroy();
      });
    });
    let balancer: Balancer;
    let closedPort: number;
    before(async () => {
      node.listen(0, '127.0.0.1');
      await once(node, 'listening');
      closedPort = await freePort();
      const { port } = node.address() as AddressInfo;
      balancer = await startBalancer(name, [port, port, port]);
    });
    after(async () => {
      await balancer.stop();
      node.close();
      await once(node, 'close');
    });

    for (const method of ['GET', 'PUT', 'DELETE', 'POST']) {
      test(`${method}: what may have been done is sent once`, async () => {
        received = [];
        const status = await statusThrough(balancer, method);
        assert.ok(status === 502 || status === 503 || status === 0, String(status));
        assert.deepEqual(received, [`${method} /v1/things?a=%2F..//b HTTP/1.1`]);
      });
    }

    test('a connection that one node refuses is made to another', async () => {
      const { port } = node.address() as AddressInfo;
      const other = await startBalancer(name, [closedPort, port]);
      try {
        received = [];
        for (let count = 0; count < 6; count += 1) await statusThrough(other, 'POST');
        assert.equal(received.length, 6);
      } finally {
        await other.stop();
      }
    });
  });
}

test(
  'nginx, which checks no node, ends idle connections itself, before a stopping node does',
  { skip },
  async (context) => {
    const node = createHttpServer({ keepAliveTimeout: 0 }, (_incoming, outgoing) => outgoing.end('served'));
    let isEnded = false;
    node.once('connection', (socket: Socket) => socket.once('end', () => (isEnded = true)));
    node.listen(0, '127.0.0.1');
    await once(node, 'listening');
    const balancer = await startBalancer('nginx', [(node.address() as AddressInfo).port]);
    context.after(async () => {
      await balancer.stop();
      node.close();
      node.closeAllConnections();
    });
    assert.equal(await statusThrough(balancer, 'GET'), 200);
    const tookMs = await waitUntil(() => isEnded, 'the end of the connection');
    assert.ok(tookMs < 20_000, `the connection ends after ${tookMs} ms`);
  },
);

/**
 * Sends a request with a body of two bytes, unless it is a read. Returns 0 if the connection ended without a
 * response.
 */
function statusThrough({ port, certificate }: Balancer, method: string): Promise<number> {
  return new Promise((resolve) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        ca: certificate,
        servername: 'api.example.test',
        agent: false,
        method,
        path: '/v1/things?a=%2F..//b',
        headers: { Host: 'api.example.test' },
      },
      (incoming) => {
        incoming.resume().on('end', () => resolve(incoming.statusCode ?? 0));
      },
    );
    outgoing.on('error', () => resolve(0));
    outgoing.end(method === 'GET' ? undefined : '{}');
  });
}
