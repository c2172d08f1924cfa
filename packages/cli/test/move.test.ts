import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { moveRegistry, openLocalRegistry, type RegistryMove } from '@countersign/server/local-registry';
import type { SignedRequest } from '@countersign/signature/node';
import { makePostgresDatabase } from '@countersign/testing/postgres';
import { postgresSkip } from '@countersign/testing/postgres-server';
import { baseUrl, type RunningService, runService, sendSigned } from '@countersign/testing/running-service';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { TestClock } from '@countersign/testing/test-clock';
import { openDatabase } from '../../server/src/storage/database.ts';
import type { Database } from '../../server/src/storage/transaction.ts';
import { exits } from '../src/exits.ts';
import { run } from './run.ts';

type Content = Readonly<Record<string, readonly Record<string, unknown>[]>>;

const databaseName = 'countersign.sqlite';

interface Scene {
  readonly running: RunningService;
  readonly clock: TestClock;
  readonly folder: string;
  readonly url: string;
  /** A service on the new place, by the same clock. */
  readonly start: (settings: Readonly<Record<string, string>>) => Promise<RunningService>;
}

/** A service in a data folder that has clients, payments and requests, and an empty PostgreSQL database. */
async function openScene(t: TestContext): Promise<Scene> {
  const clock = new TestClock(1_800_000_000);
  const overrides = { nowMs: clock.nowMs, monotonicMs: clock.monotonicMs };
  const running = await runService({}, overrides);
  t.after(() => running.close());
  const { url, remove } = await makePostgresDatabase('empty');
  t.after(remove);
  return {
    running,
    clock,
    folder: temporaryFolder(t),
    url,
    start: async (settings) => {
      const started = await runService(settings, overrides);
      t.after(() => started.close());
      return started;
    },
  };
}

async function pay(running: RunningService, client: Awaited<ReturnType<RunningService['addClient']>>) {
  const body = JSON.stringify({
    amount: 100,
    currency: 'EUR',
    reference: 'order',
    description: 'ä "quoted" \\ 😀',
  });
  const headers = { 'Idempotency-Key': 'once' };
  const answer = await sendSigned(running, client.signer, {
    method: 'POST',
    url: '/v1/payments',
    body,
    headers,
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.json()['paymentId'] as string;
}

/** All rows of all tables except those of the guard and of migrations. */
async function contentOf(database: Database): Promise<Content> {
  const content: Record<string, readonly Record<string, unknown>[]> = {};
  const tables = await database.introspection.getTables();
  for (const { name } of tables) {
    if (/^(?:guard_|used_signatures|schema_migrations)/.test(name)) continue;
    const rows = await database
      .selectFrom(name as 'accounts')
      .selectAll()
      .execute();
    content[name] = rows
      .map((row): Record<string, unknown> => ({ ...row }))
      .toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
  }
  return Object.fromEntries(Object.entries(content).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function textOf(row: Record<string, unknown>): string {
  return JSON.stringify(Object.entries(row).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

async function contentAt(place: { file: string } | { url: string }): Promise<Content> {
  const database = await openDatabase(place);
  try {
    return await contentOf(database);
  } finally {
    await database.destroy();
  }
}

function codeOf(running: RunningService, { method, url, headers }: SignedRequest): Promise<unknown> {
  return running.send({ method, url, headers: { ...headers } }).then((answer) => answer.json()['code']);
}

describe('countersign move', { skip: postgresSkip }, () => {
  it('moves everything to PostgreSQL and back, and no used signature passes again', async (t) => {
    const { running, clock, folder, url, start } = await openScene(t);
    const client = await running.addClient();
    const paymentId = await pay(running, client);
    const labels = { tags: ['partner', 'eu'], metadata: { owner: 'ä "quoted" \\ 😀' } };
    await running.change((registry) => registry.label(client.clientId, labels));
    const sign = (aheadSeconds = 0): SignedRequest =>
      client.signer.sign(
        { method: 'POST', url: `${baseUrl}/v1/payments/none/cancel` },
        { created: clock.seconds + aheadSeconds },
      );
    const [used, ahead] = [sign(), sign(60)];
    for (const signature of [used, ahead]) assert.equal(await codeOf(running, signature), 'not_found');
    await running.service.stop();
    const before = await contentAt({ file: join(running.dataFolder, databaseName) });
    assert.ok(
      before['payments']!.length === 1 &&
        before['client_tags']!.length === 2 &&
        before['request_records']!.length >= 3,
    );

    const there = await run(['move', '--to', url, '--data', running.dataFolder], { folder });
    assert.equal(there.code, exits.ok.code, there.errors);
    assert.match(there.errors, /copied +request_records/);
    assert.match(there.errors, /compared +payments +1 of 1/);
    assert.match(there.errors, /Set COUNTERSIGN_DATABASE_URL.*\n.*recently_restarted.*two minutes/);
    assert.ok(!there.errors.includes(url));
    assert.deepEqual(await contentAt({ url }), before);

    const onPostgres = await start({ COUNTERSIGN_DATABASE_URL: url });
    for (const signature of [used, ahead, sign(1)])
      assert.equal(await codeOf(onPostgres, signature), 'recently_restarted');
    clock.pass(123);
    assert.equal(await codeOf(onPostgres, used), 'recently_restarted');
    const usedOnPostgres = sign();
    assert.equal(await codeOf(onPostgres, usedOnPostgres), 'not_found');
    const payment = await sendSigned(onPostgres, client.signer, {
      method: 'GET',
      url: `/v1/payments/${paymentId}`,
    });
    assert.equal(payment.json()['description'], 'ä "quoted" \\ 😀');
    await onPostgres.service.stop();
    const later = await contentAt({ url });

    const environment = { COUNTERSIGN_DATABASE_URL: url };
    const back = await run(['move', '--to', 'again', '--json'], { folder, environment });
    assert.equal(back.code, exits.ok.code, back.out);
    const { tables } = JSON.parse(back.out) as { tables: { table: string; rows: number; sha256: string }[] };
    assert.ok(tables.every(({ sha256 }) => /^[0-9a-f]{64}$/.test(sha256)));
    assert.equal(tables.find(({ table }) => table === 'payments')?.rows, 1);
    const file = join(folder, 'again', databaseName);
    assert.deepEqual(await contentAt({ file }), later);

    const again = await start({ COUNTERSIGN_DATA_FOLDER: join(folder, 'again') });
    assert.equal(await codeOf(again, usedOnPostgres), 'recently_restarted');
    assert.equal(await codeOf(again, sign(60)), 'recently_restarted');
    clock.pass(123);
    assert.equal(await codeOf(again, sign()), 'not_found');
    await again.close();
  });

  it('a service that is started on the old place again refuses all signatures of before too', async (t) => {
    const { running, clock, folder, url } = await openScene(t);
    const { signer } = await running.addClient();
    const sign = (): SignedRequest =>
      signer.sign({ method: 'GET', url: `${baseUrl}/v1/whoami` }, { created: clock.seconds });
    const signature = sign();
    await running.service.stop();
    assert.equal(
      (await run(['move', '--to', url, '--data', running.dataFolder], { folder })).code,
      exits.ok.code,
    );
    await running.restart();
    assert.equal(await codeOf(running, signature), 'recently_restarted');
    clock.pass(123);
    assert.equal(await codeOf(running, sign()), undefined);
  });

  it('refuses while a service uses either place', async (t) => {
    const { running, folder, url, start } = await openScene(t);
    const toRunning = await run(['move', '--to', url, '--data', running.dataFolder, '--json'], { folder });
    assert.equal(toRunning.code, exits.local.code);
    assert.match(toRunning.out, /"in_use"/);
    await running.service.stop();
    const other = await start({ COUNTERSIGN_DATABASE_URL: url });
    const toServed = await run(['move', '--to', url, '--data', running.dataFolder, '--json'], { folder });
    assert.match(toServed.out, /"in_use"/);
    const environment = { COUNTERSIGN_DATABASE_URL: url };
    const fromServed = await run(['move', '--to', 'new', '--json'], { folder, environment });
    assert.match(fromServed.out, /"in_use"/);
    await other.service.stop();
  });

  it('overwrites nothing, and needs two places of different kinds', async (t) => {
    const { running, folder, url } = await openScene(t);
    await running.addClient();
    await running.service.stop();
    const data = ['--data', running.dataFolder];
    const registry = await openLocalRegistry({ databaseUrl: url });
    await registry.addAccount('Somebody');
    await registry.close();
    const refused = await run(['move', '--to', url, ...data, '--json'], { folder });
    assert.equal(refused.code, exits.local.code);
    assert.match(refused.out, /"not_empty".*/s);
    const wrong: readonly (readonly [string[], RegExp])[] = [
      [[...data], /--to is missing/],
      [['--to', 'other', ...data], /Both places are data folders/],
      [['--to', 'postgresql://user:hunter2@[', ...data], /must be a URL/],
    ];
    for (const [argv, message] of wrong) {
      const { code, errors } = await run(['move', ...argv], { folder });
      assert.equal(code, exits.usage.code);
      assert.match(errors, message);
      assert.ok(!errors.includes('hunter2'));
    }
    const both = await run(['move', '--to', url], { folder, environment: { COUNTERSIGN_DATABASE_URL: url } });
    assert.match(both.errors, /pg_dump/);
    const missing = await run(['move', '--to', url, '--data', 'nowhere', '--json'], { folder });
    assert.match(missing.out, /registry_missing/);
    assert.deepEqual(readdirSync(folder), []);
  });
});

describe('a move', { skip: postgresSkip }, () => {
  /** A registry with a few pages of audit events, and a way to move it that a test can disturb. */
  async function openRegistry(t: TestContext) {
    const dataFolder = join(temporaryFolder(t), 'data');
    mkdirSync(dataFolder);
    const registry = await openLocalRegistry({ dataFolder, createIfMissing: true });
    const { accountId } = await registry.addAccount('Shop');
    const network = [{ entry: '0.0.0.0' }];
    for (let index = 0; index < 5; index += 1)
      await registry.addClient({ name: `Client ${index}`, accountId, network, roles: ['payments-operator'] });
    t.after(() => registry.close());
    const file = join(dataFolder, databaseName);
    const filling = new DatabaseSync(file);
    filling.exec(`insert into last_uses (subject, subject_id, used_at_ms)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 2500)
      select 'key', 'key_' || n, n from numbers`);
    filling.close();
    const { url, remove } = await makePostgresDatabase('empty');
    t.after(remove);
    const moveIt = (onProgress: RegistryMove['onProgress']) =>
      moveRegistry({ from: { dataFolder }, to: { databaseUrl: url }, onProgress });
    return { registry, accountId, file, url, moveIt };
  }

  it('that is interrupted goes on where it was, and until then nobody can use the new place', async (t) => {
    const { file, url, moveIt } = await openRegistry(t);
    const stop = new Error('interrupted');
    await assert.rejects(
      moveIt(({ table, rows }) => {
        if (table === 'last_uses' && rows >= 1000) throw stop;
      }),
      stop,
    );
    await assert.rejects(openDatabase({ url }), { name: 'StorageError', code: 'unfinished_move' });
    const copied: string[] = [];
    const moved = await moveIt(({ step, table, rows }) => {
      if (step === 'copied') copied.push(`${table} ${rows}`);
    });
    assert.deepEqual(
      copied.filter((text) => /^(?:last_uses|accounts|clients) /.test(text)),
      ['last_uses 2000', 'last_uses 2500'],
    );
    assert.equal(moved.find(({ table }) => table === 'last_uses')?.rows, 2500);
    assert.deepEqual(await contentAt({ url }), await contentAt({ file }));
  });

  it('during which an operator changes something takes it along', async (t) => {
    const { registry, accountId, file, url, moveIt } = await openRegistry(t);
    let changing: Promise<unknown> | undefined;
    await moveIt(({ table }) => {
      // Accounts and clients have been copied by then.
      if (table === 'last_uses' && changing === undefined)
        changing = registry.updateAccount(accountId, { name: 'Renamed' });
    });
    await changing;
    const content = await contentAt({ url });
    assert.deepEqual(content, await contentAt({ file }));
    assert.deepEqual(
      content['accounts']!.map((row) => row['name']),
      ['Renamed'],
    );
  });
});
