import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { migrations } from '../../src/storage/migrations/migrations.ts';

const folder = new URL('../../src/storage/migrations/', import.meta.url);

// SQLite and PostgreSQL run the same list.
describe('the migrations', () => {
  it('have one number each, without a gap, in the order of the list', () => {
    assert.deepEqual(
      migrations.map(({ name }) => Number(/^(\d{4})-[a-z][a-z-]*$/.exec(name)?.[1])),
      migrations.map((_, index) => index + 1),
    );
  });

  it('are the files of their folder, and each runs its own', async () => {
    const files = readdirSync(folder).filter((name) => name !== 'migrations.ts');
    assert.deepEqual(
      migrations.map(({ name }) => `${name}.ts`),
      files.toSorted(),
    );
    for (const { name, up } of migrations) {
      const file = (await import(new URL(`${name}.ts`, folder).href)) as { readonly up: unknown };
      assert.equal(up, file.up, name);
    }
  });
});
