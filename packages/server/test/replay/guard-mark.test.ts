import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GuardMark } from '../../src/replay/guard-mark.ts';
import { StorageError } from '../../src/storage/storage-error.ts';
import { backends } from '../storage/backends.ts';

for (const { name, skip, make } of backends) {
  describe(`the mark of a guard elsewhere, on ${name}`, { skip }, () => {
    test('is not raised in an epoch that is over, and one epoch follows another', async (t) => {
      const { database, open } = await make(t);
      const [mark, other] = [new GuardMark(database), new GuardMark(await open())];
      assert.deepEqual(await mark.read(), { epoch: '', reservedSeconds: 0 });
      assert.equal(await mark.raise(5, 'unknown'), undefined);
      const begun = await Promise.all([mark.begin('one', ''), other.begin('two', '')]);
      assert.deepEqual(begun.toSorted(), [0, undefined]);
      const { epoch } = await mark.read();
      const [loser, winner] = epoch === 'one' ? [other, mark] : [mark, other];
      assert.equal(await winner.raise(100, epoch), 100);
      assert.equal(await loser.raise(200, epoch === 'one' ? 'two' : 'one'), undefined);
      assert.equal(await loser.begin('three', epoch), 100);
      assert.equal(await winner.raise(300, epoch), undefined);
      assert.deepEqual(await mark.read(), { epoch: 'three', reservedSeconds: 100 });
    });

    test('only rises, whoever raises it and in whatever order', async (t) => {
      const { database, open } = await make(t);
      const marks = [new GuardMark(database), new GuardMark(await open())];
      await marks[0]!.begin('epoch', '');
      const raises = Array.from({ length: 40 }, async (_, index) => {
        const toSeconds = 1000 + ((index * 17) % 40);
        const reserved = await marks[index % 2]!.raise(toSeconds, 'epoch');
        assert.ok(reserved !== undefined && reserved >= toSeconds);
      });
      await Promise.all(raises);
      assert.equal(await marks[1]!.raise(5, 'epoch'), 1039);
      assert.equal((await marks[0]!.read()).reservedSeconds, 1039);
    });

    test('an outage is an error, never a mark', async (t) => {
      const { database } = await make(t);
      const mark = new GuardMark(database);
      await database.schema.alterTable('guard_mark').renameTo('away').execute();
      for (const ask of [() => mark.read(), () => mark.begin('one', ''), () => mark.raise(1, '')]) {
        await assert.rejects(
          ask,
          (error) => !(error instanceof StorageError) && /guard_mark/.test(String(error)),
        );
      }
    });
  });
}
