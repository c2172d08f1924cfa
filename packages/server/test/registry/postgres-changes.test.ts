import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { makePostgresDatabase } from '@countersign/testing/postgres';
import { PostgresServer, postgresSkip } from '@countersign/testing/postgres-server';
import { TcpSwitch } from '@countersign/testing/tcp-switch';
import { waitUntil } from '@countersign/testing/wait-until';
import { type LocalRegistry, openLocalRegistry } from '../../src/registry/local-registry.ts';
import type { RegistryError } from '../../src/registry/registry-error.ts';
import { openMemoryRegistry } from '../../src/registry/memory-registry.ts';
import type { Registry } from '../../../gate/src/registry.ts';
import { registryChannel } from '../../src/registry/store/changes.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { PostgresListener } from '../../src/storage/postgres-listener.ts';

/* How changes reach a registry that is in PostgreSQL. */

async function follow(
  t: TestContext,
  url: string,
  pollEveryMs: number,
  onLook?: () => void,
): Promise<Registry> {
  const database = await openDatabase({ url });
  const registry = await openMemoryRegistry({
    database,
    monotonicNowMs: () => performance.now(),
    wallNowMs: Date.now,
    changeSignal: new PostgresListener({ url, channel: registryChannel }),
    pollEveryMs,
    onLook,
    onError: () => undefined,
  });
  t.after(async () => {
    await registry.close();
    await database.destroy();
  });
  return registry;
}

const client = { name: 'Shop', network: ['0.0.0.0'], roles: [] };

describe('changes in PostgreSQL', { skip: postgresSkip }, () => {
  test('are pushed to every node, without a look at the clock', async (t) => {
    const { url, remove } = await makePostgresDatabase('migrated');
    t.after(remove);
    const nodes = [await follow(t, url, 1_000_000), await follow(t, url, 1_000_000)];
    const operator = await openLocalRegistry({ databaseUrl: url });
    t.after(() => operator.close());
    // The connection is made when the registry is open already.
    const { clientId } = await operator.addClient(client);
    for (const node of nodes) await waitUntil(() => node.clientById(clientId) !== undefined, 'the client');
    // A look at the clock would come after a thousand seconds: nobody waits that long.
    for (let round = 0; round < 20; round += 1) {
      const status = round % 2 === 0 ? 'disabled' : 'active';
      await (status === 'disabled' ? operator.disableClient(clientId) : operator.enableClient(clientId));
      for (const node of nodes)
        await waitUntil(() => node.clientById(clientId)?.status === status, `${status} in round ${round}`);
    }
  });

  test('are seen without the push too', async (t) => {
    const { url, remove } = await makePostgresDatabase('migrated');
    t.after(remove);
    let looks = 0;
    const node = await follow(t, url, 250, () => (looks += 1));
    const operator = await openLocalRegistry({ databaseUrl: url });
    t.after(() => operator.close());
    const { clientId } = await operator.addClient(client);
    const database = await openDatabase({ url });
    t.after(() => database.destroy());
    await waitUntil(() => node.clientById(clientId) !== undefined, 'the client');
    // As another program would do it, without a notification.
    await database.transaction().execute(async (transaction) => {
      await transaction.updateTable('clients').set({ status: 'disabled' }).execute();
      const { version } = await transaction
        .updateTable('registry_version')
        .set((column) => ({ version: column('version', '+', 1) }))
        .returning('version')
        .executeTakeFirstOrThrow();
      const change = { version, subject: 'client' as const, subject_id: clientId, changed_at_ms: 0 };
      await transaction.insertInto('registry_changes').values(change).execute();
    });
    const looksBefore = looks;
    await waitUntil(() => node.clientById(clientId)?.status === 'disabled', 'the change');
    // One may have been on its way.
    assert.ok(looks - looksBefore <= 2, `seen by look ${looks - looksBefore}`);
  });

  test('by writers at many nodes are made one after the other, and none is lost', async (t) => {
    const { url, remove } = await makePostgresDatabase('migrated');
    t.after(remove);
    const node = await follow(t, url, 250);
    const writers = await Promise.all(
      Array.from({ length: 4 }, () => openLocalRegistry({ databaseUrl: url })),
    );
    t.after(async () => {
      await Promise.all(writers.map((writer) => writer.close()));
    });
    const { accountId } = await writers[0]!.addAccount('Only');
    // Each clientId is wanted by two writers at about the same time.
    const add = (writer: LocalRegistry, clientId: string): Promise<string> =>
      writer.addClient({ ...client, accountId, clientId }).then(
        () => 'added',
        (error: unknown) => (error as RegistryError).code,
      );
    const outcomes: string[] = [];
    const work = writers.map(async (writer, number) => {
      for (let index = 0; index < 15; index += 1)
        outcomes.push(await add(writer, `c${index * 2 + (number % 2)}`));
    });
    await Promise.all(work);
    assert.equal(outcomes.filter((outcome) => outcome === 'added').length, 30);
    assert.equal(outcomes.filter((outcome) => outcome === 'client_id_taken').length, 30);
    await Promise.all(writers.map((writer, index) => writer.disableClient(`c${index}`)));
    await node.refresh();
    for (let index = 0; index < 30; index += 1) {
      assert.equal(node.clientById(`c${index}`)?.status, index < 4 ? 'disabled' : 'active');
    }
  });

  test('that a standby was not told are gone, and others with their versions are seen', async (t) => {
    const primary = await PostgresServer.start();
    t.after(() => primary.remove());
    await primary.query('create database registry');
    const address = await TcpSwitch.open(primary.port);
    t.after(() => address.close());
    const url = `postgresql://tests@127.0.0.1:${address.port}/registry`;
    const operator = await openLocalRegistry({ databaseUrl: url });
    t.after(() => operator.close());
    await operator.addAccount('Only');
    for (const clientId of ['a', 'b']) await operator.addClient({ ...client, clientId });
    const node = await follow(t, url, 1_000_000);
    const standby = await PostgresServer.startStandby(primary);
    t.after(() => standby.remove());
    await standby.stopFollowing();
    await operator.disableClient('a');
    await waitUntil(() => node.clientById('a')?.status === 'disabled', 'the change');
    // While the node cannot look, the standby takes over, and another change gets the version of the lost one.
    await primary.kill();
    await standby.promote();
    const direct = await openLocalRegistry({ databaseUrl: standby.url('registry') });
    t.after(() => direct.close());
    await direct.disableClient('b');
    address.turn(standby.port);
    await node.refresh();
    assert.deepEqual([node.clientById('a')?.status, node.clientById('b')?.status], ['active', 'disabled']);
  });
});
