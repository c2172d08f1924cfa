import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { temporaryDatabase } from '@countersign/testing/temporary-database';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { sql } from 'kysely';
import { openDatabase } from '../../src/storage/database.ts';
import { migrations } from '../../src/storage/migrations/migrations.ts';
import { StorageError } from '../../src/storage/storage-error.ts';

const storageError = (code: string, text: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StorageError, String(error));
  assert.equal(error.code, code);
  assert.match(error.message, text);
  return true;
};

describe('openDatabase refuses', () => {
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
      // Reading continues, and sees committed data.
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

  test('has a write-ahead log that is synced before it is overwritten, and checks references', async (context) => {
    const { database } = await temporaryDatabase(context);
    const pragma = async (name: string): Promise<unknown> =>
      Object.values((await sql.raw<object>(`pragma ${name}`).execute(database)).rows[0] ?? {})[0];
    assert.equal(await pragma('journal_mode'), 'wal');
    assert.equal(await pragma('synchronous'), 1);
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

  test('more different statements than are kept still work', async (context) => {
    const { database } = await temporaryDatabase(context);
    for (let count = 1; count <= 450; count += 1) {
      const number = 1 + (count % 225);
      const { rows } = await sql.raw<{ value: number }>(`select ${number} as value`).execute(database);
      assert.equal(rows[0]?.value, number);
    }
  });
});
