import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { makePostgresDatabase } from '@countersign/testing/postgres';
import { postgresSkip } from '@countersign/testing/postgres-server';
import { exits } from '../src/exits.ts';
import { folderWithKeys } from './key-files.ts';
import { run } from './run.ts';

const add = ['clients', 'add', '--name', 'Shop', '--key', 'public.pem', '--network', '0.0.0.0', '--json'];

describe('clients and keys in a PostgreSQL database', { skip: postgresSkip }, () => {
  it('say what is wrong when it cannot be reached, without the password', async (context) => {
    const environment = { COUNTERSIGN_DATABASE_URL: 'postgresql://user:hunter2@127.0.0.1:1/none' };
    const { code, errors, out } = await run(add, { folder: folderWithKeys(context), environment });
    assert.equal(code, exits.local.code);
    assert.match(errors + out, /database cannot be reached.*ECONNREFUSED/);
    assert.doesNotMatch(errors + out, /hunter2/);
  });

  it('are there, and no data folder is made; a folder that is typed counts more', async (context) => {
    const { url, remove } = await makePostgresDatabase('empty');
    context.after(remove);
    const folder = folderWithKeys(context);
    const environment = { COUNTERSIGN_DATABASE_URL: url };
    const added = await run(add, { folder, environment });
    assert.equal(added.code, exits.ok.code, added.errors);
    const { clientId } = JSON.parse(added.out) as { clientId: string };
    const listed = await run(['clients', 'list', '--json'], { folder, environment });
    assert.match(listed.out, new RegExp(clientId));
    assert.deepEqual(readdirSync(folder).toSorted(), ['private.pem', 'public.pem']);
    const typed = await run(['clients', 'list', '--data', 'here'], { folder, environment });
    assert.match(typed.errors, /no registry in .*here/);
  });
});
