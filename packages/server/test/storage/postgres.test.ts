import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test, type TestContext } from 'node:test';
import { makePostgresDatabase, sharedServer } from '@countersign/testing/postgres';
import { PostgresServer, postgresSkip } from '@countersign/testing/postgres-server';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { waitForResult, waitUntil } from '@countersign/testing/wait-until';
import { sql } from 'kysely';
import { openDatabase } from '../../src/storage/database.ts';
import { connectPostgres } from '../../src/storage/postgres-database.ts';
import { StorageError, type StorageErrorCode } from '../../src/storage/storage-error.ts';
import { type Database, inTransaction } from '../../src/storage/transaction.ts';

/* What only PostgreSQL can do to storage: being somewhere else. */

function storageError(code: StorageErrorCode, text: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof StorageError, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, text);
    assert.doesNotMatch(`${error.message} ${error.stack}`, /hunter2/);
    return true;
  };
}

const account = { account_id: 'a', name: 'An account', created_at_ms: 0 };

async function openNew(t: TestContext, options: { busyTimeoutMs?: number } = {}) {
  const { url, remove } = await makePostgresDatabase('migrated');
  const database = await openDatabase({ url, ...options });
  t.after(async () => {
    await database.destroy();
    await remove();
  });
  return { url, database };
}

async function setting(database: Database, name: string): Promise<string | undefined> {
  const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(database);
  return rows[0]?.value;
}

describe('openDatabase on PostgreSQL refuses', { skip: postgresSkip }, () => {
  test('a password, a user and a database that are not right', async () => {
    const server = await sharedServer();
    await server.query(`create user guarded password 'right'`);
    const at = `127.0.0.1:${server.port}`;
    await assert.rejects(
      openDatabase({ url: `postgresql://guarded:hunter2@${at}/postgres` }),
      storageError('not_accessible', /user or password.*28P01/),
    );
    await assert.rejects(
      openDatabase({ url: `postgresql://nobody:hunter2@${at}/postgres` }),
      storageError('not_accessible', /user or password/),
    );
    await assert.rejects(
      openDatabase({ url: `postgresql://tests:hunter2@${at}/missing` }),
      storageError('not_accessible', /no such database.*create it/),
    );
  });

  test('a user who may make no tables, and takes the tables that are there', async (t) => {
    const server = await sharedServer();
    await server.query(`create user reader`);
    const { url, remove } = await makePostgresDatabase('empty');
    t.after(remove);
    const asReader = url.replace('tests@', 'reader@');
    await assert.rejects(
      openDatabase({ url: asReader }),
      storageError('not_accessible', /lacks a permission/),
    );
    await (await openDatabase({ url })).destroy();
    const name = new URL(url).pathname.slice(1);
    await server.query('grant select, insert, update, delete on all tables in schema public to reader', name);
    const database = await openDatabase({ url: asReader });
    await database.insertInto('accounts').values(account).execute();
    await database.destroy();
  });

  test('a database that cannot hold every text', async () => {
    const server = await sharedServer();
    await server.query(`create database latin template template0 encoding LATIN1 locale 'C'`);
    await assert.rejects(
      openDatabase({ url: server.url('latin') }),
      storageError('not_accessible', /encoding UTF8/),
    );
  });

  test('what is not there, and what never answers, soon', async (t) => {
    await assert.rejects(
      openDatabase({ url: 'postgresql://user:hunter2@127.0.0.1:1/none' }),
      storageError('unavailable', /cannot be reached.*ECONNREFUSED/),
    );
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    t.after(() => silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const options = {
      applicationName: 'test',
      connectionsMax: 1,
      statementTimeoutMs: 3000,
      lockTimeoutMs: 0,
    };
    const url = `postgresql://user:hunter2@127.0.0.1:${port}/none`;
    const database = connectPostgres({ ...options, url, connectTimeoutMs: 200 });
    t.after(() => database.destroy());
    await assert.rejects(
      waitForResult(database.selectFrom('accounts').selectAll().execute(), 'the end of the attempt'),
      storageError('unavailable', /cannot be reached/),
    );
  });
});

describe('a connection', { skip: postgresSkip }, () => {
  test('reads what is committed and writes to the disk, whatever the server would do', async (t) => {
    const { url } = await openNew(t);
    const name = new URL(url).pathname.slice(1);
    const server = await sharedServer();
    await server.query(`alter database ${name} set synchronous_commit = off`);
    await server.query(`alter database ${name} set default_transaction_isolation = 'serializable'`);
    const database = await openDatabase({ url });
    t.after(() => database.destroy());
    assert.equal(await setting(database, 'synchronous_commit'), 'on');
    assert.equal(await setting(database, 'transaction_isolation'), 'read committed');
    await server.query(`alter database ${name} set synchronous_commit = remote_apply`);
    const stricter = await openDatabase({ url });
    t.after(() => stricter.destroy());
    assert.equal(await setting(stricter, 'synchronous_commit'), 'remote_apply');
  });

  test('does not give a number that it cannot hold', async (t) => {
    const { database } = await openNew(t);
    await assert.rejects(sql`select 9007199254740993::bigint as value`.execute(database), /too large/);
    const { rows } = await sql`select 9007199254740991::bigint as value`.execute(database);
    assert.deepEqual(rows, [{ value: 9_007_199_254_740_991 }]);
  });

  test('a statement that takes too long is ended, and the next one works', async (t) => {
    const { url } = await openNew(t);
    const patience = { statementTimeoutMs: 100, lockTimeoutMs: 100, connectTimeoutMs: 1000 };
    const database = connectPostgres({ url, applicationName: 'test', connectionsMax: 1, ...patience });
    t.after(() => database.destroy());
    await assert.rejects(
      sql`select pg_sleep(5)`.execute(database),
      storageError('unavailable', /took too long/),
    );
    await sql`select 1`.execute(database);
  });

  test('a lock that another transaction holds is waited for, and not for ever', async (t) => {
    const { database, url } = await openNew(t);
    await database.insertInto('accounts').values(account).execute();
    const other = await openDatabase({ url, busyTimeoutMs: 50 });
    t.after(() => other.destroy());
    const rename = (on: Database): Promise<unknown> =>
      on.updateTable('accounts').set({ name: 'b' }).execute();
    await database.transaction().execute(async (transaction) => {
      await rename(transaction);
      await assert.rejects(rename(other), storageError('unavailable', /locked by another transaction/));
    });
    await rename(other);
  });

  test('a transaction that stands still is ended, so that others can go on', async (t) => {
    const { database } = await openNew(t);
    const standing = database.transaction().execute(async (transaction) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction);
      await transaction.insertInto('accounts').values(account).execute();
      await sql`set local idle_in_transaction_session_timeout = 100`.execute(transaction);
      const isConnected = sql`select from pg_stat_activity where pid = ${rows[0]!.pid}`;
      await waitUntil(async () => (await isConnected.execute(database)).rows.length === 0, 'the end');
      await transaction.selectFrom('accounts').selectAll().execute();
    });
    await assert.rejects(standing, storageError('unavailable', /\./));
    assert.deepEqual(await database.selectFrom('accounts').selectAll().execute(), []);
  });

  test('waits its turn when all are in use, and is refused when that takes too long', async (t) => {
    const { url } = await makePostgresDatabase('migrated');
    const database = await openDatabase({ url, poolMax: 1 });
    t.after(() => database.destroy());
    const begun = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    const holder = database.transaction().execute(async (transaction) => {
      await sql`select 1`.execute(transaction);
      begun.resolve();
      await over.promise;
    });
    await begun.promise;
    await assert.rejects(
      waitForResult(database.selectFrom('accounts').selectAll().execute(), 'the end of the wait'),
      storageError('unavailable', /cannot be reached/),
    );
    over.resolve();
    await holder;
    assert.deepEqual(await database.selectFrom('accounts').selectAll().execute(), []);
  });
});

describe('the server goes away', { skip: postgresSkip }, () => {
  let server: PostgresServer;
  before(async () => {
    server = await PostgresServer.start();
    await server.query('create database storage');
  });
  after(() => server.remove());

  for (const how of ['stop', 'kill'] as const) {
    test(`(${how}): every query says so, in a transaction too, and all work when it is back`, async (t) => {
      const database = await openDatabase({ url: server.url('storage') });
      t.after(() => database.destroy());
      await database
        .insertInto('accounts')
        .values({ ...account, account_id: how })
        .execute();
      const begun = Promise.withResolvers<void>();
      const gone = Promise.withResolvers<void>();
      const running = inTransaction(database, async (transaction) => {
        await transaction
          .insertInto('accounts')
          .values({ ...account, account_id: `${how} half` })
          .execute();
        begun.resolve();
        await gone.promise;
        await transaction
          .insertInto('accounts')
          .values({ ...account, account_id: `${how} whole` })
          .execute();
      });
      running.catch(() => undefined);
      await begun.promise;
      await server[how]();
      gone.resolve();
      await assert.rejects(running, storageError('unavailable', /\./));
      for (let count = 0; count < 3; count += 1) {
        await assert.rejects(
          waitForResult(database.selectFrom('accounts').selectAll().execute(), 'the end of the attempt'),
          storageError('unavailable', /cannot be reached|starting or stopping/),
        );
      }
      await server.start();
      const rows = await database
        .selectFrom('accounts')
        .select('account_id')
        .where('account_id', 'like', `${how}%`)
        .execute();
      assert.deepEqual(rows, [{ account_id: how }]);
    });
  }

  test('a standby can only be read: writing says so, and works when it has taken over', async (t) => {
    const standby = await PostgresServer.startStandby(server);
    t.after(() => standby.remove());
    const options = { applicationName: 'test', connectionsMax: 2, lockTimeoutMs: 0, connectTimeoutMs: 1000 };
    const database = connectPostgres({ ...options, url: standby.url('storage'), statementTimeoutMs: 3000 });
    t.after(() => database.destroy());
    const write = (): Promise<unknown> =>
      database
        .insertInto('accounts')
        .values({ ...account, account_id: 'standby' })
        .execute();
    await assert.rejects(write, storageError('unavailable', /is read-only.*primary/));
    await standby.promote();
    await write();
  });
});

describe('TLS', { skip: postgresSkip }, () => {
  test('by the parameters of the URL: used when asked for, and refused with a stranger', async (t) => {
    const folder = temporaryFolder(t);
    const [key, certificate] = [join(folder, 'server.key'), join(folder, 'server.crt')];
    const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const make = [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-keyout',
      key,
      '-out',
      certificate,
    ];
    execFileSync('openssl', [...make, ...names], { stdio: 'pipe' });
    const server = await PostgresServer.start(
      {},
      { key: readFileSync(key), certificate: readFileSync(certificate) },
    );
    t.after(() => server.remove());
    const url = server.url('postgres');
    await assert.rejects(
      openDatabase({ url: `${url}?sslmode=verify-full` }),
      storageError('unavailable', /cannot be reached.*SELF_SIGNED_CERT/),
    );
    const database = await openDatabase({ url: `${url}?sslmode=verify-full&sslrootcert=${certificate}` });
    t.after(() => database.destroy());
    const { rows } = await sql<{
      ssl: boolean;
    }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(database);
    assert.deepEqual(rows, [{ ssl: true }]);
  });
});
