import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { builtInRoles } from '@countersign/contract';
import { openDatabase } from '../../src/storage/database.ts';
import { type Migration, migrations } from '../../src/storage/migrations/migrations.ts';
import { StorageError } from '../../src/storage/storage-error.ts';
import type { Database } from '../../src/storage/transaction.ts';
import { temporaryDatabase, temporaryFolder } from './temporary-folder.ts';

const createTable = (name: string) => async (database: Kysely<unknown>) => {
  await database.schema.createTable(name).addColumn('id', 'text').execute();
};

async function tableNames(database: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(
    database,
  );
  return rows.map((row) => row.name).toSorted();
}

const storageError = (code: string, text: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StorageError, String(error));
  assert.equal(error.code, code);
  assert.match(error.message, text);
  return true;
};

describe('migrations that fail', () => {
  test('a failed migration leaves the schema before it, and those before it stay', async (context) => {
    const file = join(temporaryFolder(context), 'a.sqlite');
    const first: Migration = { name: 'first', up: createTable('first') };
    const broken: Migration = {
      name: 'second',
      up: async (database) => {
        await createTable('half')(database);
        throw new Error('broken');
      },
    };
    await assert.rejects(openDatabase({ file, migrations: [first, broken] }), /broken/);
    const database = await openDatabase({ file, migrations: [first] });
    context.after(() => database.destroy());
    assert.deepEqual(await tableNames(database), ['first', 'schema_migrations']);
  });

  test('a process that is killed in a migration leaves the old schema, and the next start finishes', async (context) => {
    const file = join(temporaryFolder(context), 'a.sqlite');
    const program = `
      import { openDatabase } from ${JSON.stringify(new URL('../../src/storage/database.ts', import.meta.url))};
      await openDatabase({ file: ${JSON.stringify(file)}, migrations: [{ name: 'first', up: async (database) => {
        await database.schema.createTable('half').addColumn('id', 'text').execute();
        process.kill(process.pid, 'SIGKILL');
        await new Promise(() => setInterval(() => {}, 1000));
      } }] });`;
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    assert.equal(child.signal, 'SIGKILL', child.stderr);
    const database = await openDatabase({ file, migrations: [{ name: 'first', up: createTable('whole') }] });
    context.after(() => database.destroy());
    assert.deepEqual(await tableNames(database), ['schema_migrations', 'whole']);
  });
});

describe('openDatabase refuses', () => {
  test('a database from a newer version, and leaves it as it is', async (context) => {
    const file = join(temporaryFolder(context), 'a.sqlite');
    const newer: Migration[] = [...migrations, { name: '9999-future', up: createTable('future') }];
    await (await openDatabase({ file, migrations: newer })).destroy();
    await assert.rejects(
      openDatabase({ file }),
      storageError('newer_version', /newer version.*schema 3.*up to 2.*backup/),
    );
    const database = await openDatabase({ file, migrations: newer });
    context.after(() => database.destroy());
    assert.ok((await tableNames(database)).includes('future'));
  });

  test('a schema with other migrations', async (context) => {
    const file = join(temporaryFolder(context), 'a.sqlite');
    await (await openDatabase({ file, migrations: [{ name: 'other', up: createTable('other') }] })).destroy();
    await assert.rejects(openDatabase({ file }), storageError('foreign_schema', /not from Countersign/));
  });

  test('a file that is no database', async (context) => {
    const file = join(temporaryFolder(context), 'a.sqlite');
    writeFileSync(file, 'This is a letter, not a database. '.repeat(100));
    await assert.rejects(openDatabase({ file }), storageError('not_a_database', /not a database.*backup/));
  });

  test('a folder in place of the file, and a file in place of the folder', async (context) => {
    const folder = temporaryFolder(context);
    mkdirSync(join(folder, 'a.sqlite'));
    writeFileSync(join(folder, 'file'), '');
    await assert.rejects(
      openDatabase({ file: join(folder, 'a.sqlite') }),
      storageError('not_accessible', /EISDIR/),
    );
    await assert.rejects(
      openDatabase({ file: join(folder, 'file', 'a') }),
      storageError('not_accessible', /permissions/),
    );
  });

  test('a write when another process holds the lock for longer than the time-out', async (context) => {
    const { database, file } = await temporaryDatabase(context);
    const other = await openDatabase({ file, busyTimeoutMs: 30 });
    context.after(() => other.destroy());
    const account = { account_id: 'a', name: 'a', created_at_ms: 0 };
    await database.transaction().execute(async (transaction) => {
      await transaction.insertInto('accounts').values(account).execute();
      await assert.rejects(
        other.insertInto('accounts').values(account).execute(),
        storageError('unavailable', /locked by another process/),
      );
      // Reading goes on, and sees what is committed.
      assert.deepEqual(await other.selectFrom('accounts').selectAll().execute(), []);
    });
    assert.equal((await other.selectFrom('accounts').selectAll().execute()).length, 1);
  });
});

describe('openDatabase', () => {
  test('makes folder and file for the owner alone, also in a folder for all', async (context) => {
    const folder = temporaryFolder(context);
    const file = join(folder, 'new', 'deep', 'a.sqlite');
    const database = await openDatabase({ file });
    context.after(() => database.destroy());
    await database.insertInto('accounts').values({ account_id: 'a', name: 'a', created_at_ms: 0 }).execute();
    const mode = (path: string): number => statSync(path).mode & 0o777;
    assert.equal(mode(join(folder, 'new')), 0o700);
    assert.equal(mode(join(folder, 'new', 'deep')), 0o700);
    for (const suffix of ['', '-wal', '-shm']) assert.equal(mode(file + suffix), 0o600, suffix);
  });

  test('closes a file that was left open for others', async (context) => {
    const file = join(temporaryFolder(context), 'a.sqlite');
    await (await openDatabase({ file })).destroy();
    chmodSync(file, 0o666);
    await (await openDatabase({ file })).destroy();
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  test('writes every commit to the disk and checks references', async (context) => {
    const { database } = await temporaryDatabase(context);
    const pragma = async (name: string): Promise<unknown> =>
      Object.values((await sql.raw<object>(`pragma ${name}`).execute(database)).rows[0] ?? {})[0];
    assert.equal(await pragma('journal_mode'), 'wal');
    assert.equal(await pragma('synchronous'), 2);
    assert.equal(await pragma('foreign_keys'), 1);
    await assert.rejects(
      database
        .insertInto('role_permissions')
        .values({ role_id: 'no', permission: 'payments:read' })
        .execute(),
      /FOREIGN KEY/,
    );
  });

  test('opens again without migrating again, and leaves no files behind but the database', async (context) => {
    const file = join(temporaryFolder(context), 'a.sqlite');
    for (let count = 0; count < 3; count += 1) await (await openDatabase({ file })).destroy();
    assert.equal(existsSync(`${file}-wal`), false);
    const connection = new DatabaseSync(file, { readOnly: true });
    context.after(() => connection.close());
    const names = connection.prepare('select name from schema_migrations order by version').all();
    assert.deepEqual(
      names.map((row) => row['name']),
      migrations.map((migration) => migration.name),
    );
  });

  test('opened many times at once, migrates once', async (context) => {
    const file = join(temporaryFolder(context), 'a.sqlite');
    const databases = await Promise.all(Array.from({ length: 4 }, () => openDatabase({ file })));
    for (const database of databases) {
      assert.equal((await database.selectFrom('registry_version').selectAll().execute()).length, 1);
      await database.destroy();
    }
  });

  test('has a row for every built-in role of the contract, and no other', async (context) => {
    const { database } = await temporaryDatabase(context);
    const rows = await database
      .selectFrom('roles')
      .select(['role_id', 'name', 'account_id'])
      .orderBy('name')
      .execute();
    const expected = Object.keys(builtInRoles).toSorted();
    assert.deepEqual(
      rows.map((row) => [row.role_id, row.name, row.account_id]),
      expected.map((name) => [name, name, null]),
    );
  });

  test('a transaction that fails leaves nothing, and the next query works', async (context) => {
    const { database } = await temporaryDatabase(context);
    const failing = database.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('accounts')
        .values({ account_id: 'a', name: 'a', created_at_ms: 0 })
        .execute();
      throw new Error('changed my mind');
    });
    await assert.rejects(failing, /changed my mind/);
    assert.deepEqual(await database.selectFrom('accounts').selectAll().execute(), []);
  });

  test('more different statements than are kept still work', async (context) => {
    const { database } = await temporaryDatabase(context);
    for (let count = 1; count <= 450; count += 1) {
      const number = 1 + (count % 225);
      const { rows } = await sql.raw<{ value: number }>(`select ${number} as value`).execute(database);
      assert.equal(rows[0]?.value, number);
    }
  });
});
