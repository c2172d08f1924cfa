import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { sql } from 'kysely';
import { openDatabase } from '../../src/storage/database.ts';
import { type Database, inSnapshot, inTransaction } from '../../src/storage/transaction.ts';

/* Transactions of SQLite that commit at the same time share one sync of the log. */

interface Scene {
  readonly database: Database;
  readonly file: string;
  readonly folder: string;
  /** The syncs that have begun. */
  readonly syncs: PromiseWithResolvers<void>[];
  readonly add: (id: string) => Promise<void>;
  readonly ids: () => Promise<string[]>;
}

/** A database whose syncs end when the test says so; those of its migrations end at once. */
async function openScene(t: TestContext): Promise<Scene> {
  const folder = temporaryFolder(t);
  const file = join(folder, 'a.sqlite');
  const syncs: PromiseWithResolvers<void>[] = [];
  let isOpen = false;
  const database = await openDatabase({
    file,
    syncLog: () => {
      const sync = Promise.withResolvers<void>();
      if (isOpen) syncs.push(sync);
      else sync.resolve();
      return sync.promise;
    },
  });
  isOpen = true;
  t.after(async () => {
    const destroyed = database.destroy();
    await turns();
    for (const { resolve } of syncs) resolve();
    await destroyed;
  });
  return {
    database,
    file,
    folder,
    syncs,
    add: (id) => inTransaction(database, (transaction) => insert(transaction, id)),
    ids: async () => {
      const rows = await database.selectFrom('accounts').select('account_id').orderBy('account_id').execute();
      return rows.map((row) => row.account_id);
    },
  };
}

async function insert(database: Database, id: string): Promise<void> {
  await database.insertInto('accounts').values({ account_id: id, name: id, created_at_ms: 0 }).execute();
}

/** Lets everything go on that does not wait for a sync. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
}

/** Says later whether a promise has ended. */
function watch(promise: Promise<unknown>): { readonly hasEnded: boolean } {
  const state = { hasEnded: false };
  const end = (): void => void (state.hasEnded = true);
  promise.then(end, end);
  return state;
}

const inDoubt = { name: 'StorageError', code: 'in_doubt' };
const unavailable = { name: 'StorageError', code: 'unavailable' };

describe('group commit in SQLite', () => {
  it('tells nobody of a commit before it is on the disk: not its caller, and no reader', async (t) => {
    const { add, ids, database, syncs } = await openScene(t);
    const added = add('a');
    const direct = insert(database, 'b');
    const read = ids();
    const inOneState = inSnapshot(database, (transaction) =>
      transaction.selectFrom('accounts').select('account_id').execute(),
    );
    const states = [added, direct, read, inOneState].map(watch);
    await turns();
    assert.deepEqual(
      states.map(({ hasEnded }) => hasEnded),
      [false, false, false, false],
    );
    assert.equal(syncs.length, 1);
    syncs[0]!.resolve();
    await Promise.all([added, direct]);
    assert.deepEqual(await read, ['a', 'b']);
    assert.equal((await inOneState).length, 2);
  });

  it('syncs once for all that commit while the disk is busy, and not for reads', async (t) => {
    const { add, ids, syncs } = await openScene(t);
    const first = add('0');
    await turns();
    assert.equal(syncs.length, 1);
    const others = Array.from({ length: 50 }, (_, index) => add(`1-${index}`));
    await turns();
    assert.equal(syncs.length, 1, 'one sync at a time');
    syncs[0]!.resolve();
    await first;
    const states = others.map(watch);
    await turns();
    assert.ok(
      states.every(({ hasEnded }) => !hasEnded),
      'the first sync began before they committed',
    );
    assert.equal(syncs.length, 2);
    syncs[1]!.resolve();
    await Promise.all(others);
    assert.equal((await ids()).length, 51);
    assert.equal(syncs.length, 2);
  });

  it('a transaction that fails undoes itself alone, and is told at once', async (t) => {
    const { database, add, ids, syncs } = await openScene(t);
    const before = add('before');
    const failing = inTransaction(database, async (transaction) => {
      await insert(transaction, 'undone');
      await insert(transaction, 'before');
    });
    const after = add('after');
    await assert.rejects(failing, /UNIQUE/);
    await turns();
    syncs[0]!.resolve();
    await Promise.all([before, after]);
    assert.deepEqual(await ids(), ['after', 'before']);
  });

  it('when SQLite itself rolls back, who was told of success is stored, and nobody else', async (t) => {
    const { database, add, ids, syncs } = await openScene(t);
    const released = setInterval(() => {
      for (const { resolve } of syncs) resolve();
    }, 1);
    t.after(() => clearInterval(released));
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(database);
    // The disk is full after a few more pages.
    await sql.raw(`pragma max_page_count = ${rows[0]!.page_count + 8}`).execute(database);
    const names = ['a', 'b', 'big', 'c', 'd'];
    const outcomes = await Promise.allSettled(
      names.map((name) =>
        inTransaction(database, async (transaction) => {
          await insert(transaction, name);
          if (name === 'big')
            await transaction
              .updateTable('accounts')
              .set({ name: 'x'.repeat(200_000) })
              .execute();
        }),
      ),
    );
    const told = names.filter((_, index) => outcomes[index]!.status === 'fulfilled');
    assert.ok(!told.includes('big'));
    assert.deepEqual(await ids(), told);
    await add('after');
    assert.deepEqual(await ids(), [...told, 'after'].toSorted());
  });

  it('when SQLite rolls back all of them because of one, the others are repeated', async (t) => {
    const { database, ids, syncs } = await openScene(t);
    const released = setInterval(() => {
      for (const { resolve } of syncs) resolve();
    }, 1);
    t.after(() => clearInterval(released));
    const runs: string[] = [];
    const outcomes = await Promise.allSettled(
      ['a', 'b', 'undoing', 'c'].map((name) =>
        inTransaction(database, async (transaction) => {
          runs.push(name);
          await insert(transaction, name);
          if (name === 'undoing')
            await sql`insert or rollback into accounts select * from accounts`.execute(transaction);
        }),
      ),
    );
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(runs.toSorted(), ['a', 'a', 'b', 'b', 'c', 'undoing']);
    assert.deepEqual(await ids(), ['a', 'b', 'c']);
  });

  it('what a failing disk leaves open is in doubt, and the next use brings it to the disk in another way', async (t) => {
    const { add, ids, syncs, file, folder } = await openScene(t);
    const first = add('a');
    await turns();
    const waiting = add('b');
    const reading = ids();
    await turns();
    syncs[0]!.reject(new Error('EIO: i/o error, fdatasync'));
    await assert.rejects(first, inDoubt);
    await assert.rejects(waiting, inDoubt);
    await assert.rejects(reading, unavailable);
    assert.equal(syncs.length, 1, 'a second sync could succeed without what the first should have written');
    assert.deepEqual(await ids(), ['a', 'b']);
    // All of it is in the database itself: the log is not needed.
    const copy = join(folder, 'copy.sqlite');
    copyFileSync(file, copy);
    const copied = new DatabaseSync(copy);
    const { count } = copied.prepare('select count(*) as count from accounts').get() as { count: number };
    copied.close();
    assert.equal(count, 2);
    const next = add('c');
    await turns();
    syncs[1]!.resolve();
    await next;
  });

  it('a transaction that was open when the disk failed is not taken for stored', async (t) => {
    const { database, add, syncs } = await openScene(t);
    const first = add('a');
    await turns();
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const open = inTransaction(database, async (transaction) => {
      begun.resolve();
      await goOn.promise;
      await insert(transaction, 'b');
    });
    await begun.promise;
    await turns();
    syncs[0]!.reject(new Error('EIO'));
    await assert.rejects(first, inDoubt);
    goOn.resolve();
    await assert.rejects(open, inDoubt);
  });

  it('nothing is read or written while the log cannot be brought to the disk', async (t) => {
    const { add, ids, syncs, file } = await openScene(t);
    const first = add('a');
    await turns();
    // A reader of the old state keeps the log from being emptied.
    const reader = new DatabaseSync(file);
    reader.exec('begin');
    reader.prepare('select * from accounts').all();
    syncs[0]!.reject(new Error('EIO'));
    await assert.rejects(first, inDoubt);
    await assert.rejects(ids(), unavailable);
    await assert.rejects(add('b'), unavailable);
    reader.close();
    assert.deepEqual(await ids(), ['a']);
  });

  it('syncs the log itself, before the answer', { skip: process.platform !== 'linux' }, (t) => {
    const file = join(temporaryFolder(t), 'a.sqlite');
    const program = `
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const order = [];
      const { fdatasync } = fs;
      fs.fdatasync = (descriptor, done) => fdatasync(descriptor, (error) => {
        order.push(fs.readlinkSync('/proc/self/fd/' + descriptor));
        done(error);
      });
      syncBuiltinESMExports();
      const { openDatabase } = await import(${JSON.stringify(new URL('../../src/storage/database.ts', import.meta.url))});
      const database = await openDatabase({ file: ${JSON.stringify(file)} });
      order.length = 0;
      await database.insertInto('accounts').values({ account_id: 'a', name: 'a', created_at_ms: 0 }).execute();
      order.push('told');
      await database.destroy();
      console.log(JSON.stringify(order));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    assert.deepEqual(JSON.parse(stdout || '[]'), [`${file}-wal`, 'told'], stderr);
  });
});
