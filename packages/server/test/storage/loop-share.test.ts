import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { sql } from 'kysely';
import { openDatabase } from '../../src/storage/database.ts';
import { LoopShare } from '../../src/storage/loop-share.ts';
import { inTransaction } from '../../src/storage/transaction.ts';

test('a long transaction in SQLite lets others have their turns in between', async (t) => {
  const database = await openDatabase({ file: join(temporaryFolder(t), 'a.sqlite') });
  t.after(() => database.destroy());
  let turns = 0;
  let immediate = setImmediate(function count() {
    turns += 1;
    immediate = setImmediate(count);
  });
  t.after(() => clearImmediate(immediate));
  const turnsWhile = await inTransaction(database, async (transaction) => {
    const before = turns;
    // Some hundred times what one turn may take.
    for (let count = 0; count < 20_000; count += 1) await sql`select ${count}`.execute(transaction);
    return turns - before;
  });
  assert.ok(turnsWhile > 5, `${turnsWhile} turns`);
});

test('a transaction after a long one does not wait, because each turn has a share of its own', async () => {
  const share = new LoopShare();
  assert.equal(share.next(), undefined);
  let waited = share.next();
  // Whatever the machine does, the share of one turn is used up at some time.
  while (waited === undefined) waited = share.next();
  await waited;
  for (let count = 0; count < 10; count += 1) {
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    assert.equal(share.next(), undefined);
  }
});
