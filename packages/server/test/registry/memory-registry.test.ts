import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test, type TestContext } from 'node:test';
import { parseAddress } from '@countersign/contract';
import { keyThumbprint } from '@countersign/signature/messages/node';
import type { Backend, TestDatabase } from '@countersign/testing/backend';
import { backends } from '@countersign/testing/backends';
import { makeKeyPairFor } from '@countersign/testing/key-pair';
import { testKey } from '@countersign/testing/test-keys';
import { waitUntil } from '@countersign/testing/wait-until';
import { sql } from 'kysely';
import { openMemoryRegistry } from '../../src/registry/memory-registry.ts';
import type { Registry } from '../../../gate/src/registry.ts';
import { addAccount } from '../../src/registry/store/accounts.ts';
import { recordChange } from '../../src/registry/store/changes.ts';
import type { ClientRecord } from '../../src/registry/store/client-records.ts';
import { moveClient } from '../../src/registry/store/client-states.ts';
import { addClient, type NewClient, updateClient } from '../../src/registry/store/clients.ts';
import type { StoreContext } from '../../src/registry/store/context.ts';
import { addKey, revokeKey } from '../../src/registry/store/key-changes.ts';
import { setClientNetwork } from '../../src/registry/store/networks.ts';
import { StorageError } from '../../src/storage/storage-error.ts';
import type { Database } from '../../src/storage/transaction.ts';

const nowMs = 1_790_000_000_000;
const keyContext: StoreContext = {
  nowMs,
  keyPolicy: {},
  actor: { kind: 'operator-cli', id: 'tester' },
};

interface Scene {
  readonly database: Database;
  readonly open: TestDatabase['open'];
  readonly place: TestDatabase['place'];
  readonly accountId: string;
  readonly registry: Registry;
  readonly clock: { monotonicMs: number; wallMs: number };
  readonly errors: unknown[];
  /** How often the registry has looked for changes. */
  readonly looks: { count: number };
  readonly add: (client?: Partial<NewClient>) => Promise<ClientRecord>;
}

interface SceneOptions {
  readonly pollEveryMs?: number;
  readonly readAtStartMax?: number;
  /** What the registry sees of the database. */
  readonly wrap?: (database: Database) => Database;
}

async function makeScene(make: Backend['make'], t: TestContext, options: SceneOptions = {}): Promise<Scene> {
  const { database, open, place } = await make(t);
  const { accountId } = await addAccount(database, { name: 'Example account' }, keyContext);
  const clock = { monotonicMs: 5, wallMs: nowMs };
  const errors: unknown[] = [];
  const looks = { count: 0 };
  const registry = await openMemoryRegistry({
    database: options.wrap?.(database) ?? database,
    monotonicNowMs: () => clock.monotonicMs,
    wallNowMs: () => clock.wallMs,
    pollEveryMs: options.pollEveryMs ?? 1_000_000,
    ...(options.readAtStartMax !== undefined && { readAtStartMax: options.readAtStartMax }),
    onLook: () => (looks.count += 1),
    onError: (error) => errors.push(error),
  });
  t.after(() => registry.close());
  const add = (client: Partial<NewClient> = {}): Promise<ClientRecord> =>
    addClient(database, { accountId, name: 'Shop', network: ['0.0.0.0'], roles: [], ...client }, keyContext);
  return { database, open, place, accountId, registry, clock, errors, looks, add };
}

for (const { name: backend, skip, make } of backends) {
  describe(`on ${backend}`, { skip }, () => {
    const scene = (t: TestContext, options?: SceneOptions) => makeScene(make, t, options);

    describe('freshness', () => {
      test('ends a second after the last look began, by the monotonic clock', async (t) => {
        const { registry, clock } = await scene(t);
        assert.equal(registry.isFresh(), true);
        clock.monotonicMs += 1000;
        assert.equal(registry.isFresh(), true);
        clock.monotonicMs += 1;
        assert.equal(registry.isFresh(), false);
        clock.wallMs -= 1_000_000;
        assert.equal(registry.isFresh(), false);
        await registry.refresh();
        assert.equal(registry.isFresh(), true);
      });

      test('is not renewed by a look that fails, and a failing background look is reported once', async (t) => {
        const { registry, clock, database, errors, looks } = await scene(t, { pollEveryMs: 10 });
        await database.schema.dropTable('registry_version').execute();
        await waitUntil(() => errors.length > 0, 'the report of a look that failed');
        const looksBefore = looks.count;
        await waitUntil(() => looks.count >= looksBefore + 3, 'more of them');
        clock.monotonicMs += 1001;
        await assert.rejects(registry.refresh(), /registry_version/);
        assert.equal(registry.isFresh(), false);
        assert.equal(errors.length, 1);
      });

      test('is over once the registry is closed', async (t) => {
        const { registry } = await scene(t);
        await registry.close();
        assert.equal(registry.isFresh(), false);
        await assert.rejects(registry.refresh(), /closed/);
      });

      test('a locked database is an error that says so', async (t) => {
        const { open } = await scene(t);
        const other = await open({ busyTimeoutMs: 20 });
        const holder = await open();
        await holder.transaction().execute(async (transaction) => {
          await recordChange(transaction, 'client', 'x', nowMs);
          await assert.rejects(addAccount(other, { name: 'Other' }, keyContext), StorageError);
        });
      });
    });

    describe('clientById', () => {
      test('knows nobody by the names of Object.prototype, unless a client has that name', async (t) => {
        const { registry, add } = await scene(t);
        for (const name of ['', '__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
          assert.equal(registry.clientById(name), undefined);
        }
        await add({ clientId: '__proto__', name: 'Proto' });
        await add({ clientId: 'constructor' });
        await registry.refresh();
        assert.equal(registry.clientById('__proto__')?.name, 'Proto');
        assert.equal(registry.clientById('constructor')?.clientId, 'constructor');
        assert.equal(registry.clientById('toString'), undefined);
      });

      test('never knows a revoked or an archived client', async (t) => {
        const { registry, add, database } = await scene(t);
        for (const status of ['revoked', 'archived'] as const) {
          await add({ clientId: status });
          await registry.refresh();
          assert.equal(registry.clientById(status)?.status, 'active');
          await database.transaction().execute(async (transaction) => {
            await transaction
              .updateTable('clients')
              .set({ status })
              .where('client_id', '=', status)
              .execute();
            await recordChange(transaction, 'client', status, nowMs);
          });
          await registry.refresh();
          assert.equal(registry.clientById(status), undefined);
        }
      });

      test('gives what the checks need', async (t) => {
        const { registry, add, database } = await scene(t);
        const { clientId, accountId, keys } = await add({
          network: ['203.0.113.0/24'],
          roles: ['payments-reader'],
          publicKey: testKey(0).publicKey,
          acceptWithoutDate: true,
        });
        await moveClient(database, clientId, 'disable', keyContext);
        await registry.refresh();
        const client = registry.clientById(clientId);
        assert.ok(client !== undefined);
        assert.deepEqual([client.accountId, client.name, client.status], [accountId, 'Shop', 'disabled']);
        assert.equal(client.profile, 'countersign-without-date');
        assert.equal(client.network.allows(parseAddress('203.0.113.9')), true);
        assert.equal(client.network.allows(parseAddress('198.51.100.9')), false);
        assert.deepEqual(client.roles, ['payments-reader']);
        assert.deepEqual([...client.permissions], ['payments:read']);
        const [key] = client.keys;
        assert.equal(key?.keyId, keys[0]?.keyId);
        assert.equal(key?.fingerprint, keys[0]?.fingerprint);
        assert.equal(key?.signatureBytes, 256);
        assert.equal(key?.keyObject.asymmetricKeyType, 'rsa');
        assert.equal(key?.keyObject.type, 'public');
      });

      test('gives the same object until the client changes, and then another', async (t) => {
        const { registry, add, database } = await scene(t);
        await add({ clientId: 'a' });
        await add({ clientId: 'b' });
        await registry.refresh();
        const [a, b] = [registry.clientById('a'), registry.clientById('b')];
        await updateClient(database, 'a', { roles: ['payments-reader'] }, keyContext);
        assert.equal(registry.clientById('a'), a);
        await registry.refresh();
        assert.notEqual(registry.clientById('a'), a);
        assert.equal(registry.clientById('b'), b);
      });
    });

    describe('keys', () => {
      test('a revoked key, and a stored key that cannot be read, verify nothing', async (t) => {
        const { registry, add, database } = await scene(t);
        const { clientId, keys } = await add({ publicKey: testKey(0).publicKey });
        await addKey(database, clientId, { publicKey: testKey(1).publicKey }, keyContext);
        await revokeKey(database, clientId, keys[0]?.keyId ?? '', { reason: 'unspecified' }, keyContext);
        await registry.refresh();
        assert.deepEqual(registry.clientById(clientId)?.keys.length, 1);
        const damaged = [
          { spki_pem: '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n' },
          { spki_pem: '' },
        ];
        for (const values of damaged) {
          await database.transaction().execute(async (transaction) => {
            await transaction
              .updateTable('client_keys')
              .set(values as object)
              .execute();
            await recordChange(transaction, 'client', clientId, nowMs);
          });
          await registry.refresh();
          assert.deepEqual(registry.clientById(clientId)?.keys, []);
        }
      });

      test('the dates of a key are kept by the wall clock, without a change in storage', async (t) => {
        const { registry, add, database, clock } = await scene(t);
        const { clientId } = await add({ publicKey: testKey(0).publicKey });
        await database.transaction().execute(async (transaction) => {
          await transaction
            .updateTable('client_keys')
            .set({ starts_at_ms: nowMs + 10, ends_at_ms: nowMs + 20 })
            .execute();
          await recordChange(transaction, 'client', clientId, nowMs);
        });
        await registry.refresh();
        const usable = [9, 10, 19, 20].map((afterMs) => {
          clock.wallMs = nowMs + afterMs;
          return registry.clientById(clientId)?.keys.length;
        });
        assert.deepEqual(usable, [0, 1, 1, 0]);
      });
    });

    describe('roles', () => {
      test("an account's own role permits what storage says, as far as it is known here", async (t) => {
        const { registry, add, database, accountId } = await scene(t);
        const role = { role_id: 'role_own', account_id: accountId, name: 'own-role', created_at_ms: nowMs };
        await database.insertInto('roles').values(role).execute();
        const grant = async (permission: string): Promise<void> => {
          await database.transaction().execute(async (transaction) => {
            await transaction
              .insertInto('role_permissions')
              .values({ role_id: 'role_own', permission })
              .execute();
            await recordChange(transaction, 'role', 'role_own', nowMs);
          });
        };
        await grant('payments:read');
        await grant('future:permission');
        const { clientId } = await add({ roles: ['own-role', 'payments-reader'] });
        const { clientId: other } = await add({ roles: ['payments-reader'] });
        await registry.refresh();
        const before = registry.clientById(clientId);
        const untouched = registry.clientById(other);
        assert.deepEqual(before?.roles, ['own-role', 'payments-reader']);
        assert.deepEqual([...(before?.permissions ?? [])], ['payments:read']);
        await grant('payments:write');
        await registry.refresh();
        assert.deepEqual([...(registry.clientById(clientId)?.permissions ?? [])].toSorted(), [
          'payments:read',
          'payments:write',
        ]);
        assert.notEqual(registry.clientById(clientId), before);
        assert.equal(registry.clientById(other), untouched);
      });

      test('a built-in role permits what the contract says, whatever is stored', async (t) => {
        const { registry, add, database } = await scene(t);
        await database
          .insertInto('role_permissions')
          .values({ role_id: 'payments-reader', permission: 'payments:write' })
          .execute();
        const { clientId } = await add({ roles: ['payments-reader'] });
        await registry.refresh();
        assert.deepEqual([...(registry.clientById(clientId)?.permissions ?? [])], ['payments:read']);
      });
    });

    describe('warming up', () => {
      /** A registry that has just read that there are `a` to `e`, and nothing else. */
      async function coldScene(t: TestContext): Promise<Scene & { readonly queries: { count: number } }> {
        const queries = { count: 0 };
        const wrap = (database: Database): Database =>
          database.withPlugin({
            transformQuery({ node }) {
              queries.count++;
              return node;
            },
            transformResult: async ({ result }) => result,
          });
        const all = await scene(t, { readAtStartMax: 0, wrap });
        for (const clientId of ['a', 'b', 'c', 'd', 'e']) await all.add({ clientId });
        await all.database.deleteFrom('registry_changes').execute();
        await all.registry.refresh();
        queries.count = 0;
        return { ...all, queries };
      }

      test('a client that calls is read before the others', async (t) => {
        const { registry, queries } = await coldScene(t);
        assert.equal(registry.isUnread('stranger'), false);
        assert.equal(registry.clientById('stranger'), undefined);
        assert.equal(queries.count, 0);
        assert.deepEqual([registry.isUnread('c'), registry.clientById('c')], [true, undefined]);
        await registry.read('c');
        assert.deepEqual([registry.isUnread('c'), registry.clientById('c')?.clientId], [false, 'c']);
      });

      test('waiting for a stranger reads another client, until all are read', async (t) => {
        const { registry, queries } = await coldScene(t);
        assert.deepEqual([registry.isReading('stranger'), registry.isReading('c')], [true, true]);
        await registry.read('stranger');
        assert.ok(queries.count > 0);
        assert.equal(registry.clientById('e')?.clientId, 'e');
        for (const name of ['stranger', 'e', 'stranger', 'stranger', 'stranger']) await registry.read(name);
        assert.deepEqual([registry.isReading('stranger'), registry.isReading('c')], [false, false]);
      });

      test('a thumbprint names nobody until all are read: another client could have the same key', async (t) => {
        const { registry, add, database } = await scene(t, { readAtStartMax: 0 });
        const { publicKey } = makeKeyPairFor('ed25519');
        const thumbprint = await keyThumbprint(publicKey);
        await add({ clientId: 'a', publicKey, profile: 'curl-8.22' });
        await add({ clientId: 'b' });
        await database.deleteFrom('registry_changes').execute();
        await registry.refresh();
        await registry.read('a');
        assert.equal(registry.clientById('a')?.clientId, 'a');
        assert.deepEqual([registry.isReading('b'), registry.clientByKeyName!(thumbprint)], [true, undefined]);
        await registry.read('b');
        assert.equal(registry.isReading('b'), false);
        assert.equal(registry.clientByKeyName!(thumbprint)?.clientId, 'a');
      });

      test('a storage that does not answer is an error, and the client can be read later', async (t) => {
        const { registry, database } = await coldScene(t);
        await sql`alter table client_keys rename to other_keys`.execute(database);
        await assert.rejects(registry.read('c'));
        assert.equal(registry.isUnread('c'), true);
        await sql`alter table other_keys rename to client_keys`.execute(database);
        await registry.read('c');
        assert.equal(registry.clientById('c')?.clientId, 'c');
      });

      test('what changes meanwhile counts', async (t) => {
        const { registry, database } = await coldScene(t);
        await moveClient(database, 'a', 'disable', keyContext);
        await moveClient(database, 'b', 'revoke', keyContext);
        await Promise.all([registry.refresh(), registry.read('a'), registry.read('b')]);
        assert.equal(registry.clientById('a')?.status, 'disabled');
        assert.deepEqual([registry.isUnread('b'), registry.clientById('b')], [false, undefined]);
      });

      test('in the end all are read, without being asked for', async (t) => {
        const { registry } = await coldScene(t);
        assert.deepEqual([registry.figures().clientCount, registry.figures().unreadCount], [5, 5]);
        await waitUntil(
          () => registry.figures().unreadCount === 0,
          () => registry.figures(),
        );
        for (const clientId of ['a', 'b', 'c', 'd', 'e'])
          assert.equal(registry.clientById(clientId)?.clientId, clientId);
      });
    });

    describe('following', () => {
      test('a change by another connection is seen by the next look', async (t) => {
        const { registry, add, open, looks } = await scene(t, { pollEveryMs: 250 });
        const { clientId } = await add();
        await registry.refresh();
        const other = await open();
        await moveClient(other, clientId, 'disable', keyContext);
        const looksBefore = looks.count;
        await waitUntil(() => registry.clientById(clientId)?.status === 'disabled', 'the change');
        // One may have been on its way.
        assert.ok(looks.count - looksBefore <= 2, `seen by look ${looks.count - looksBefore}`);
      });

      test('a change by another process is seen by the next look', async (t) => {
        const { registry, place, looks } = await scene(t, { pollEveryMs: 250 });
        const program = `
      import { openLocalRegistry } from ${JSON.stringify(new URL('../../src/registry/local-registry.ts', import.meta.url))};
      const registry = await openLocalRegistry(${JSON.stringify(place)});
      await registry.addClient({ clientId: 'from-outside', name: 'Outside', network: ['0.0.0.0'], roles: [] });
      process.stdout.write('done');
      await registry.close();`;
        const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const exited = once(child, 'exit');
        await once(child.stdout, 'data');
        const looksBefore = looks.count;
        await waitUntil(() => registry.clientById('from-outside') !== undefined, 'the client');
        assert.ok(looks.count - looksBefore <= 2, `seen by look ${looks.count - looksBefore}`);
        assert.deepEqual((await exited)[0], 0);
      });

      test('refresh sees what was committed before it was called, even while a look is running', async (t) => {
        const { registry, add, database } = await scene(t);
        const { clientId } = await add();
        for (let round = 0; round < 20; round += 1) {
          const running = registry.refresh();
          const network = round % 2 === 0 ? ['10.0.0.1'] : ['10.0.0.2'];
          await setClientNetwork(database, clientId, network, keyContext);
          await Promise.all([running, registry.refresh(), registry.refresh()]);
          const client = registry.clientById(clientId);
          assert.equal(client?.network.allows(parseAddress(network[0] ?? '')), true);
        }
      });

      test('looks run one at a time, whenever they are asked for: an older one must not undo a newer one', async (t) => {
        let running = 0;
        let runningMax = 0;
        const { registry } = await scene(t, {
          wrap: (database) =>
            database.withPlugin({
              transformQuery({ node }) {
                runningMax = Math.max(runningMax, ++running);
                return node;
              },
              async transformResult({ result }) {
                running--;
                return result;
              },
            }),
        });
        const looks: Promise<void>[] = [];
        // Asked for between any two steps of a look, also just when one ends.
        for (let look = 0; look < 20; look++) {
          const asked = registry.refresh();
          looks.push(asked);
          void asked.then(() => looks.push(registry.refresh()));
          for (let step = 0; step < 3; step++) {
            await Promise.resolve();
            looks.push(registry.refresh());
          }
          await asked;
          for (let step = 0; step < 8; step++) {
            looks.push(registry.refresh());
            await Promise.resolve();
          }
        }
        await Promise.all(looks);
        assert.equal(runningMax, 1);
      });

      test('more changes than fit into one query, and removed changes, are followed', async (t) => {
        const { registry, database, accountId } = await scene(t);
        const client = (clientId: string): NewClient => ({
          accountId,
          clientId,
          name: 'Shop',
          network: ['0.0.0.0'],
          roles: [],
        });
        await database.transaction().execute(async (transaction) => {
          for (let index = 0; index < 450; index += 1)
            await addClient(transaction, client(`c${index}`), keyContext);
        });
        await registry.refresh();
        assert.equal(registry.clientById('c449')?.name, 'Shop');
        await addClient(database, client('late'), keyContext);
        await database.deleteFrom('registry_changes').execute();
        await registry.refresh();
        assert.equal(registry.clientById('late')?.name, 'Shop');
        assert.equal(registry.clientById('c0')?.name, 'Shop');
      });

      test('a restored backup, with an older version, is read anew', async (t) => {
        const { registry, add, database } = await scene(t);
        const { clientId } = await add();
        await moveClient(database, clientId, 'disable', keyContext);
        await registry.refresh();
        await database.updateTable('clients').set({ status: 'active' }).execute();
        await database.updateTable('registry_version').set({ version: 1 }).execute();
        await registry.refresh();
        assert.equal(registry.clientById(clientId)?.status, 'active');
      });

      test('pages of clients are all read at the start', async (t) => {
        const { database, accountId } = await scene(t);
        const rows = Array.from({ length: 4001 }, (_, index) => ({
          client_id: `bulk-${index}`,
          account_id: accountId,
          name: 'Bulk',
          status: 'active' as const,
          accept_without_date: 0 as const,
          created_at_ms: nowMs,
          updated_at_ms: nowMs,
          revoked_at_ms: null,
          version: 0,
        }));
        await database.transaction().execute(async (transaction) => {
          for (let start = 0; start < rows.length; start += 1000) {
            await transaction
              .insertInto('clients')
              .values(rows.slice(start, start + 1000))
              .execute();
          }
        });
        const registry = await openMemoryRegistry({
          database,
          monotonicNowMs: () => 0,
          wallNowMs: () => nowMs,
          onError: (error) => assert.fail(String(error)),
        });
        t.after(() => registry.close());
        for (const { client_id: clientId } of rows) assert.equal(registry.clientById(clientId)?.name, 'Bulk');
      });
    });
  });
}
