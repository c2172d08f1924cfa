import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { freePort } from '@countersign/testing/free-port';
import { PostgresServer, postgresSkip } from '@countersign/testing/postgres-server';
import { RedisServerProcess, redisIsMissing } from '@countersign/testing/redis';
import { ServiceProcess } from '@countersign/testing/service-process';
import { waitUntil } from '@countersign/testing/wait-until';
import { version } from '../../src/lifecycle/version.ts';
import { makeCertificates, skipWithoutOpenssl } from '../directories/certificates.ts';
import { runMailServer } from '../identity/mail-server.ts';
import { openStreamReceiver } from '../streams/receiver.ts';
import { openSyslogReceiver } from '../streams/syslog-receiver.ts';
import { runProgram } from './run-program.ts';

/* A start's handling of the resources that the service needs, as an operator sees it. */

const folder = mkdtempSync(join(tmpdir(), 'countersign-start-'));
after(() => rmSync(folder, { recursive: true }));

const secrets = { password: 'pass-word-1', portal: 'p'.repeat(40), mail: 'mail-word-1', oidc: 'oidc-word-1' };

/** Waits until a service has printed something; the error shows its output if it never does. */
async function printed(service: ServiceProcess, text: string): Promise<void> {
  await waitUntil(
    () => service.output.includes(text),
    () => service.output,
  );
}

describe('PostgreSQL', { skip: postgresSkip }, () => {
  test('that is away at the start is waited for, and the log says so', async (t) => {
    const server = await PostgresServer.start();
    t.after(() => server.remove());
    await server.query('create database late');
    await server.stop();
    const service = new ServiceProcess(join(folder, 'late'), {
      COUNTERSIGN_DATABASE_URL: server.url('late'),
    });
    await printed(service, 'waiting for a store that is unavailable');
    assert.match(service.output, /The database cannot be reached: [^"]*\(ECONNREFUSED\)/);
    await server.start();
    await service.listening();
    await service.end();
  });

  test('a start that waits ends by a signal', async () => {
    const service = new ServiceProcess(join(folder, 'waits'), {
      COUNTERSIGN_DATABASE_URL: `postgresql://tests@127.0.0.1:${await freePort()}/none`,
    });
    await printed(service, 'waiting for a store');
    assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null });
  });

  test('is waited for no longer than the setting says', async () => {
    const run = await runProgram([], {
      COUNTERSIGN_DATABASE_URL: `postgresql://tests:${secrets.password}@127.0.0.1:${await freePort()}/none`,
      COUNTERSIGN_START_SECONDS_MAX: '1',
      COUNTERSIGN_PORT: '0',
    });
    assert.equal(run.exitCode, 1);
    assert.match(run.errors, /Cannot start: The database cannot be reached/);
    assert.ok(!run.errors.includes(secrets.password));
  });

  test('with a wrong password, a missing database or a host that does not exist ends the start at once', async (t) => {
    const server = await PostgresServer.start();
    t.after(() => server.remove());
    await server.query(`create user guarded password 'right'`);
    const wrong = {
      [server.url('postgres', `guarded:${secrets.password}`)]: /rejects the user or password/,
      [server.url('missing')]: /There is no such database/,
      [server.url('postgres').replace('127.0.0.1', 'nowhere.invalid')]: /cannot be reached/,
    };
    for (const [url, message] of Object.entries(wrong)) {
      const run = await runProgram([], {
        COUNTERSIGN_DATABASE_URL: url,
        COUNTERSIGN_PORT: '0',
        // A machine without a name server cannot know that a host does not exist.
        ...(url.includes('nowhere') && { COUNTERSIGN_START_SECONDS_MAX: '1' }),
      });
      assert.equal(run.exitCode, 1, url);
      assert.match(run.errors, message);
      assert.ok(!run.errors.includes(secrets.password));
    }
  });
});

describe('Redis', { skip: redisIsMissing }, () => {
  test('that is away at the start is waited for; with a wrong password the start ends at once', async (t) => {
    const server = await RedisServerProcess.start();
    t.after(() => server.stop());
    await server.kill();
    const service = new ServiceProcess(join(folder, 'redis'), {
      COUNTERSIGN_REDIS_URL: server.url,
      COUNTERSIGN_ALLOW_REDIS_WITHOUT_APPEND_ONLY_FILE: 'yes',
    });
    await printed(service, 'waiting for a store that is unavailable');
    assert.match(service.output, /Redis cannot be reached/);
    await server.restart();
    await service.listening();
    await service.end();

    await server.requirePassword('right');
    const run = await runProgram([], {
      COUNTERSIGN_DATA_FOLDER: join(folder, 'redis-password'),
      COUNTERSIGN_REDIS_URL: server.url.replace('//', `//:${secrets.password}@`),
      COUNTERSIGN_PORT: '0',
    });
    assert.equal(run.exitCode, 1);
    assert.match(run.errors, /Cannot start: Redis rejected the command: WRONGPASS/);
    assert.ok(!run.errors.includes(secrets.password));
  });
});

test('--version prints the version', async () => {
  const run = await runProgram(['--version']);
  assert.deepEqual(run, { exitCode: 0, output: `${version()}\n`, errors: '' });
});

describe('--check', () => {
  test('lists everything that cannot be used, and makes nothing', async () => {
    const port = await freePort();
    const run = await runProgram(['--check'], {
      COUNTERSIGN_LOG_FILE: folder,
      COUNTERSIGN_DATABASE_URL: `postgresql://tests:${secrets.password}@127.0.0.1:${port}/none`,
      COUNTERSIGN_REDIS_URL: `redis://:${secrets.password}@127.0.0.1:${port}`,
      COUNTERSIGN_MAIL_URL: `smtp://user:${secrets.mail}@127.0.0.1:${port}`,
      COUNTERSIGN_MAIL_FROM: 'portal@example.com',
      COUNTERSIGN_OIDC_ISSUER: `http://127.0.0.1:${port}`,
      COUNTERSIGN_OIDC_CLIENT_ID: 'countersign',
      COUNTERSIGN_OIDC_CLIENT_SECRET: secrets.oidc,
    });
    assert.equal(run.exitCode, 1);
    const [first, ...mistakes] = run.errors.trim().split('\n');
    assert.equal(first, 'The check found 5 mistakes:');
    assert.deepEqual(
      mistakes.map((line) => /^ {2}- (\w+): ./.exec(line)?.[1]),
      ['LOG_FILE', 'DATABASE_URL', 'REDIS_URL', 'MAIL_URL', 'OIDC_ISSUER'].map(
        (name) => `COUNTERSIGN_${name}`,
      ),
    );
    for (const secret of Object.values(secrets)) assert.ok(!run.errors.includes(secret));
  });

  test('connects to every address of the upstreams', async (t) => {
    const listening = createServer().listen(0, '127.0.0.1');
    t.after(() => listening.close());
    await once(listening, 'listening');
    const { port } = listening.address() as AddressInfo;
    const reached = `http://127.0.0.1:${port}`;
    const missing = `http://127.0.0.1:${await freePort()}`;
    const settings = {
      COUNTERSIGN_UPSTREAM: reached,
      COUNTERSIGN_API_BASE_URLS: 'https://api.example.com',
      COUNTERSIGN_DATA_FOLDER: join(folder, 'upstreams'),
    };
    const run = await runProgram(['--check'], settings);
    assert.deepEqual([run.exitCode, run.errors], [0, '']);
    const named = {
      one: { addresses: [reached, missing] },
      two: { addresses: `https://127.0.0.1:${port}`, connectSeconds: 1 },
    };
    const failed = await runProgram(['--check'], {
      ...settings,
      COUNTERSIGN_UPSTREAM: missing,
      COUNTERSIGN_UPSTREAMS: JSON.stringify(named),
      COUNTERSIGN_ROUTES: JSON.stringify([{ path: '/**', upstream: 'one', permission: 'none' }]),
    });
    assert.equal(failed.exitCode, 1);
    const [first, ...mistakes] = failed.errors.trim().split('\n');
    assert.equal(first, 'The check found 3 mistakes:');
    assert.match(mistakes[0]!, /COUNTERSIGN_UPSTREAMS: one: .* cannot be reached \(.*ECONNREFUSED/);
    assert.ok(mistakes[0]!.includes(missing));
    assert.match(mistakes[1]!, /COUNTERSIGN_UPSTREAMS: two: https:.* cannot be reached \(/);
    assert.match(mistakes[2]!, /COUNTERSIGN_UPSTREAM: .* cannot be reached \(.*ECONNREFUSED/);
  });

  test(
    'connects to the receiver of every stream, and sends nothing',
    { skip: skipWithoutOpenssl },
    async (t) => {
      const arrived: Buffer[] = [];
      const plain = await openSyslogReceiver();
      t.after(() => plain.close());
      plain.accept = (socket) => {
        socket.on('data', (chunk: Buffer) => arrived.push(chunk));
        return false;
      };
      const settings = { COUNTERSIGN_DATA_FOLDER: join(folder, 'streams') };
      const streams = {
        plain: { what: 'audit', to: `syslog+tcp://${plain.host}` },
        missing: { what: 'audit', to: `http://127.0.0.1:${await freePort()}` },
      };
      const run = await runProgram(['--check'], {
        ...settings,
        COUNTERSIGN_STREAMS: JSON.stringify(streams),
      });
      assert.deepEqual(
        [run.exitCode, run.errors],
        [1, 'The check found a mistake:\n  - COUNTERSIGN_STREAMS: missing: The server cannot be reached.\n'],
      );
      assert.equal(arrived.length, 0);
      const { authority, server } = makeCertificates(['DNS:localhost']);
      const receiver = await openStreamReceiver(server);
      t.after(() => receiver.close());
      const certificateAuthorityFile = join(folder, 'authority.pem');
      writeFileSync(certificateAuthorityFile, authority);
      const stream = { what: ['audit', 'requests'], to: `${receiver.origin}/ingest` };
      const untrusted = JSON.stringify({ siem: stream });
      const failed = await runProgram(['--check'], { ...settings, COUNTERSIGN_STREAMS: untrusted });
      assert.match(failed.errors, /COUNTERSIGN_STREAMS: siem: The TLS handshake failed, or .* not trusted\./);
      const trusted = JSON.stringify({ siem: { ...stream, certificateAuthorityFile } });
      const good = await runProgram(['--check'], { ...settings, COUNTERSIGN_STREAMS: trusted });
      assert.deepEqual([good.exitCode, good.errors], [0, '']);
      assert.equal(receiver.batches.length, 0);
    },
  );

  test('lists the mistakes of the configuration itself with exit code 2', async () => {
    const run = await runProgram(['--check'], { COUNTERSIGN_PORT: 'http', COUNTERSIGN_NONCE: 'never' });
    assert.equal(run.exitCode, 2);
    assert.match(run.errors, /^The configuration has 2 mistakes:/);
  });

  test('is content with what can be used, and leaves a fresh data folder unmade', async () => {
    const dataFolder = join(folder, 'fresh');
    const run = await runProgram(['--check'], { COUNTERSIGN_DATA_FOLDER: dataFolder });
    assert.deepEqual([run.exitCode, run.errors], [0, '']);
    const service = new ServiceProcess(dataFolder);
    await service.listening();
    const beside = await runProgram(['--check'], { COUNTERSIGN_DATA_FOLDER: dataFolder });
    assert.deepEqual([beside.exitCode, beside.errors], [0, '']);
    await service.end('SIGTERM');
  });

  test('signs in to the mail server, and only over TLS', async (t) => {
    const server = await runMailServer();
    t.after(() => server.close());
    const settings = {
      COUNTERSIGN_DATA_FOLDER: join(folder, 'mail'),
      COUNTERSIGN_MAIL_URL: server.url,
      COUNTERSIGN_MAIL_FROM: 'portal@example.com',
    };
    const run = await runProgram(['--check'], settings);
    assert.equal(run.exitCode, 1);
    assert.match(run.errors, /COUNTERSIGN_MAIL_URL: .*STARTTLS/);
    const open = await runProgram(['--check'], { ...settings, COUNTERSIGN_MAIL_REQUIRE_TLS: 'no' });
    assert.deepEqual([open.exitCode, open.errors], [0, '']);
  });
});

test('the first line of the log has the version and the settings in force, without secrets', async () => {
  const service = new ServiceProcess(join(folder, 'first-line'), {
    COUNTERSIGN_LOG_LEVEL: 'info',
    COUNTERSIGN_NODES: '1',
    COUNTERSIGN_PORTAL_SECRET: secrets.portal,
    COUNTERSIGN_MAIL_URL: `smtp://user:${secrets.mail}@mail.example.com`,
    COUNTERSIGN_MAIL_FROM: 'portal@example.com',
    COUNTERSIGN_OIDC_ISSUER: 'https://login.example.com',
    COUNTERSIGN_OIDC_CLIENT_ID: 'countersign',
    COUNTERSIGN_OIDC_CLIENT_SECRET: secrets.oidc,
  });
  await service.listening();
  await service.end('SIGTERM');
  const line = service.output.split('\n').find((text) => text.startsWith('{'));
  const first = JSON.parse(line ?? '') as { version: string; settings: Record<string, unknown>; msg: string };
  assert.equal(first.msg, 'the service is starting');
  assert.equal(first.version, version());
  const { mailUrl, portalSecret, createdMaxAgeSeconds, mailRequireTls, stopDelaySeconds } = first.settings;
  assert.deepEqual(
    { mailUrl, portalSecret, createdMaxAgeSeconds, mailRequireTls, stopDelaySeconds },
    {
      mailUrl: 'smtp://user:***@mail.example.com',
      portalSecret: '***',
      createdMaxAgeSeconds: 300,
      mailRequireTls: true,
      stopDelaySeconds: 0,
    },
  );
  for (const secret of Object.values(secrets)) assert.ok(!service.output.includes(secret));
});
