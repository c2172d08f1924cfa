import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import {
  createSecureServer as createHttp2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { upstreamDefaults, type UpstreamSettings } from '@countersign/gate';
import { Upstream } from '@countersign/gate/upstream';
import { freePort } from '@countersign/testing/free-port';
import { honest, openHostileUpstream } from './hostile-upstream.ts';

/** Opens an upstream with a clock that only the test moves. It is closed when the test ends. */
function openUpstream(
  t: TestContext,
  addresses: readonly string[],
  settings: Partial<UpstreamSettings> = {},
): { readonly api: Upstream; readonly clock: { nowMs: number } } {
  const clock = { nowMs: 0 };
  const patient = { connectSeconds: 60, firstByteSeconds: 60, idleSeconds: 60 };
  const api = new Upstream(
    { ...upstreamDefaults, ...patient, name: 'api', addresses, ...settings },
    () => clock.nowMs,
  );
  t.after(() => api.close());
  return { api, clock };
}

/** Sends a request, and returns the status or the failure. */
async function send(
  api: Upstream,
  method: string,
  body = '',
  host = 'shop.example.test',
  lines: readonly string[] = ['Host', host],
): Promise<string> {
  const request = {
    method,
    target: '/a',
    headersFor: () => [...lines],
    body: Buffer.from(body),
    firstByteSeconds: undefined,
    idleSeconds: undefined,
    upgrade: undefined,
  };
  const client = { onGone: () => undefined, hint: () => undefined, canSwitch: false };
  try {
    const relay = await api.send(request, client);
    // HEAD has no body; the others end theirs by themselves.
    return String(relay.head.status);
  } catch (error) {
    return (error as { failure?: string }).failure ?? String(error);
  }
}

/** An address at which nothing listens until the test starts it. */
async function awayAddress(): Promise<{ address: string; port: number }> {
  const port = await freePort();
  return { address: `http://127.0.0.1:${port}`, port };
}

async function listen(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe('several addresses', () => {
  test('take turns', async (t) => {
    const [one, two] = [await openHostileUpstream(t), await openHostileUpstream(t)];
    const { api } = openUpstream(t, [one.address, two.address]);
    for (let index = 0; index < 6; index++) assert.equal(await send(api, 'POST', 'x'), '200');
    assert.deepEqual([one.requests.length, two.requests.length], [3, 3]);
  });

  test('stand in for one that is away, which is asked again after a while', async (t) => {
    const away = await awayAddress();
    const here = await openHostileUpstream(t);
    const { api, clock } = openUpstream(t, [away.address, here.address]);
    const isEjected = (): boolean => api.figures().addresses[0]!.isEjected;
    for (let index = 0; index < 4; index++) assert.equal(await send(api, 'POST', 'x'), '200');
    assert.equal(isEjected(), false);
    for (let index = 0; index < 2; index++) assert.equal(await send(api, 'POST', 'x'), '200');
    assert.equal(isEjected(), true);
    assert.equal(here.requests.length, 6);

    const sockets = new Set<Socket>();
    let asked = 0;
    const back = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('data', () => {
        asked += 1;
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      });
    });
    await listen(back, away.port);
    t.after(async () => {
      const closed = once(back, 'close');
      back.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    });
    for (let index = 0; index < 4; index++) assert.equal(await send(api, 'POST', 'x'), '200');
    assert.deepEqual([asked, isEjected()], [0, true]);
    clock.nowMs += 5001;
    for (let index = 0; index < 4; index++) assert.equal(await send(api, 'POST', 'x'), '200');
    assert.deepEqual([asked, isEjected()], [2, false]);
  });

  test('are ejected for longer with each further failure, and used if all are', async (t) => {
    const away = await awayAddress();
    const { api, clock } = openUpstream(t, [away.address]);
    const isEjected = (): boolean => api.figures().addresses[0]!.isEjected;
    for (let index = 0; index < 3; index++) assert.equal(await send(api, 'GET'), 'upstream_unavailable');
    clock.nowMs += 4999;
    assert.equal(isEjected(), true);
    clock.nowMs += 2;
    assert.equal(isEjected(), false);
    assert.equal(await send(api, 'GET'), 'upstream_unavailable');
    clock.nowMs += 9000;
    assert.equal(isEjected(), true);
  });

  test('get a POST once, wherever it fails, and a GET once more', async (t) => {
    const [bad, good] = [await openHostileUpstream(t), await openHostileUpstream(t)];
    bad.behave({ answer: (socket) => void socket.resetAndDestroy() });
    for (const [method, outcomes, arrivals] of [
      ['POST', ['200', 'upstream_failed'], [1, 1]],
      ['GET', ['200', '200'], [1, 2]],
    ] as const) {
      bad.forget();
      good.forget();
      const { api } = openUpstream(t, [bad.address, good.address]);
      const both = [await send(api, method), await send(api, method)];
      assert.deepEqual(
        both.toSorted((left, right) => left.localeCompare(right)),
        outcomes,
      );
      assert.deepEqual([bad.requests.length, good.requests.length], arrivals);
    }
  });

  test('are not asked again after half an answer', async (t) => {
    const [bad, good] = [await openHostileUpstream(t), await openHostileUpstream(t)];
    bad.behave({ answer: (socket) => void socket.end('HTTP/1.1 200 OK\r\nX: ') });
    good.behave({ answer: (socket) => void socket.end('HTTP/1.1 200 OK\r\nX: ') });
    const { api } = openUpstream(t, [bad.address, good.address]);
    assert.equal(await send(api, 'GET'), 'upstream_failed');
    assert.equal(bad.requests.length + good.requests.length, 1);
  });
});

describe('an upstream with TLS', () => {
  let folder: string;
  let local: { key: string; cert: string };
  let internal: { key: string; cert: string };

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-tls-'));
    local = certificateFor('localhost');
    internal = certificateFor('api.internal');
  });
  after(() => rmSync(folder, { recursive: true }));

  function certificateFor(name: string): { key: string; cert: string } {
    const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
    const kind = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
    ];
    const names = [
      '-subj',
      `/CN=${name}`,
      '-addext',
      `subjectAltName=DNS:${name}`,
      '-keyout',
      key,
      '-out',
      cert,
    ];
    execFileSync('openssl', [...kind, ...names], { stdio: 'pipe' });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  }

  const tls = {
    certificateAuthority: undefined,
    certificate: undefined,
    key: undefined,
    serverName: undefined,
  };

  /** A server whose connections and requests are counted, with the names that clients asked it for. */
  async function openTlsServer(
    t: TestContext,
    options: ServerOptions,
  ): Promise<{
    address: string;
    requests: () => number;
    connections: () => number;
    names: () => readonly unknown[];
  }> {
    let requests = 0;
    const names: unknown[] = [];
    const server = createHttpsServer(options, (request, response) => {
      requests += 1;
      request.resume().on('end', () => response.end());
    });
    server.on('secureConnection', (socket) => names.push(socket.servername));
    server.on('tlsClientError', () => undefined);
    const port = await listen(server);
    t.after(async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    });
    const address = `https://localhost:${port}`;
    return { address, requests: () => requests, connections: () => names.length, names: () => names };
  }

  test('must have a certificate that is trusted', async (t) => {
    const server = await openTlsServer(t, local);
    const { api } = openUpstream(t, [server.address]);
    assert.equal(await send(api, 'POST', 'x'), 'upstream_unavailable');
    assert.equal(server.requests(), 0);
  });

  test('must have the name of its address, whatever host the client called', async (t) => {
    const server = await openTlsServer(t, local);
    const { api } = openUpstream(t, [server.address], { tls: { ...tls, certificateAuthority: local.cert } });
    assert.equal(await send(api, 'POST', 'x', 'shop.example.test'), '200');
    // The pool has the connection back some turns after the response.
    for (let turns = 0; turns < 10; turns++) await turn();
    assert.equal(await send(api, 'POST', 'x', 'other.example.test'), '200');
    assert.deepEqual(server.names(), ['localhost']);

    const other = await openTlsServer(t, internal);
    const { api: wrong } = openUpstream(t, [other.address], {
      tls: { ...tls, certificateAuthority: internal.cert },
    });
    assert.equal(await send(wrong, 'POST', 'x', 'api.internal'), 'upstream_unavailable');
    assert.equal(other.requests(), 0);
  });

  test('may have the name that the settings say', async (t) => {
    const server = await openTlsServer(t, internal);
    const settings = { tls: { ...tls, certificateAuthority: internal.cert, serverName: 'api.internal' } };
    const { api } = openUpstream(t, [server.address], settings);
    assert.equal(await send(api, 'POST', 'x'), '200');
    assert.deepEqual(server.names(), ['api.internal']);
  });

  test('may ask for a certificate of the gateway', async (t) => {
    const server = await openTlsServer(t, { ...local, requestCert: true, ca: internal.cert });
    const authority = { ...tls, certificateAuthority: local.cert };
    const { api: without } = openUpstream(t, [server.address], { tls: authority });
    assert.notEqual(await send(without, 'POST', 'x'), '200');
    assert.equal(server.requests(), 0);
    const own = { ...authority, certificate: internal.cert, key: internal.key };
    const { api } = openUpstream(t, [server.address], { tls: own });
    assert.equal(await send(api, 'POST', 'x'), '200');
  });

  test('must speak TLS', async (t) => {
    const server = await openHostileUpstream(t);
    server.behave({ ...honest, connected: (socket) => void socket.write('HTTP/1.1 400 No\r\n\r\n') });
    const { api } = openUpstream(t, [server.address.replace('http:', 'https:')]);
    assert.equal(await send(api, 'POST', 'x'), 'upstream_unavailable');
    assert.equal(server.requests.length, 0);
  });

  test('must finish the handshake in time', async (t) => {
    const server = await openHostileUpstream(t);
    server.behave({});
    const { api } = openUpstream(t, [server.address.replace('http:', 'https:')], { connectSeconds: 0.2 });
    assert.equal(await send(api, 'POST', 'x'), 'upstream_unavailable');
  });

  test('may speak HTTP/2, several requests on one connection', async (t) => {
    const bodies: string[] = [];
    const lengths: unknown[] = [];
    let fields: unknown;
    let connections = 0;
    const server = createHttp2Server(local);
    server.on('session', () => (connections += 1));
    server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      stream.on('error', () => undefined);
      lengths.push(headers['content-length']);
      if (headers[':method'] === 'PUT') return stream.close(2);
      const { cookie, 'x-two': two } = headers;
      if (headers[':method'] === 'DELETE') fields = { cookie, 'x-two': two };
      let body = '';
      stream.setEncoding('latin1').on('data', (text: string) => (body += text));
      return stream.on('end', () => {
        bodies.push(body);
        stream.additionalHeaders({ ':status': 103 });
        stream.respond({ ':status': 200 });
        stream.end('hello');
      });
    });
    const port = await listen(server);
    const { api } = openUpstream(t, [`https://localhost:${port}`], {
      http2: true,
      tls: { ...tls, certificateAuthority: local.cert },
    });
    t.after(() => new Promise<void>((resolve) => void server.close(() => resolve())));
    const lines = ['Host', 'localhost', 'Cookie', 'a=1', 'X-Two', '1', 'cookie', 'b=2', 'X-Two', '2'];
    assert.equal(await send(api, 'DELETE', '', 'localhost', lines), '200');
    assert.deepEqual(fields, { cookie: 'a=1; b=2', 'x-two': '1, 2' });
    bodies.length = 0;
    lengths.length = 0;
    const large = 'x'.repeat(100_000);
    const outcomes = await Promise.all([
      send(api, 'POST', large),
      send(api, 'POST', 'y'),
      send(api, 'PUT', 'z'),
    ]);
    assert.deepEqual(outcomes, ['200', '200', 'upstream_failed']);
    assert.deepEqual(
      bodies.map((body) => body.length).toSorted((left, right) => left - right),
      [1, large.length],
    );
    assert.deepEqual(
      lengths.map(Number).toSorted((left, right) => left - right),
      [1, 1, large.length],
    );
    assert.equal(connections, 1);
  });
});
