import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { sql } from 'kysely';
import { countAttempt, type GuessSubject } from '../../src/people/identity/guess-limit.ts';
import type { Database } from '../../src/storage/transaction.ts';

const dayMs = 86_400_000;
const nowMs = 20_000 * dayMs;
const person: GuessSubject = { kind: 'person', email: 'somebody@example.test' };

/** Fills the table with failures of yesterday's strangers. */
async function addForgotten(database: Database, count: number): Promise<void> {
  for (let start = 0; start < count; start += 1000) {
    const rows = Array.from({ length: Math.min(1000, count - start) }, (_, index) => ({
      subject: `address:${start + index}`,
      failures: 1,
      locked_until_ms: 0,
      forgotten_at_ms: nowMs - 1000 + ((start + index) % 1000),
    }));
    await database.insertInto('sign_in_failures').values(rows).execute();
  }
}

async function countRows(database: Database): Promise<number> {
  const { count } = await database
    .selectFrom('sign_in_failures')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

for (const { name, skip, make } of backends) {
  describe(`failed sign-ins that are forgotten, on ${name}`, { skip }, () => {
    test('are removed a few at a time, the oldest first, by an index', async (t) => {
      const { database } = await make(t);
      await addForgotten(database, 5000);
      assert.ok('takeBack' in (await countAttempt(database, [person], nowMs)));
      assert.equal(await countRows(database), 5000 - 100 + 1);
      const { oldest } = await database
        .selectFrom('sign_in_failures')
        .select(({ fn }) => fn.min('forgotten_at_ms').as('oldest'))
        .executeTakeFirstOrThrow();
      assert.ok(oldest > nowMs - 1000);
      const explain =
        name === 'SQLite'
          ? sql<object>`explain query plan select subject from sign_in_failures where forgotten_at_ms <= ${nowMs}
              order by forgotten_at_ms limit 100`
          : sql<object>`select indexdef from pg_indexes where tablename = 'sign_in_failures'`;
      const { rows } = await explain.execute(database);
      assert.match(JSON.stringify(rows), /sign_in_failures_by_end/);
      assert.doesNotMatch(JSON.stringify(rows), /TEMP B-TREE/);
    });

    test('are all removed in time, also by attempts that come together', async (t) => {
      const { database } = await make(t);
      await addForgotten(database, 1000);
      for (let round = 0; round < 10; round++) {
        const attempts = Array.from({ length: 4 }, (_, index) => {
          const other = { kind: 'proof', email: `${round}-${index}@example.test` } as const;
          return countAttempt(database, [other], nowMs);
        });
        for (const attempt of await Promise.all(attempts)) assert.ok('takeBack' in attempt);
      }
      assert.equal(await countRows(database), 40);
    });

    test('count from the beginning when they are still in the table', async (t) => {
      const { database } = await make(t);
      const attempt = async (atMs: number): Promise<string> =>
        'takeBack' in (await countAttempt(database, [person], atMs)) ? 'counted' : 'too many';
      for (let count = 0; count < 5; count++) assert.equal(await attempt(nowMs), 'counted');
      assert.equal(await attempt(nowMs), 'too many');
      // Older ones are removed first.
      const laterMs = nowMs + dayMs;
      await addForgotten(database, 200);
      for (let count = 0; count < 5; count++) assert.equal(await attempt(laterMs), 'counted');
      assert.equal(await attempt(laterMs), 'too many');
    });
  });
}
