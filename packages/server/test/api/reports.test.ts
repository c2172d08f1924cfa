import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Answer, ProblemError } from '@countersign/gate';
import { runService, sendSigned } from '@countersign/testing/running-service';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { waitUntil } from '@countersign/testing/wait-until';
import type { Api } from '../../src/api/api.ts';
import type { ApiRequest } from '../../src/api/handler.ts';
import { ReportMaker } from '../../src/api/reports/report-maker.ts';
import type { ReportRequest } from '../../src/api/reports/report-handlers.ts';
import { databaseFileName } from '../../src/registry/local-registry.ts';
import { addAccount } from '../../src/registry/store/accounts.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { whenOnDisk } from '../../src/storage/sqlite-dialect.ts';
import { apiOn } from './api-on.ts';

/* Reports of a service on SQLite are made in a thread of their own. */

function requestOf(accountId: string): ReportRequest {
  return {
    parameters: {},
    nowMs: 1_790_000_000_000,
    caller: { kind: 'client', accountId, permissions: new Set() },
  };
}

/** A response as its caller gets it, or the rejection. */
async function told(answering: Promise<Answer>): Promise<unknown> {
  try {
    const { status, headers, body, bytes } = await answering;
    const text = body === undefined ? Buffer.from(bytes as Uint8Array).toString() : JSON.stringify(body);
    return { status, headers: { 'Content-Type': 'application/json', ...headers }, text };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { code, detail, message, members, headers } = error;
    return { code, detail, message, members, headers };
  }
}

/** Asks an API as an administrator of an account does. */
async function ask(api: Api, url: string, accountId: string, nowMs: number): Promise<unknown> {
  const [path = '', query = ''] = url.split('?');
  const match = api.find('GET', path);
  assert.ok('handler' in match, url);
  const { operation, parameters, handler } = match;
  const caller = { kind: 'client', accountId, permissions: new Set(['requests:read']), sourceAddress: '' };
  const request = {
    operation,
    parameters,
    query,
    nowMs,
    caller,
    body: Buffer.alloc(0),
    header: () => undefined,
  };
  return told(Promise.resolve(handler(request as unknown as ApiRequest)));
}

describe('reports', () => {
  it('are the same from their own thread as from the thread that answers', async (t) => {
    const running = await runService();
    t.after(() => running.close());
    const { signer } = await running.addClient({ roles: ['administrator'] });
    for (let count = 0; count < 3; count += 1)
      await sendSigned(running, signer, { method: 'GET', url: `/v1/signature-test?n=${count}` });
    await sendSigned(running, signer, { method: 'POST', url: '/v1/roles', body: '{"name":"x"}' });
    await running.service.stop();
    const file = join(running.dataFolder, databaseFileName);
    const database = await openDatabase({ file });
    t.after(() => database.destroy());
    const reportMaker = new ReportMaker({ place: { file }, whenOnDisk: () => whenOnDisk(database) });
    t.after(() => reportMaker.close());
    const { request_id: requestId, account_id: accountId } = await database
      .selectFrom('request_records')
      .select(['request_id', 'account_id'])
      .executeTakeFirstOrThrow();
    const [here, there] = [apiOn(database), apiOn(database, { reportMaker })];
    const nowMs = Date.now();
    for (const url of [
      '/v1/requests',
      '/v1/requests?limit=2&format=csv',
      '/v1/requests?limit=2&format=ndjson&sort=durationMs',
      `/v1/requests/${requestId}`,
      '/v1/requests/request_01m8atffxne5tr3etzavmbqs99',
      '/v1/requests?limit=101',
      '/v1/requests?cursor=unknown',
      '/v1/requests?accountId=account_01m8atffxne5tr3etzavmbqs99',
      '/v1/request-totals',
      '/v1/request-statistics',
      '/v1/request-failures',
      '/v1/refused-addresses',
      '/v1/readiness',
      '/v1/audit-events?format=csv',
      '/v1/clients?sort=-lastUsedAt',
      '/v1/clients?sort=color',
    ]) {
      const answer = await ask(there, url, accountId, nowMs);
      assert.deepEqual(answer, await ask(here, url, accountId, nowMs), url);
    }
  });

  it('contain what was changed just before', async (t) => {
    const running = await runService({}, { hasReportThread: true });
    t.after(() => running.close());
    const { signer } = await running.addClient({ roles: ['administrator'] });
    for (let count = 0; count < 20; count += 1) {
      const body = JSON.stringify({ name: `Client ${count}`, networkWhitelist: [{ entry: '10.0.0.1' }] });
      const added = await sendSigned(running, signer, {
        method: 'POST',
        url: '/v1/clients',
        body,
        headers: { 'Content-Type': 'application/json' },
      });
      assert.equal(added.status, 201);
      const listed = await sendSigned(running, signer, {
        method: 'GET',
        url: `/v1/clients?search=Client%20${count}`,
      });
      assert.match(listed.text, new RegExp(`"Client ${count}"`));
    }
  });
});

/** A thread that lists the requested reports, and creates them on demand, the oldest first. */
const obedient = `
  import { BroadcastChannel, parentPort } from 'node:worker_threads';
  const channel = new BroadcastChannel(CHANNEL);
  const tasks = [];
  parentPort.on('message', (task) => {
    if (task === 'close') { channel.close(); parentPort.close(); return; }
    tasks.push(task);
    channel.postMessage(JSON.parse(task.argument).caller.accountId);
  });
  channel.onmessage = () => {
    const { id } = tasks.shift();
    parentPort.postMessage({ id, result: { answer: { status: 200, bytes: new Uint8Array() } } });
  };`;

/** A maker of reports whose thread is obedient. */
function obedientMaker(t: TestContext) {
  const name = `reports ${Math.random()}`;
  const channel = new BroadcastChannel(name);
  const program = new URL(
    `data:text/javascript,${encodeURIComponent(obedient.replace('CHANNEL', JSON.stringify(name)))}`,
  );
  const maker = new ReportMaker({ place: { file: 'none' }, whenOnDisk: () => undefined, program });
  t.after(async () => {
    await maker.close();
    channel.close();
  });
  const heard: string[] = [];
  let hear = Promise.withResolvers<void>();
  channel.addEventListener('message', ({ data }) => {
    heard.push(data as string);
    hear.resolve();
    hear = Promise.withResolvers();
  });
  return {
    make: (accountId: string) => maker.make('listRequests', {}, requestOf(accountId)),
    /** Resolves with the accounts that the thread works for, when it was asked for so many reports. */
    heard: async (count: number): Promise<readonly string[]> => {
      while (heard.length < count) await hear.promise;
      return heard;
    },
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel of threads has no origin
    finishOne: () => channel.postMessage('one'),
  };
}

describe('the thread of the reports', () => {
  it('makes two of an account at once, so that another account waits for two at most', async (t) => {
    const { make, heard, finishOne } = obedientMaker(t);
    const greedy = Array.from({ length: 5 }, () => make('greedy'));
    const patient = make('patient');
    assert.deepEqual(await heard(3), ['greedy', 'greedy', 'patient']);
    finishOne();
    assert.deepEqual(await heard(4), ['greedy', 'greedy', 'patient', 'greedy']);
    for (let count = 0; count < 3; count += 1) finishOne();
    await heard(6);
    for (let count = 0; count < 2; count += 1) finishOne();
    await Promise.all([...greedy, patient]);
    // Nothing is left of the turns: as at the beginning.
    const again = [make('greedy'), make('greedy')];
    await heard(8);
    finishOne();
    finishOne();
    await Promise.all(again);
  });

  it('is replaced when it fails, and the reports that it was making can be asked for again', async (t) => {
    const mistake = new URL('data:text/javascript,await 0; throw new Error("a mistake of the program")');
    const maker = new ReportMaker({ place: { file: 'none' }, whenOnDisk: () => undefined, program: mistake });
    t.after(() => maker.close());
    const unavailable = { name: 'StorageError', code: 'unavailable' };
    for (let count = 0; count < 3; count += 1)
      await assert.rejects(maker.make('listRequests', {}, requestOf('account')), unavailable);
  });

  it('answers an outage of the database with its code', async (t) => {
    const place = { file: join(temporaryFolder(t), 'none', 'none.sqlite') };
    const maker = new ReportMaker({ place, whenOnDisk: () => undefined });
    t.after(() => maker.close());
    await assert.rejects(maker.make('listRequests', {}, requestOf('account')), {
      name: 'StorageError',
      code: 'unavailable',
    });
  });

  it('tells nobody of what is not on the disk yet', async (t) => {
    const file = join(temporaryFolder(t), 'a.sqlite');
    let sync: PromiseWithResolvers<void> | undefined;
    let isHeld = false;
    const database = await openDatabase({
      file,
      syncLog: async () => {
        if (!isHeld) return;
        sync = Promise.withResolvers();
        await sync.promise;
      },
    });
    t.after(() => database.destroy());
    let asked = 0;
    const maker = new ReportMaker({
      place: { file },
      whenOnDisk: () => {
        asked += 1;
        return whenOnDisk(database);
      },
    });
    t.after(() => maker.close());
    const make = (): Promise<unknown> => maker.make('listAuditEvents', {}, requestOf('account'));
    await make();
    isHeld = true;
    const context = { nowMs: 0, keyPolicy: {}, actor: { kind: 'operator-cli', id: 'test' } } as const;
    const events: string[] = [];
    const added = addAccount(database, { name: 'New' }, context).then(() => events.push('added'));
    await waitUntil(() => sync !== undefined, 'the sync');
    const reported = make().then(() => events.push('reported'));
    await waitUntil(() => asked === 2, 'the thread');
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    events.push('on the disk');
    isHeld = false;
    sync!.resolve();
    await Promise.all([added, reported]);
    assert.equal(events[0], 'on the disk');
  });
});
