import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { bodylessDraft, dateOf, type Draft, paymentDraft, requestOf } from '@countersign/testing/draft';
import { openConnection } from '@countersign/testing/raw-connection';
import { keyPair, runService } from '@countersign/testing/running-service';
import { codeOf, sendDraft } from '@countersign/testing/send-draft';
import { ServiceProcess } from '@countersign/testing/service-process';
import { settings } from '../../src/configuration/settings.ts';
import { openLocalRegistry } from '../../src/registry/local-registry.ts';
import { runProgram } from './run-program.ts';

/* The program as an operator meets it: its arguments, its environment, its exit codes, its signals. */

const folder = mkdtempSync(join(tmpdir(), 'countersign-program-'));
after(() => rmSync(folder, { recursive: true }));

/** A draft of now: these services have the real clock. */
function fresh<Made extends Draft>(draft: Made): Made {
  const created = Math.floor(Date.now() / 1000);
  return { ...draft, created, date: dateOf(created) };
}

describe('exit code 2: mistakes', { concurrency: true }, () => {
  test('of the configuration, all of them, and nothing is started or made', async () => {
    const dataFolder = join(folder, 'never');
    const { exitCode, output, errors } = await runProgram([], {
      COUNTERSIGN_DATA_FOLDER: dataFolder,
      COUNTERSIGN_PORT: 'http',
      COUNTERSIGN_NONCE: 'sometimes',
      COUNTERSIGN_HOTS: '::',
      COUNTERSIGN_PASSPHRASE: 'hunter2',
    });
    assert.equal(exitCode, 2);
    assert.equal(output, '');
    assert.match(
      errors,
      /^The configuration has 3 mistakes:\n {2}- COUNTERSIGN_HOTS: .*COUNTERSIGN_HOST\?\n {2}- COUNTERSIGN_PORT: .*\n {2}- COUNTERSIGN_NONCE: /,
    );
    assert.match(errors, /--help/);
    assert.doesNotMatch(errors, /hunter2|node:|at .*\.ts/);
    assert.equal(existsSync(dataFolder), false);
  });
  test('of the command line', async () => {
    const { exitCode, errors } = await runProgram(['--port=1'], {
      COUNTERSIGN_DATA_FOLDER: join(folder, 'never'),
    });
    assert.equal(exitCode, 2);
    assert.match(
      errors,
      /^There is no option --port=1: set COUNTERSIGN_PORT=1\. Settings are environment variables/,
    );
    const other = await runProgram(['--data-folder', 'elsewhere']);
    assert.equal(other.exitCode, 2);
    assert.match(other.errors, /^There is no option --data-folder: set COUNTERSIGN_DATA_FOLDER=elsewhere\. /);
  });
});

describe('exit code 1: it cannot start', { concurrency: true }, () => {
  test('the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const port = String((other.address() as AddressInfo).port);
    const run = await runProgram([], {
      COUNTERSIGN_DATA_FOLDER: join(folder, 'taken'),
      COUNTERSIGN_PORT: port,
    });
    other.close();
    assert.equal(run.exitCode, 1);
    assert.match(run.errors, /^Cannot listen: .*EADDRINUSE.* choose another one with COUNTERSIGN_PORT\.$/m);
  });
  test('the data folder is in use', async () => {
    const running = await runService();
    const run = await runProgram([], { COUNTERSIGN_DATA_FOLDER: running.dataFolder, COUNTERSIGN_PORT: '0' });
    const answer = await running.send({ method: 'GET', url: '/ready' });
    await running.close();
    assert.equal(run.exitCode, 1);
    assert.match(
      run.errors,
      /^Cannot start: Another Countersign service is already using the data folder .*COUNTERSIGN_DATA_FOLDER\.$/m,
    );
    assert.equal(answer.status, 200, 'the one that runs goes on');
  });
  test('the data folder is a file, or below one', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const dataFolder of [file, join(file, 'below')]) {
      const run = await runProgram([], { COUNTERSIGN_DATA_FOLDER: dataFolder, COUNTERSIGN_PORT: '0' });
      assert.equal(run.exitCode, 1, dataFolder);
      assert.match(
        run.errors,
        /^Cannot start: The data folder .*file.* cannot be created \(E\w+\): choose another one with COUNTERSIGN_DATA_FOLDER\.$/m,
      );
    }
  });
  test(
    'the data folder is where a file system makes none',
    { skip: !existsSync('/proc/self') && 'this system has no /proc' },
    async () => {
      for (const dataFolder of ['/proc/countersign', '/proc/countersign/below']) {
        for (const args of [[], ['--demo']]) {
          const run = await runProgram(args, { COUNTERSIGN_DATA_FOLDER: dataFolder, COUNTERSIGN_PORT: '0' });
          assert.equal(run.exitCode, 1, dataFolder);
          assert.match(
            run.errors,
            /^Cannot start: The data folder \/proc\/.* cannot be created \(E\w+\): choose another one with COUNTERSIGN_DATA_FOLDER\.$/m,
          );
          assert.doesNotMatch(run.errors, /^ +at /m);
        }
      }
    },
  );
  test('the database is none', async () => {
    const dataFolder = join(folder, 'nonsense');
    mkdirSync(dataFolder);
    writeFileSync(join(dataFolder, 'countersign.sqlite'), 'nonsense'.repeat(1000));
    const run = await runProgram([], { COUNTERSIGN_DATA_FOLDER: dataFolder, COUNTERSIGN_PORT: '0' });
    assert.equal(run.exitCode, 1);
    assert.match(run.errors, /^Cannot start: The file .* is not a database/m);
  });
  test('the log file is a folder', async () => {
    const settingsOfLog = {
      COUNTERSIGN_LOG_FILE: folder,
      COUNTERSIGN_DATA_FOLDER: join(folder, 'log'),
      COUNTERSIGN_PORT: '0',
    };
    const run = await runProgram([], settingsOfLog);
    assert.equal(run.exitCode, 1);
    assert.match(
      run.errors,
      /^Cannot start: The log file .* cannot be opened \(EISDIR\): .*COUNTERSIGN_LOG_FILE\.$/m,
    );
  });
  test('the address is not of this machine', async () => {
    const environment = {
      COUNTERSIGN_HOST: '192.0.2.1',
      COUNTERSIGN_DATA_FOLDER: join(folder, 'address'),
      COUNTERSIGN_PORT: '0',
    };
    const run = await runProgram([], environment);
    assert.equal(run.exitCode, 1);
    assert.match(run.errors, /^Cannot listen: .*192\.0\.2\.1.*COUNTERSIGN_HOST/m);
  });
});

test('--help lists every setting with its default, and changes nothing', async () => {
  const { exitCode, output, errors } = await runProgram(['--help'], { COUNTERSIGN_PORT: 'nonsense' }, folder);
  assert.equal(exitCode, 0);
  assert.equal(errors, '');
  for (const [name, { environment, default: fallback, help }] of Object.entries(settings)) {
    const shown = fallback === undefined ? '' : ` [${fallback || 'empty'}]`;
    assert.ok(
      output.includes(`  ${environment}${shown}\n      ${help} In the file: ${name}.\n`),
      environment,
    );
  }
  assert.match(output, /COUNTERSIGN_CONFIGURATION_FILE/);
  assert.equal(existsSync(join(folder, 'data')), false);
});

describe('a stop by SIGTERM', () => {
  const dataFolder = join(folder, 'stop');
  const environment = { COUNTERSIGN_STOP_SECONDS_MAX: '600' };
  let clientId: string;
  let used: Draft;
  before(async () => {
    const registry = await openLocalRegistry({ dataFolder, createIfMissing: true });
    ({ clientId } = await registry.addClient({
      name: 'Test client',
      publicKey: keyPair.publicKey,
      network: [{ entry: '0.0.0.0' }],
      roles: ['payments-operator'],
    }));
    await registry.close();
    used = fresh(paymentDraft(clientId));
  });

  test('finishes the request that runs, refuses others, closes what is idle, and exits with 0', async () => {
    const service = new ServiceProcess(dataFolder, environment);
    const port = Number(new URL(await service.listening()).port);
    const idle = await openConnection(port);
    idle.write('GET /live HTTP/1.1\r\nHost: x\r\n\r\n');
    assert.equal((await idle.answer()).status, 200);
    const late = await openConnection(port);
    late.write('GET /ready HTTP/1.1\r\n');

    const running = await openConnection(port);
    const { head, body } = requestOf({ ...used, headers: { ...used.headers, Expect: '100-continue' } });
    running.write(head);
    assert.equal((await running.answer()).status, 100);

    const ending = service.end('SIGTERM');
    assert.equal(await idle.ended(), '', 'nobody waits for a connection on which nothing runs');
    late.write('Host: x\r\n\r\n');
    const ready = await late.answer();
    assert.deepEqual([ready.status, ready.json()['reason']], [503, 'the service is stopping']);
    await late.ended();

    running.write(body);
    const answer = await running.answer();
    assert.equal(answer.status, 201);
    assert.equal(answer.headers['connection'], 'close');
    await running.ended();
    assert.deepEqual(await ending, { code: 0, signal: null });
    assert.match(service.output, /SIGTERM: stopping .* stopped\.\n$/);
  });

  test('refuses a signed request that comes while it stops', async () => {
    const service = new ServiceProcess(dataFolder, environment);
    const port = Number(new URL(await service.listening()).port);
    const { head, body } = requestOf(fresh(paymentDraft(clientId)));
    const late = await openConnection(port);
    late.write(head.slice(0, 20));
    // The response to a second request shows that the first bytes of the late one have been read.
    const idle = await openConnection(port);
    idle.write('GET /live HTTP/1.1\r\nHost: x\r\n\r\n');
    await idle.answer();
    const ending = service.end('SIGTERM');
    await idle.ended();
    late.write(head.slice(20) + body);
    const answer = await late.answer();
    assert.equal(codeOf(answer), 'shutting_down');
    assert.equal(answer.headers['connection'], 'close');
    assert.match(answer.headers['retry-after'] ?? '', /^\d+$/);
    assert.deepEqual(await ending, { code: 0, signal: null });
  });

  test('keeps what it remembers: the next start accepts at once, and what was used stays used', async () => {
    const service = new ServiceProcess(dataFolder, environment);
    const port = Number(new URL(await service.listening()).port);
    assert.equal(codeOf(await sendDraft({ port }, used)), 'signature_replayed');
    const sameSecond = bodylessDraft(clientId, { created: used.created, date: dateOf(used.created) });
    assert.equal(codeOf(await sendDraft({ port }, sameSecond)), '200');
    assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null });
  });

  test('hands over first where a delay is set: not ready, but serving, until a second signal', async () => {
    const service = new ServiceProcess(dataFolder, { ...environment, COUNTERSIGN_STOP_DELAY_SECONDS: '600' });
    const port = Number(new URL(await service.listening()).port);
    const connection = await openConnection(port);
    const ending = service.end('SIGTERM');
    for (let status = 200; status !== 503; status = (await connection.answer()).status)
      connection.write('GET /ready HTTP/1.1\r\nHost: x\r\n\r\n');
    assert.equal(codeOf(await sendDraft({ port }, fresh(paymentDraft(clientId)))), '201');
    assert.match(service.output, /SIGTERM: handing over for 600 s/);
    void service.end('SIGTERM');
    assert.deepEqual(await ending, { code: 0, signal: null });
  });

  test('does not wait on SIGINT, which a terminal sends', async () => {
    const service = new ServiceProcess(dataFolder, { ...environment, COUNTERSIGN_STOP_DELAY_SECONDS: '600' });
    await service.listening();
    assert.deepEqual(await service.end('SIGINT'), { code: 0, signal: null });
  });

  test('the data folder is for its owner alone', () => {
    assert.equal(statSync(dataFolder).mode & 0o777, 0o700);
    for (const name of readdirSync(dataFolder)) {
      assert.equal(statSync(join(dataFolder, name)).mode & 0o077, 0, name);
    }
  });
});

test(
  'a disk that is full for the log does not end the service',
  { skip: !existsSync('/dev/full') && 'this system has no /dev/full' },
  async () => {
    const service = new ServiceProcess(join(folder, 'full'), {
      COUNTERSIGN_LOG_FILE: '/dev/full',
      COUNTERSIGN_LOG_LEVEL: 'info',
    });
    const port = Number(new URL(await service.listening()).port);
    for (let count = 0; count < 3; count++) {
      assert.equal(
        codeOf(await sendDraft({ port }, fresh(bodylessDraft('client_unknown')))),
        'signature_invalid',
      );
    }
    assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null });
    assert.match(service.output, /The log cannot be written: ENOSPC/);
  },
);
