import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLocalRegistry } from '@countersign/server/local-registry';
import { createSigner } from '@countersign/signature/node';
import { closeServer, listenOn } from '@countersign/testing/listen-on';
import {
  openConnection,
  type RawAnswer,
  type RawConnection,
  requestText,
} from '@countersign/testing/raw-connection';
import { baseUrl, keyPair, type RunningService, runService } from '@countersign/testing/running-service';
import { ServiceProcess } from '@countersign/testing/service-process';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { waitFor } from '@countersign/testing/wait-until';
import { pino } from 'pino';
import { openRawGateway } from '../proxy/raw-gateway.ts';
import { openIdle } from './idle-connections.ts';

const host = { Host: new URL(baseUrl).host };
const unsigned = requestText('GET', '/v1/whoami', host);

interface Scene {
  readonly running: RunningService;
  readonly log: readonly Record<string, unknown>[];
  /** A signed request, another one with each call. */
  signed(): string;
  /** Waits until the service has so many connections. */
  awaitOpen(count: number): Promise<void>;
}

async function open(t: TestContext, settings: Record<string, string>): Promise<Scene> {
  const log: Record<string, unknown>[] = [];
  const write = (line: string): void => void log.push(JSON.parse(line) as Record<string, unknown>);
  const environment = { COUNTERSIGN_METRICS_PORT: '0', ...settings };
  const running = await runService(environment, {}, pino({}, { write }));
  t.after(() => running.close());
  const { signer } = await running.addClient();
  let signedCount = 0;
  return {
    running,
    log,
    signed() {
      const target = `/v1/payments?limit=${(signedCount += 1)}`;
      const { headers } = signer.sign({ method: 'GET', url: baseUrl + target });
      return requestText('GET', target, { ...host, ...headers });
    },
    async awaitOpen(expected) {
      for (let count = -1; count !== expected;) {
        const page = await (await fetch(`${running.service.metricsAddress}/metrics`)).text();
        count = Number(/^countersign_connections (\d+)$/m.exec(page)?.[1]);
      }
    },
  };
}

async function status(connection: RawConnection, request: string): Promise<number> {
  connection.write(request);
  return (await connection.answer()).status;
}

async function closed(socket: Socket): Promise<void> {
  if (!socket.destroyed) await once(socket, 'close');
}

describe('1,150 idle connections where 1,024 files may be open', () => {
  test('keep no honest request out, and are one line in the log', async (t) => {
    const dataFolder = temporaryFolder(t);
    const settings = { COUNTERSIGN_LOG_LEVEL: 'warn', COUNTERSIGN_ALLOW_PUBLISHED_TEST_KEYS: 'yes' };
    const service = new ServiceProcess(dataFolder, settings, 1024);
    t.after(() => service.end());
    const port = Number(new URL(await service.listening()).port);
    const registry = await openLocalRegistry({ dataFolder, keyPolicy: { allowPublishedTestKeys: true } });
    const { publicKey, privateKey } = keyPair;
    const network = [{ entry: '0.0.0.0' }];
    const roles = ['payments-operator'];
    const { clientId } = await registry.addClient({ name: 'Honest', publicKey, network, roles });
    await registry.close();
    const addresses = Array.from({ length: 5 }, (_, index) => `127.0.0.${index + 1}`);
    const signer = createSigner({ keyid: clientId, privateKey });
    const send = async (target: string, secondsAhead: number): Promise<RawAnswer> => {
      const connection = await openConnection(port);
      const created = Math.floor(Date.now() / 1000) + secondsAhead;
      const { headers } = signer.sign({ method: 'GET', url: baseUrl + target }, { created });
      connection.write(requestText('GET', target, { ...host, ...headers }));
      const answer = await connection.answer();
      connection.cut();
      return answer;
    };
    // The service learns of a client that another process has added a moment later.
    for (let count = 0; ; count++) {
      const answer = await send('/v1/whoami', count % 60);
      if (answer.status === 200) break;
      assert.equal(answer.status, 401, answer.text);
      await sleep(50);
    }
    for (const [round, localAddresses] of [['127.0.0.1'], addresses].entries()) {
      const idle = await openIdle(port, 1150, localAddresses);
      t.after(() => idle.close());
      for (let index = 0; index < 8; index++) {
        const target = `/v1/payments?limit=${10 * round + index + 1}`;
        // Most are later than the seconds that the guard's mark covers.
        const answer = await send(target, index * 6);
        assert.equal(answer.status, 200, answer.text);
      }
    }
    assert.equal(service.output.match(/connections were turned away/g)?.length, 1);
    assert.match(service.output, /the connection limit is low: this process may open 1024 files/);
  });

  test('a budget that the limit does not cover is refused at the start, with advice', async (t) => {
    const settings = { COUNTERSIGN_CONNECTIONS_MAX: '5000' };
    const service = new ServiceProcess(temporaryFolder(t), settings, 1024);
    await assert.rejects(
      service.listening(),
      /COUNTERSIGN_CONNECTIONS_MAX is 5000, but this process may open 1024 files.*LimitNOFILE.*at least 5192/,
    );
    const tooFew = new ServiceProcess(temporaryFolder(t), {}, 140);
    await assert.rejects(tooFew.listening(), /too few file descriptors for connections.*LimitNOFILE/);
  });
});

describe('connections on which nothing was proved', () => {
  test('of one address: an older one ends when there are too many, whoever else comes', async (t) => {
    const scene = await open(t, { COUNTERSIGN_ADDRESS_CONNECTIONS_MAX: '8' });
    const other = await openIdle(scene.running.port, 5, ['127.0.0.3']);
    const many = await openIdle(scene.running.port, 20, ['127.0.0.2']);
    t.after(() => [other, many].forEach((one) => one.close()));
    await many.fallTo(8);
    await scene.awaitOpen(13);
    assert.deepEqual([many.openCount, other.openCount], [8, 5]);
    const lines = scene.log.filter(({ msg }) => msg === 'connections were turned away');
    assert.deepEqual(
      lines.map(({ count, sourceAddress }) => [count, sourceAddress]),
      [[1, '127.0.0.2']],
    );
  });

  test('when all are in use, the address with the most makes room', async (t) => {
    const scene = await open(t, { COUNTERSIGN_CONNECTIONS_MAX: '20' });
    const few = await openIdle(scene.running.port, 6, ['127.0.0.2', '127.0.0.3']);
    const many = await openIdle(scene.running.port, 14, ['127.0.0.4']);
    t.after(() => [few, many].forEach((one) => one.close()));
    await scene.awaitOpen(20);
    const newcomer = await openConnection(scene.running.port, '127.0.0.5');
    assert.equal(await status(newcomer, scene.signed()), 200);
    await many.fallTo(13);
    assert.deepEqual([few.openCount, many.openCount], [6, 13]);
    newcomer.cut();
  });

  test('make room for others, but a connection with a verified signature stays', async (t) => {
    const scene = await open(t, {
      COUNTERSIGN_CONNECTIONS_MAX: '20',
      COUNTERSIGN_ADDRESS_CONNECTIONS_MAX: '4',
    });
    const proved = await openConnection(scene.running.port);
    assert.equal(await status(proved, scene.signed()), 200);
    const crowd = Array.from({ length: 60 }, (_, index) => `127.0.0.${1 + (index % 10)}`);
    const idle = await openIdle(scene.running.port, 60, crowd);
    t.after(() => idle.close());
    await idle.fallTo(19);
    assert.equal(await status(proved, scene.signed()), 200);
    proved.cut();
  });

  test('of trusted proxies are not limited per address, and stay', async (t) => {
    const scene = await open(t, {
      COUNTERSIGN_ADDRESS_CONNECTIONS_MAX: '4',
      COUNTERSIGN_CONNECTIONS_MAX: '40',
      COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.7',
      COUNTERSIGN_UNPROVED_IDLE_SECONDS: '1',
    });
    const proxy = await openIdle(scene.running.port, 30, ['127.0.0.7']);
    const crowd = Array.from({ length: 60 }, (_, index) => `127.0.1.${1 + index}`);
    const idle = await openIdle(scene.running.port, 60, crowd);
    t.after(() => [proxy, idle].forEach((one) => one.close()));
    // Strangers' connections end by their time limit.
    for (const socket of idle.sockets) await closed(socket);
    await scene.awaitOpen(30);
    assert.equal(proxy.openCount, 30);
  });
});

test(
  'connections that come while the service is busy wait until they are accepted',
  { skip: shortQueue() },
  async (t) => {
    const { running } = await open(t, {});
    const script = `
    let count = 0;
    const options = { port: ${running.port}, host: '127.0.0.1' };
    for (let index = 0; index < 1000; index++)
      require('node:net').connect(options, () => (count += 1) === 1000 && process.exit(0));`;
    // The service is in this process, which does nothing else meanwhile.
    execFileSync(process.execPath, ['-e', script], { timeout: 60_000 });
  },
);

/** The system's own limit may be lower. */
function shortQueue(): string | false {
  try {
    const most = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
    return most >= 1000 ? false : `only ${most} connections may wait here`;
  } catch {
    return 'the system does not say how many connections may wait';
  }
}

describe('a connection on which nothing was proved', () => {
  const short = { COUNTERSIGN_UNPROVED_IDLE_SECONDS: '1' };

  test('ends without an answer and without a line when nothing comes', async (t) => {
    const scene = await open(t, short);
    const connection = await openConnection(scene.running.port);
    assert.equal(await connection.ended(), '');
    assert.deepEqual(scene.log, []);
  });

  test('is kept for as long as the refusal on it says, and no longer', async (t) => {
    const scene = await open(t, short);
    // On another connection when a busy machine does not come to the second request in that time.
    const connection = await waitFor(async () => {
      const tried = await openConnection(scene.running.port);
      const startedMs = performance.now();
      tried.write(unsigned);
      assert.equal((await tried.answer()).headers['keep-alive'], 'timeout=1');
      const answered = await status(tried, unsigned).catch(() => undefined);
      if (answered === undefined && performance.now() - startedMs >= 1000) return undefined;
      assert.equal(answered, 401);
      return tried;
    }, 'the machine is too slow');
    assert.equal(await connection.ended(), '');
  });

  test('ends with 408 when a head comes too slowly', async (t) => {
    const scene = await open(t, short);
    const connection = await openConnection(scene.running.port);
    connection.write('GET /v1/whoami HTTP/1.1\r\nHost: ');
    const drip = setInterval(() => connection.write('x'), 20);
    t.after(() => clearInterval(drip));
    assert.equal((await connection.answer()).status, 408);
    await connection.ended();
  });

  test('is kept for longer once a signature has verified', async (t) => {
    const scene = await open(t, short);
    const connection = await openConnection(scene.running.port);
    connection.write(scene.signed());
    assert.equal((await connection.answer()).headers['keep-alive'], 'timeout=65');
    const stranger = await openConnection(scene.running.port);
    await stranger.ended();
    assert.equal(await status(connection, scene.signed()), 200);
    connection.cut();
  });

  test('is then kept for as long as a load balancer needs it', async (t) => {
    const scene = await open(t, { ...short, COUNTERSIGN_KEEP_ALIVE_SECONDS: '620' });
    const connection = await openConnection(scene.running.port);
    connection.write(scene.signed());
    assert.equal((await connection.answer()).headers['keep-alive'], 'timeout=620');
    connection.cut();
  });
});

test('work of callers who have proved who they are makes no room', async (t) => {
  const waiting: ServerResponse[] = [];
  const upstream = createServer((_, response) => void waiting.push(response));
  const address = await listenOn(upstream);
  const gateway = await openRawGateway(t, {
    upstreams: { slow: { addresses: [address] } },
    routes: [{ path: '/**', upstream: 'slow' }],
    environment: { COUNTERSIGN_CONNECTIONS_MAX: '16' },
  });
  t.after(() => closeServer(upstream));
  const working: RawConnection[] = [];
  for (let index = 0; index < 16; index++) {
    const connection = await openConnection(gateway.port);
    connection.write(gateway.text('GET', `/${index}`));
    working.push(connection);
    while (waiting.length <= index) await once(upstream, 'request');
  }
  const newcomer = await openConnection(gateway.port);
  assert.equal(await newcomer.ended(), '');
  for (const response of waiting) response.end('done');
  for (const connection of working) {
    assert.equal((await connection.answer()).status, 200);
    connection.cut();
  }
});
