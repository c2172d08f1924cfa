import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { describe, test, type TestContext } from 'node:test';
import { loadConfiguration } from '@countersign/server';
import type { LocalRegistry } from '@countersign/server/local-registry';
import type { Signer } from '@countersign/signature/node';
import { closeServer, listenOn } from '@countersign/testing/listen-on';
import { openConnection, requestText } from '@countersign/testing/raw-connection';
import {
  apiBaseUrl,
  otherKeyPair,
  publishedKeyPair,
  runService,
  type RunningService,
  sendSigned,
} from '@countersign/testing/running-service';
import { waitUntil } from '@countersign/testing/wait-until';

interface Scene {
  readonly running: RunningService;
  readonly clientId: string;
  readonly signer: Signer;
  /** The connections that switched at the API. */
  readonly switched: Duplex[];
}

/** An API that switches to an echo protocol at /socket, which one route allows, and /other, which none does. */
async function open(t: TestContext): Promise<Scene> {
  const switched: Duplex[] = [];
  const server = createServer((_, response) => response.end('plain'));
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex) => {
    if (incoming.url === '/socket?refuse') {
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
      return;
    }
    switched.push(socket);
    const answered = new URLSearchParams(incoming.url!.split('?')[1]).get('answer') ?? 'Upgrade: websocket';
    const client = String(incoming.headers['countersign-client-id']);
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n${answered}\r\nX-Client: ${client}\r\n\r\n`,
    );
    socket.pipe(socket);
  });
  const address = await listenOn(server);
  const routes = [
    { path: '/socket', permission: 'shop', upgrade: 'websocket' },
    { path: '/feed', permission: 'shop:read', upgrade: 'websocket' },
    { path: '/other', permission: 'shop' },
  ];
  const running = await runService({
    COUNTERSIGN_UPSTREAM: address,
    COUNTERSIGN_ROUTES: JSON.stringify(routes),
  });
  t.after(async () => {
    // The service waits for open tunnels when it stops, which a failed test leaves.
    for (const socket of switched) socket.destroy();
    await running.close();
    await closeServer(server);
  });
  const { clientId, signer } = await running.addClient({ roles: ['api-user'] });
  return { running, clientId, signer, switched };
}

/** Gives a client the other closed profile, as an administrator of its account. */
async function changeProfile(running: RunningService, clientId: string): Promise<void> {
  const { signer } = await running.addClient({ roles: ['administrator'], keyPair: otherKeyPair });
  const url = `/v1/clients/${clientId}`;
  const { headers } = await sendSigned(running, signer, { method: 'GET', url });
  const answer = await sendSigned(running, signer, {
    method: 'PATCH',
    url,
    headers: { 'If-Match': String(headers['etag']) },
    body: JSON.stringify({ profile: 'countersign-without-date' }),
  });
  assert.equal(answer.status, 200, answer.text);
}

interface Switched {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Undefined if the connection did not switch. */
  readonly socket: Duplex | undefined;
  readonly text: string;
}

/** Asks to switch; signed unless `signer` is undefined. */
async function ask(
  { running }: Scene,
  path: string,
  { signer, protocol = 'websocket' }: { signer?: Signer | undefined; protocol?: string },
): Promise<Switched> {
  const url = apiBaseUrl + path;
  const signed = signer?.sign({ method: 'GET', url }).headers;
  const { hostname, port } = new URL(running.service.apiAddress!);
  const headers = { Host: new URL(apiBaseUrl).host, Connection: 'Upgrade', Upgrade: protocol, ...signed };
  const outgoing = request({ host: hostname, port, path, headers, agent: false });
  outgoing.end();
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('upgrade', (answer, socket) =>
      resolve({ status: answer.statusCode!, headers: answer.headers, socket, text: '' }),
    );
    outgoing.on('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode!,
          headers: answer.headers,
          socket: undefined,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
  });
}

describe('a request to switch to another protocol', () => {
  test('is refused without a signature, and the API never sees it', async (t) => {
    const scene = await open(t);
    const { status, text } = await ask(scene, '/socket', {});
    assert.equal(status, 401);
    assert.match(text, /signature_missing/);
    assert.deepEqual(scene.switched, []);
  });

  test('is refused where the route does not allow it, or not this protocol', async (t) => {
    const scene = await open(t);
    const { signer } = scene;
    assert.match((await ask(scene, '/other', { signer })).text, /upgrade_refused/);
    assert.match((await ask(scene, '/socket?1', { signer, protocol: 'smtp' })).text, /upgrade_refused/);
    assert.match(
      (await ask(scene, '/socket?2', { signer, protocol: 'websocket, smtp' })).text,
      /upgrade_refused/,
    );
    assert.deepEqual(scene.switched, []);
  });

  test('is refused with the signature of an equal read, or of another such request', async (t) => {
    const scene = await open(t);
    const { running, signer } = scene;
    const url = `${apiBaseUrl}/socket`;
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      const { headers } = signer.sign({ method, url });
      assert.equal((await running.send({ method, url, headers: { ...headers } })).status, 200);
      for (const [name, protocol] of [
        ['Upgrade', 'websocket'],
        ['UPGRADE', 'WebSocket'],
        ['upgrade', 'h2c, websocket'],
      ] as const) {
        for (const connection of ['Upgrade', 'keep-alive, Upgrade', 'close']) {
          const again = { Connection: connection, [name]: protocol, ...headers };
          const { status, headers: answered } = await running.send({ method, url, headers: again });
          assert.deepEqual(
            [status, answered['www-authenticate']],
            [401, 'Signature error="signature_replayed"'],
          );
        }
      }
    }
    const { headers } = signer.sign({ method: 'GET', url: `${url}?once` });
    const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', Host: new URL(url).host, ...headers };
    const statuses: number[] = [];
    for (let round = 0; round < 2; round++) {
      const connection = await openConnection(Number(new URL(running.service.apiAddress!).port));
      connection.write(requestText('GET', '/socket?once', upgrade));
      statuses.push((await connection.answer()).status);
      connection.cut();
    }
    assert.deepEqual(statuses, [101, 401]);
    assert.equal(scene.switched.length, 1);
  });

  test('is refused in HTTP/1.0', async (t) => {
    const scene = await open(t);
    const { headers } = scene.signer.sign({ method: 'GET', url: `${apiBaseUrl}/socket` });
    const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', Host: new URL(apiBaseUrl).host };
    const connection = await openConnection(Number(new URL(scene.running.service.apiAddress!).port));
    const text = requestText('GET', '/socket', { ...upgrade, ...headers });
    connection.write(text.replace('HTTP/1.1', 'HTTP/1.0'));
    const answer = await connection.answer();
    connection.cut();
    assert.deepEqual([answer.status, answer.json()['code']], [400, 'upgrade_refused']);
    assert.deepEqual(scene.switched, []);
  });

  test('needs the permission to write, unless the route names another one', async (t) => {
    const scene = await open(t);
    const { signer } = await scene.running.addClient({ roles: ['api-reader'], keyPair: otherKeyPair });
    const { status, text } = await ask(scene, '/socket', { signer });
    assert.equal(status, 403);
    assert.match(text, /permission_denied/);
    assert.deepEqual(scene.switched, []);
    assert.equal((await ask(scene, '/feed', { signer })).status, 101);
  });

  test('h2c, which Java offers with every request, is ignored', async (t) => {
    const scene = await open(t);
    const { signer } = scene;
    const { status, text } = await ask(scene, '/other', { signer, protocol: 'h2c' });
    assert.deepEqual([status, text], [200, 'plain']);
  });

  test('waits for the answers before it on its connection', async (t) => {
    const scene = await open(t);
    const { signer } = scene;
    const host = new URL(apiBaseUrl).host;
    const signed = (path: string): Record<string, string> => {
      const { headers } = signer.sign({ method: 'GET', url: apiBaseUrl + path });
      return { Host: host, ...headers };
    };
    const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket' };
    const port = Number(new URL(scene.running.service.apiAddress!).port);
    const unsigned = requestText('GET', '/socket', { Host: host, ...upgrade });

    const stranger = await openConnection(port);
    stranger.write(requestText('GET', '/other', { Host: host }) + unsigned);
    assert.deepEqual([(await stranger.answer()).status, (await stranger.answer()).status], [401, 401]);
    await stranger.ended();

    const client = await openConnection(port);
    client.write(requestText('GET', '/other', signed('/other')));
    client.write(requestText('GET', '/socket', { ...signed('/socket'), ...upgrade }));
    assert.deepEqual([(await client.answer()).status, (await client.answer()).status], [200, 101]);
    client.cut();
  });

  test('from peers that go away ends nothing else', async (t) => {
    const scene = await open(t);
    const port = Number(new URL(scene.running.service.apiAddress!).port);
    const upgrade = { Host: new URL(apiBaseUrl).host, Connection: 'Upgrade', Upgrade: 'websocket' };
    for (let round = 0; round < 20; round++) {
      const connection = await openConnection(port);
      connection.write(requestText('GET', '/socket', upgrade));
      connection.cut();
    }
    assert.equal((await ask(scene, '/socket', { signer: scene.signer })).status, 101);
  });

  test('is answered by the API if the API refuses it', async (t) => {
    const scene = await open(t);
    const { signer } = scene;
    const { status, text } = await ask(scene, '/socket?refuse', { signer });
    assert.deepEqual([status, text], [403, 'no']);
  });

  test('is answered 502 if the API switches to another protocol than the one asked for', async (t) => {
    const scene = await open(t);
    const { signer } = scene;
    const answers = ['Upgrade: smtp', 'Upgrade: websocket, smtp', 'X-Upgrade: websocket', 'Upgrade: h2c'];
    for (const answer of [...answers, 'Upgrade: websocket\r\nUpgrade: smtp']) {
      const path = `/socket?answer=${encodeURIComponent(answer)}`;
      const { status, socket, text } = await ask(scene, path, { signer });
      assert.deepEqual([status, socket], [502, undefined], answer);
      assert.match(text, /upstream_failed/);
    }
    await waitUntil(() => scene.switched.every((one) => one.destroyed), 'the ends of all connections');
    const usual = await ask(scene, `/socket?answer=${encodeURIComponent('upgrade:  WebSocket')}`, { signer });
    assert.equal(usual.status, 101);
  });

  test('passes bytes both ways once it is accepted, and ends with either side', async (t) => {
    const scene = await open(t);
    const { signer } = scene;
    const { status, headers, socket } = await ask(scene, '/socket', { signer });
    assert.deepEqual([status, headers['upgrade'], headers['connection']], [101, 'websocket', 'Upgrade']);
    assert.equal(headers['x-client'], signer.keyid);
    socket!.write('hello');
    const [echo] = (await once(socket!, 'data')) as [Buffer];
    assert.equal(echo.toString(), 'hello');
    const ended = once(scene.switched[0]!, 'close');
    socket!.destroy();
    await ended;
    const second = await ask(scene, '/socket?again', { signer });
    const closed = once(second.socket!, 'close');
    scene.switched[1]!.destroy();
    await closed;
  });

  describe('ends once its client could not open it any more:', () => {
    const changes: Readonly<Record<string, (scene: Scene, registry: LocalRegistry) => Promise<unknown>>> = {
      'it is disabled': ({ clientId }, registry) => registry.disableClient(clientId),
      'it is revoked': ({ clientId }, registry) => registry.revokeClient(clientId),
      'its key is revoked': async ({ clientId }, registry) => {
        const { keys } = await registry.showClient(clientId);
        await registry.addKey(clientId, otherKeyPair.publicKey);
        await registry.revokeKey(clientId, keys[0]!.keyId, 'compromised');
      },
      'its network is another one': ({ clientId }, registry) =>
        registry.setNetwork(clientId, [{ entry: '203.0.113.1' }]),
      'its role is another one': ({ clientId }, registry) => registry.setRoles(clientId, ['api-reader']),
      'its profile is another one': ({ clientId, running }) => changeProfile(running, clientId),
      'its route accepts other profiles': ({ running }) => {
        const { configuration } = running.service;
        const routing = configuration.routing!;
        const routes = routing.routes.map((one) => ({
          ...one,
          rule: { ...one.rule, profiles: ['countersign-without-date'] },
        }));
        return running.service.useRouting({ ...configuration, routing: { ...routing, routes } });
      },
      'its base URL accepts other profiles': ({ running }) => {
        const { configuration } = running.service;
        const routing = configuration.routing!;
        const baseUrlProfiles = { [apiBaseUrl]: ['countersign-without-date'] };
        return running.service.useRouting({ ...configuration, routing: { ...routing, baseUrlProfiles } });
      },
    };
    for (const [name, change] of Object.entries(changes))
      test(name, async (t) => {
        const scene = await open(t);
        const { running, signer } = scene;
        const { socket } = await ask(scene, '/socket', { signer });
        // Another client's connection stays.
        const bystander = await running.addClient({
          roles: ['api-user'],
          keyPair: publishedKeyPair('rsa-2048-a'),
        });
        const other = await ask(scene, '/socket', { signer: bystander.signer });
        const ended = [once(socket!, 'close'), once(scene.switched[0]!, 'close')];
        socket!.resume();
        await running.change((registry) => change(scene, registry));
        await Promise.all(ended);
        if (!/^its (?:route|base URL)/.test(name)) {
          other.socket!.write('still there');
          const [echo] = (await once(other.socket!, 'data')) as [Buffer];
          assert.equal(echo.toString(), 'still there');
        }
        other.socket!.destroy();
      });
  });

  test('cannot be allowed where nobody remembers the signatures of reads', () => {
    const routes = JSON.stringify([{ path: '/socket', permission: 'none', upgrade: 'websocket' }]);
    const settings = { COUNTERSIGN_UPSTREAM: 'http://127.0.0.1:3000', COUNTERSIGN_ROUTES: routes };
    assert.throws(
      () => loadConfiguration({ ...settings, COUNTERSIGN_REPEAT: 'unsafe-only' }),
      /COUNTERSIGN_REPEAT: with unsafe-only/,
    );
    loadConfiguration({ ...settings, COUNTERSIGN_REPEAT: 'strict' });
  });

  test('does not keep the service from stopping', async (t) => {
    const scene = await open(t);
    const { socket } = await ask(scene, '/socket', { signer: scene.signer });
    const closed = once(socket!, 'close');
    await scene.running.service.stop();
    await closed;
  });
});
