import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type SecondRange, SecondRanges } from '@countersign/gate';
import { backends } from '@countersign/testing/backends';
import { GuardMark } from '../../src/replay/guard-mark.ts';
import { StorageError } from '../../src/storage/storage-error.ts';

for (const { name, skip, make } of backends) {
  describe(`the mark of a guard elsewhere, on ${name}`, { skip }, () => {
    test('reserves nothing in an epoch that is over, and one epoch follows another', async (t) => {
      const { database, open } = await make(t);
      const [mark, other] = [new GuardMark(database), new GuardMark(await open())];
      assert.deepEqual(await mark.read(), { epoch: '', reserved: SecondRanges.none });
      assert.equal(await mark.reserve([[5, 5]], 'unknown'), undefined);
      const begun = await Promise.all([mark.begin('one', ''), other.begin('two', '')]);
      assert.equal(begun.filter((reserved) => reserved === undefined).length, 1);
      const { epoch } = await mark.read();
      const [loser, winner] = epoch === 'one' ? [other, mark] : [mark, other];
      assert.deepEqual(rangesOf(await winner.reserve([[98, 100]], epoch)), [[98, 100]]);
      assert.equal(await loser.reserve([[200, 200]], epoch === 'one' ? 'two' : 'one'), undefined);
      assert.deepEqual(rangesOf(await loser.begin('three', epoch)), [[98, 100]]);
      assert.equal(await winner.reserve([[300, 300]], epoch), undefined);
      assert.equal((await mark.read()).epoch, 'three');
      assert.deepEqual(rangesOf((await mark.read()).reserved), [[98, 100]]);
    });

    test('only grows, whoever reserves and in whatever order', async (t) => {
      const { database, open } = await make(t);
      const marks = [new GuardMark(database), new GuardMark(await open())];
      await marks[0]!.begin('epoch', '');
      const raises = Array.from({ length: 40 }, async (_, index) => {
        const second = 1000 + ((index * 17) % 40) + (index % 2) * 100;
        const reserved = await marks[index % 2]!.reserve([[second, second]], 'epoch');
        assert.ok(reserved?.has(second));
        return second;
      });
      const seconds = await Promise.all(raises);
      const { reserved } = await marks[1]!.read();
      for (const second of seconds) assert.ok(reserved.has(second));
      assert.ok(!reserved.has(1090));
    });

    test('an outage is an error, never a mark', async (t) => {
      const { database } = await make(t);
      const mark = new GuardMark(database);
      await database.schema.alterTable('guard_mark').renameTo('away').execute();
      for (const ask of [() => mark.read(), () => mark.begin('one', ''), () => mark.reserve([[1, 1]], '')]) {
        await assert.rejects(
          ask,
          (error) => !(error instanceof StorageError) && /guard_mark/.test(String(error)),
        );
      }
    });
  });
}

function rangesOf(reserved: SecondRanges | undefined): readonly SecondRange[] | undefined {
  return reserved?.toJSON();
}
