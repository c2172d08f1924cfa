import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { type Kysely, sql } from 'kysely';
import { builtInRoles } from '@countersign/contract';
import { isPostgres } from '../../src/storage/dialect.ts';
import { type Migration, migrations } from '../../src/storage/migrations/migrations.ts';
import { StorageError } from '../../src/storage/storage-error.ts';
import { type Database, inSnapshot, inTransaction } from '../../src/storage/transaction.ts';

/* What every database that storage runs on must do. */

const createTable = (name: string) => async (database: Kysely<unknown>) => {
  await database.schema.createTable(name).addColumn('id', 'text').execute();
};

async function tableNames(database: Database): Promise<string[]> {
  return (await database.introspection.getTables()).map((table) => table.name).toSorted();
}

const storageError = (code: string, text: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StorageError, String(error));
  assert.equal(error.code, code);
  assert.match(error.message, text);
  return true;
};

const account = (id: string): { account_id: string; name: string; created_at_ms: number } => ({
  account_id: id,
  name: 'An account',
  created_at_ms: 0,
});

for (const { name, skip, make, makeEmpty } of backends) {
  describe(`migrations that fail, on ${name}`, { skip }, () => {
    test('a failed migration leaves the schema before it, and those before it stay; a new database stays empty', async (context) => {
      const { open } = await makeEmpty(context);
      const first: Migration = { name: 'first', up: createTable('first') };
      const broken: Migration = {
        name: 'second',
        up: async (database) => {
          await createTable('half')(database);
          throw new Error('broken');
        },
      };
      await assert.rejects(open({ migrations: [first, broken] }), /broken/);
      assert.deepEqual(await tableNames(await open({ migrations: [] })), ['schema_migrations']);
      await open({ migrations: [first] });
      const second: Migration = { name: 'second', up: createTable('second') };
      await assert.rejects(open({ migrations: [first, second, { ...broken, name: 'third' }] }), /broken/);
      const database = await open({ migrations: [first, second] });
      assert.deepEqual(await tableNames(database), ['first', 'schema_migrations', 'second']);
      const records = sql<{ version: number }>`select version from schema_migrations order by version`;
      assert.deepEqual(
        (await records.execute(database)).rows.map(({ version }) => version),
        [1, 2],
      );
    });

    test('a process that is killed in a migration leaves the old schema, and the next start finishes', async (context) => {
      const { open, place } = await makeEmpty(context);
      const options =
        'databaseUrl' in place
          ? { url: place.databaseUrl }
          : { file: `${place.dataFolder}/countersign.sqlite` };
      const program = `
      import { openDatabase } from ${JSON.stringify(new URL('../../src/storage/database.ts', import.meta.url))};
      await openDatabase({ ...${JSON.stringify(options)}, migrations: [{ name: 'first', up: async (database) => {
        await database.schema.createTable('half').addColumn('id', 'text').execute();
        process.kill(process.pid, 'SIGKILL');
        await new Promise(() => setInterval(() => {}, 1000));
      } }] });`;
      const child = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
      assert.equal(child.signal, 'SIGKILL', child.stderr);
      const database = await open({ migrations: [{ name: 'first', up: createTable('whole') }] });
      assert.deepEqual(await tableNames(database), ['schema_migrations', 'whole']);
    });
  });

  describe(`openDatabase on ${name} refuses`, { skip }, () => {
    test('a database from a newer version, and leaves it as it is', async (context) => {
      const { open } = await makeEmpty(context);
      const newer: Migration[] = [...migrations, { name: '9999-future', up: createTable('future') }];
      const known = migrations.length;
      await open({ migrations: newer });
      const message = new RegExp(`newer version.*schema ${known + 1}.*up to ${known}.*backup`);
      await assert.rejects(open(), storageError('newer_version', message));
      assert.ok((await tableNames(await open({ migrations: newer }))).includes('future'));
    });

    test('a schema with other migrations', async (context) => {
      const { open } = await makeEmpty(context);
      await open({ migrations: [{ name: 'other', up: createTable('other') }] });
      await assert.rejects(open(), storageError('foreign_schema', /not from Countersign/));
    });
  });

  describe(`a database on ${name}`, { skip }, () => {
    test('opened many times at once, migrates once', async (context) => {
      const { open } = await makeEmpty(context);
      for (const database of await Promise.all(Array.from({ length: 6 }, () => open()))) {
        assert.equal((await database.selectFrom('registry_version').selectAll().execute()).length, 1);
      }
    });

    test('opens again without migrating again', async (context) => {
      const { open } = await makeEmpty(context);
      await open();
      const database = await open();
      const { rows } = await sql<{
        name: string;
      }>`select name from schema_migrations order by version`.execute(database);
      assert.deepEqual(
        rows.map((row) => row.name),
        migrations.map((migration) => migration.name),
      );
    });

    test('has a row for every built-in role of the contract, and no other', async (context) => {
      const { database } = await make(context);
      const rows = await database
        .selectFrom('roles')
        .select(['role_id', 'name', 'account_id'])
        .orderBy('name')
        .execute();
      const expected = Object.keys(builtInRoles).toSorted();
      assert.deepEqual(
        rows.map((row) => [row.role_id, row.name, row.account_id]),
        expected.map((role) => [role, role, null]),
      );
    });

    test('checks references', async (context) => {
      const { database } = await make(context);
      const grant = { role_id: 'no', permission: 'payments:read' };
      await assert.rejects(database.insertInto('role_permissions').values(grant).execute(), /foreign key/i);
    });

    test('a transaction that fails leaves nothing, and the next query works', async (context) => {
      const { database } = await make(context);
      const failing = database.transaction().execute(async (transaction) => {
        await transaction.insertInto('accounts').values(account('a')).execute();
        throw new Error('changed my mind');
      });
      await assert.rejects(failing, /changed my mind/);
      assert.deepEqual(await database.selectFrom('accounts').selectAll().execute(), []);
    });

    test('a transaction whose failed statement was overlooked is not committed in silence', async (context) => {
      const { database } = await make(context);
      await database.insertInto('accounts').values(account('a')).execute();
      const overlooking = database.transaction().execute(async (transaction) => {
        await transaction.insertInto('accounts').values(account('b')).execute();
        await transaction
          .insertInto('accounts')
          .values(account('a'))
          .execute()
          .catch(() => undefined);
      });
      const outcome = await overlooking.then(
        () => 'committed',
        () => 'refused',
      );
      const rows = await database.selectFrom('accounts').select('account_id').execute();
      assert.equal(rows.length, outcome === 'committed' ? 2 : 1);
    });

    test('orders texts by their bytes, whatever the language of the server is', async (context) => {
      const { database } = await make(context);
      const ids = ['a', 'B', '_', 'ä', 'Z', '0', 'a-b', 'ab', '~', '😀', '\uffee'];
      for (const id of ids) await database.insertInto('accounts').values(account(id)).execute();
      const rows = await database.selectFrom('accounts').select('account_id').orderBy('account_id').execute();
      const byBytes = ids.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
      assert.deepEqual(
        rows.map((row) => row.account_id),
        byBytes,
      );
      const after = await database
        .selectFrom('accounts')
        .select('account_id')
        .where('account_id', '>', 'Z')
        .execute();
      assert.equal(after.length, byBytes.length - 1 - byBytes.indexOf('Z'));
    });

    test('gives whole numbers back as numbers', async (context) => {
      const { database } = await make(context);
      const created_at_ms = 999_999_999_999_999;
      await database
        .insertInto('accounts')
        .values({ ...account('a'), created_at_ms })
        .execute();
      const row = await database
        .selectFrom('accounts')
        .select((column) => ['created_at_ms', column.fn.countAll<number>().over().as('rows')])
        .executeTakeFirst();
      assert.deepEqual({ ...row }, { created_at_ms, rows: 1 });
    });

    test('a snapshot sees one state, whatever is committed meanwhile', async (context) => {
      const { database, open } = await make(context);
      const other = await open();
      const count = async (transaction: Database): Promise<number> =>
        (await transaction.selectFrom('accounts').selectAll().execute()).length;
      const counts = await inSnapshot(database, async (transaction) => {
        const before = await count(transaction);
        await other.insertInto('accounts').values(account('a')).execute();
        return [before, await count(transaction)];
      });
      assert.deepEqual(counts, [0, 0]);
      assert.equal(await count(database), 1);
    });

    test('two transactions that wait for each other both succeed', async (context) => {
      const { database, open } = await make(context);
      for (const id of ['a', 'b']) await database.insertInto('accounts').values(account(id)).execute();
      const rename = (transaction: Database, id: string, text: string): Promise<unknown> =>
        transaction.updateTable('accounts').set({ name: text }).where('account_id', '=', id).execute();
      const halves = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const both = async (on: Database, ids: readonly [string, string], text: string): Promise<void> =>
        inTransaction(on, async (transaction) => {
          await rename(transaction, ids[0], text);
          halves[ids[0] === 'a' ? 0 : 1]?.resolve();
          // On SQLite one begins when the other has ended.
          if (isPostgres(on)) await Promise.all(halves.map(({ promise }) => promise));
          await rename(transaction, ids[1], text);
        });
      await Promise.all([both(database, ['a', 'b'], 'one'), both(await open(), ['b', 'a'], 'other')]);
      const names = (await database.selectFrom('accounts').select('name').execute()).map((row) => row.name);
      assert.equal(new Set(names).size, 1);
    });
  });
}
