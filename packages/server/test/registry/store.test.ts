import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Backend } from '@countersign/testing/backend';
import { backends } from '@countersign/testing/backends';
import { testKey } from '@countersign/testing/test-keys';
import { addAccount, listAccounts } from '../../src/registry/store/accounts.ts';
import { readChanges, readVersion } from '../../src/registry/store/changes.ts';
import { type ClientRecord, listClients, readClient } from '../../src/registry/store/client-records.ts';
import { moveClient } from '../../src/registry/store/client-states.ts';
import { addClient, type NewClient, updateClient } from '../../src/registry/store/clients.ts';
import type { StoreContext } from '../../src/registry/store/context.ts';
import { addKey, revokeKey } from '../../src/registry/store/key-changes.ts';
import { setClientNetwork } from '../../src/registry/store/networks.ts';
import { RegistryError } from '../../src/registry/registry-error.ts';
import type { Database } from '../../src/storage/transaction.ts';

const nowMs = 1_790_000_000_000;
const context: StoreContext = {
  nowMs,
  keyPolicy: {},
  actor: { kind: 'operator-cli', id: 'tester' },
};

function refused(code: string, text: RegExp = /\.$/) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof RegistryError, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, text);
    return true;
  };
}

async function makeAccount(
  make: Backend['make'],
  t: TestContext,
): Promise<{
  database: Database;
  add: (client?: Partial<NewClient>) => Promise<ClientRecord>;
  accountId: string;
}> {
  const { database } = await make(t);
  const { accountId } = await addAccount(database, { name: 'Example account' }, context);
  const add = (client: Partial<NewClient> = {}): Promise<ClientRecord> =>
    addClient(database, { accountId, name: 'Shop', network: ['0.0.0.0'], roles: [], ...client }, context);
  return { database, add, accountId };
}

for (const { name: backend, skip, make } of backends) {
  describe(`on ${backend}`, { skip }, () => {
    const withAccount = (t: TestContext) => makeAccount(make, t);

    describe('adding a client is refused', () => {
      test('with a name that cannot be read', async (t) => {
        const { add, database } = await withAccount(t);
        for (const name of ['', ' ', ' a', 'a ', 'a\nb', 'a\u0000', '\u202eabc', '\ud800', 'x'.repeat(101)]) {
          await assert.rejects(add({ name }), refused('name_invalid', /1 to 100/));
          await assert.rejects(addAccount(database, { name }, context), refused('name_invalid'));
        }
        assert.equal((await add({ name: '💶'.repeat(100) })).name.length, 200);
      });

      test('with a clientId that could not be a keyid', async (t) => {
        const { add } = await withAccount(t);
        for (const clientId of ['', 'a b', 'a"b', 'a\\b', 'ä', 'a\n', '\u007f', 'x'.repeat(257)]) {
          await assert.rejects(add({ clientId }), refused('client_id_invalid', /visible ASCII/));
        }
      });

      test('with a clientId that was ever used, in any account and any state', async (t) => {
        const { add, database } = await withAccount(t);
        const other = await addAccount(database, { name: 'Other' }, context);
        await add({ clientId: 'taken' });
        await assert.rejects(add({ clientId: 'taken' }), refused('client_id_taken', /never reused/));
        await database
          .updateTable('clients')
          .set({ status: 'archived' })
          .where('client_id', '=', 'taken')
          .execute();
        await assert.rejects(
          add({ clientId: 'taken', accountId: other.accountId }),
          refused('client_id_taken'),
        );
        await assert.rejects(readClient(database, 'taken'), refused('client_unknown'));
      });

      test('without a network, and the entry that is wrong is named', async (t) => {
        const { add } = await withAccount(t);
        await assert.rejects(
          add({ network: [] }),
          refused('network_empty', /0\.0\.0\.0 to allow any address/),
        );
        await assert.rejects(
          add({ network: ['10.0.0.1', '10.0.0.1/8'] }),
          refused('network_invalid', /entry 2:.*10\.0\.0\.0\/8/),
        );
        await assert.rejects(
          add({ network: [{ entry: '10.0.0.1', label: 'a\nb' }] }),
          refused('network_invalid', /label/),
        );
        await assert.rejects(
          add({ network: Array<string>(1001).fill('10.0.0.1') }),
          refused('network_too_long', /1000/),
        );
      });

      test('with a role or an account that does not exist', async (t) => {
        const { add } = await withAccount(t);
        for (const role of ['admin', '', 'PAYMENTS-READER', '__proto__', 'constructor']) {
          await assert.rejects(
            add({ roles: [role] }),
            refused('role_unknown', /payments-operator, payments-reader/),
          );
        }
        await assert.rejects(add({ accountId: 'account_x' }), refused('account_unknown'));
      });

      test('with a text that is no acceptable public key, and nothing of it is kept', async (t) => {
        const { add, database } = await withAccount(t);
        const { privateKey } = testKey(0);
        const secret = privateKey.split('\n')[3] ?? '';
        assert.ok(secret.length > 40);
        const check = (error: unknown): boolean => {
          assert.equal(JSON.stringify([String(error), error]).includes(secret), false);
          assert.equal((error as RegistryError).reason, 'private_key');
          return refused('key_refused', /private key/)(error);
        };
        await assert.rejects(add({ publicKey: privateKey }), check);
        await assert.rejects(add({ publicKey: '' }), refused('key_refused'));
        assert.deepEqual(await listClients(database, { limit: 10 }), []);
        assert.equal(await readVersion(database), 1, 'only the account was added');
      });
    });

    describe('a client', () => {
      test('is stored as it was given, in canonical form', async (t) => {
        const { add, database, accountId } = await withAccount(t);
        const network = ['::ffff:203.0.113.7', { entry: '2001:DB8::/32', label: 'Office' }, '203.0.113.7'];
        const client = await add({
          network,
          roles: ['payments-reader', 'payments-operator', 'payments-reader'],
          publicKey: testKey(0).publicKey,
        });
        assert.match(client.clientId, /^client_[0-9a-z]{26}$/);
        assert.deepEqual(client.network, [
          { entry: '2001:db8::/32', label: 'Office' },
          { entry: '203.0.113.7', label: '' },
        ]);
        assert.deepEqual(client.roles, ['payments-operator', 'payments-reader']);
        assert.equal(client.status, 'active');
        assert.equal(client.profile, 'countersign');
        assert.equal(client.accountId, accountId);
        assert.equal(client.keys.length, 1);
        assert.equal(client.keys[0]?.status, 'pending');
        assert.equal(client.keys[0]?.bits, 2048);
        assert.match(client.keys[0]?.fingerprint ?? '', /^SHA256:[0-9A-Za-z+/]{43}$/);
        assert.deepEqual(await readClient(database, client.clientId), client);
      });

      test('may have any visible clientId, names from Object.prototype too', async (t) => {
        const { add, database } = await withAccount(t);
        for (const clientId of [
          '__proto__',
          'constructor',
          "'; drop table clients; --",
          '~',
          '!',
          'x'.repeat(256),
        ]) {
          if (clientId.includes(' ')) continue;
          assert.equal((await add({ clientId, acceptWithoutDate: true })).clientId, clientId);
          assert.equal((await readClient(database, clientId)).profile, 'countersign-without-date');
        }
      });

      test('is listed in pages, in the order of the ids, until it is archived', async (t) => {
        const { add, database, accountId } = await withAccount(t);
        for (const clientId of ['c', 'a', 'e', 'b', 'd']) await add({ clientId });
        await database
          .updateTable('clients')
          .set({ status: 'archived' })
          .where('client_id', '=', 'b')
          .execute();
        const ids = async (afterClientId?: string, account?: string): Promise<string[]> =>
          (await listClients(database, { afterClientId, limit: 2, accountId: account })).map(
            (client) => client.clientId,
          );
        assert.deepEqual(await ids(), ['a', 'c']);
        assert.deepEqual(await ids('c'), ['d', 'e']);
        assert.deepEqual(await ids('e'), []);
        assert.deepEqual(await ids(undefined, accountId), ['a', 'c']);
        assert.deepEqual(await ids(undefined, 'account_other'), []);
      });

      test('that does not exist cannot be changed', async (t) => {
        const { database } = await withAccount(t);
        const change = [
          () => readClient(database, 'no'),
          () => moveClient(database, 'no', 'disable', context),
          () => setClientNetwork(database, 'no', ['0.0.0.0'], context),
          () => updateClient(database, 'no', { roles: [] }, context),
          () => addKey(database, 'no', { publicKey: testKey(0).publicKey }, context),
          () => revokeKey(database, 'no', 'key', { reason: 'unspecified' }, context),
        ];
        for (const run of change) await assert.rejects(run, refused('client_unknown'));
        assert.equal(await readVersion(database), 1, 'only the account was added');
      });

      test('that is revoked cannot be changed', async (t) => {
        const { add, database } = await withAccount(t);
        const { clientId } = await add();
        await database
          .updateTable('clients')
          .set({ status: 'revoked', revoked_at_ms: nowMs })
          .where('client_id', '=', clientId)
          .execute();
        await assert.rejects(moveClient(database, clientId, 'enable', context), refused('client_revoked'));
        await assert.rejects(
          addKey(database, clientId, { publicKey: testKey(0).publicKey }, context),
          refused('client_revoked'),
        );
      });

      test('can be disabled, enabled, and given other networks and roles', async (t) => {
        const { add, database } = await withAccount(t);
        const { clientId } = await add({ roles: ['payments-operator'] });
        assert.equal(
          (await moveClient(database, clientId, 'disable', { ...context, nowMs: nowMs + 5 })).status,
          'disabled',
        );
        const enabled = await moveClient(database, clientId, 'enable', { ...context, nowMs: nowMs + 9 });
        assert.deepEqual(
          [enabled.status, enabled.createdAtMs, enabled.updatedAtMs],
          ['active', nowMs, nowMs + 9],
        );
        await assert.rejects(setClientNetwork(database, clientId, [], context), refused('network_empty'));
        const network = (await setClientNetwork(database, clientId, ['10.0.0.0/8'], context)).network;
        assert.deepEqual(network, [{ entry: '10.0.0.0/8', label: '' }]);
        assert.deepEqual((await updateClient(database, clientId, { roles: [] }, context)).roles, []);
      });
    });

    describe('keys', () => {
      test('a client has at most two usable ones', async (t) => {
        const { add, database } = await withAccount(t);
        const { clientId } = await add({ publicKey: testKey(0).publicKey });
        const { keys } = await addKey(database, clientId, { publicKey: testKey(1).publicKey }, context);
        assert.equal(keys.length, 2);
        const third = (): Promise<ClientRecord> =>
          addKey(database, clientId, { publicKey: testKey(2).publicKey }, context);
        await assert.rejects(third, refused('keys_too_many', /revoke/));
        await revokeKey(database, clientId, keys[0]?.keyId ?? '', { reason: 'unspecified' }, context);
        assert.deepEqual((await third()).keys.map((key) => key.status).toSorted(), [
          'pending',
          'pending',
          'revoked',
        ]);
      });

      test('a key whose end has passed does not count', async (t) => {
        const { add, database } = await withAccount(t);
        const { clientId } = await add({ publicKey: testKey(0).publicKey });
        await addKey(database, clientId, { publicKey: testKey(1).publicKey }, context);
        await database.updateTable('client_keys').set({ status: 'retiring', ends_at_ms: nowMs }).execute();
        assert.equal(
          (await addKey(database, clientId, { publicKey: testKey(2).publicKey }, context)).keys.length,
          3,
        );
      });

      test('an account has a key once, revoked or not; another account may have it too', async (t) => {
        const { add, database } = await withAccount(t);
        const { publicKey } = testKey(0);
        const first = await add({ clientId: 'first', publicKey });
        await assert.rejects(add({ publicKey }), refused('key_registered', /client first/));
        await revokeKey(
          database,
          'first',
          first.keys[0]?.fingerprint ?? '',
          { reason: 'unspecified' },
          context,
        );
        await assert.rejects(
          addKey(database, 'first', { publicKey }, context),
          refused('key_registered', /revoked/),
        );
        const other = await addAccount(database, { name: 'Other' }, context);
        assert.equal((await add({ publicKey, accountId: other.accountId })).keys.length, 1);
      });

      test('a revoked one stays revoked, and an unknown one is refused', async (t) => {
        const { add, database } = await withAccount(t);
        const { clientId, keys } = await add({ publicKey: testKey(0).publicKey });
        const keyId = keys[0]?.keyId ?? '';
        const revoked = await revokeKey(
          database,
          clientId,
          keyId,
          { reason: 'unspecified' },
          {
            ...context,
            nowMs: nowMs + 1,
          },
        );
        assert.equal(revoked.keys[0]?.revokedAtMs, nowMs + 1);
        assert.deepEqual(
          await revokeKey(
            database,
            clientId,
            keyId,
            { reason: 'unspecified' },
            { ...context, nowMs: nowMs + 2 },
          ),
          revoked,
        );
        for (const reference of ['', 'key_', 'SHA256:', keyId.toUpperCase()]) {
          await assert.rejects(
            revokeKey(database, clientId, reference, { reason: 'unspecified' }, context),
            refused('key_unknown'),
          );
        }
        await add({ clientId: 'other' });
        await assert.rejects(
          revokeKey(database, 'other', keyId, { reason: 'unspecified' }, context),
          refused('key_unknown'),
        );
      });
    });

    describe('changes', () => {
      test('every change is noted once, in the transaction that makes it', async (t) => {
        const { add, database } = await withAccount(t);
        const { clientId } = await add({ clientId: 'a' });
        await moveClient(database, clientId, 'disable', context);
        await moveClient(database, clientId, 'disable', context);
        const changed = await updateClient(database, clientId, { roles: ['payments-reader'] }, context);
        assert.equal(changed.version, 4);
        const failing = database.transaction().execute(async (transaction) => {
          await moveClient(transaction, clientId, 'enable', context);
          throw new Error('no');
        });
        await assert.rejects(failing, /no/);
        assert.equal(await readVersion(database), 4);
        const changes = await readChanges(database, 1, 4);
        assert.deepEqual(
          changes?.map((change) => [change.version, change.subjectId]),
          [
            [2, 'a'],
            [3, 'a'],
            [4, 'a'],
          ],
        );
        assert.equal((await readClient(database, clientId)).status, 'disabled');
      });

      test('a reader that missed removed changes, or is ahead of a restored backup, is told to read everything', async (t) => {
        const { add, database } = await withAccount(t);
        for (const clientId of ['a', 'b', 'c']) await add({ clientId });
        await database.deleteFrom('registry_changes').where('version', '=', 2).execute();
        assert.equal(await readChanges(database, 1, 4), undefined);
        assert.equal((await readChanges(database, 2, 4))?.length, 2);
        assert.equal(await readChanges(database, 5, 4), undefined);
      });

      test('accounts are listed oldest first', async (t) => {
        const { database } = await withAccount(t);
        await addAccount(database, { name: 'Second' }, { ...context, nowMs: nowMs + 1 });
        assert.deepEqual(
          (await listAccounts(database)).map((account) => account.name),
          ['Example account', 'Second'],
        );
      });
    });
  });
}
