import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { sql } from 'kysely';
import { searchAccounts } from '../../src/registry/store/accounts.ts';
import { ClientOrder } from '../../src/registry/store/client-order.ts';
import { searchClients } from '../../src/registry/store/client-search.ts';
import { migrations } from '../../src/storage/migrations/migrations.ts';

for (const { name, skip, makeEmpty } of backends) {
  describe(`the search of a database that is upgraded, on ${name}`, { skip }, () => {
    it('finds the accounts and clients that were there, however their accents are written', async (t) => {
      const { open } = await makeEmpty(t);
      const before = await open({ migrations: migrations.filter((each) => each.name < '0009') });
      // More than are read at a time.
      for (let index = 0; index < 600; index++) {
        const accountId = `account_${String(index).padStart(4, '0')}`;
        const accountName = index === 599 ? 'Société Générale' : `Account ${index}`;
        await sql`insert into accounts (account_id, name, created_at_ms) values (${accountId}, ${accountName}, 0)`.execute(
          before,
        );
      }
      await sql`insert into clients (client_id, account_id, name, search_name, status, accept_without_date, created_at_ms, updated_at_ms, version)
        values ('shop', 'account_0000', 'Übersee', 'übersee', 'active', 0, 0, 0, 1)`.execute(before);
      const database = await open();
      const { accounts } = await searchAccounts(database, { search: 'societe gene', limit: 10 });
      assert.deepEqual(
        accounts.map(({ accountId }) => accountId),
        ['account_0599'],
      );
      const order = new ClientOrder(undefined);
      const wanted = { accountId: 'account_0000', search: 'UBERSEE', order, limit: 10, nowMs: 0 };
      const { clients } = await searchClients(database, wanted);
      assert.deepEqual(
        clients.map(({ clientId }) => clientId),
        ['shop'],
      );
    });
  });
}
