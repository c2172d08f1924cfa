import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Checklist, Client, ServiceHealth } from '@countersign/contract';
import type { Backend } from '@countersign/testing/backend';
import { backends } from '@countersign/testing/backends';
import { sqlite } from '@countersign/testing/sqlite-backend';
import { testKey } from '@countersign/testing/test-keys';
import { waitUntil } from '@countersign/testing/wait-until';
import { RequestCounts } from '../../src/request-log/writing/unwritten-counts.ts';
import { requestWritesTo } from '../../src/request-log/writing/request-writes.ts';
import { addAccount } from '../../src/registry/store/accounts.ts';
import { readClient } from '../../src/registry/store/client-records.ts';
import { moveClient } from '../../src/registry/store/client-states.ts';
import { addClient } from '../../src/registry/store/clients.ts';
import { addKey, proveKey } from '../../src/registry/store/key-changes.ts';
import type { Database } from '../../src/storage/transaction.ts';
import { apiOn } from '../api/api-on.ts';
import { ask, personOf } from './ask.ts';
import { anywhere, managementScene } from './scene.ts';

const nowMs = Date.UTC(2026, 10, 21, 12);
const context = {
  nowMs,
  actor: { kind: 'system', id: 'test' },
  keyPolicy: { allowPublishedTestKeys: true },
} as const;

interface Scene {
  readonly database: Database;
  readonly accountId: string;
  checklist(): Promise<Checklist>;
  add(network: readonly string[]): Promise<string>;
}

async function scene(t: TestContext, backend: Backend): Promise<Scene> {
  const { database } = await backend.make(t);
  const api = apiOn(database);
  const { accountId } = await addAccount(database, { name: 'Example' }, context);
  return {
    database,
    accountId,
    async checklist() {
      const { body } = await ask(api, 'getChecklist', { caller: personOf(accountId) });
      return body as Checklist;
    },
    async add(network) {
      const client = { name: 'Shop', accountId, network, roles: [] };
      return (await addClient(database, client, context)).clientId;
    },
  };
}

for (const backend of backends) {
  describe(`the checklist on ${backend.name}`, { skip: backend.skip }, () => {
    it('begins with nothing done, whatever others have done', async (t) => {
      const here = await scene(t, backend);
      const other = await addAccount(here.database, { name: 'Other' }, context);
      await addClient(
        here.database,
        { name: 'Other', accountId: other.accountId, network: ['192.0.2.1'], roles: [] },
        context,
      );
      assert.deepEqual(await here.checklist(), {
        hasClient: false,
        hasAcceptedRequest: false,
        hasRestrictedNetwork: false,
        hasRotatedKey: false,
      });
    });

    it('ticks a restricted network only when no client may call from everywhere', async (t) => {
      const here = await scene(t, backend);
      const first = await here.add(['192.0.2.1']);
      assert.deepEqual(await here.checklist(), {
        hasClient: true,
        firstClientId: first,
        hasAcceptedRequest: false,
        hasRestrictedNetwork: true,
        hasRotatedKey: false,
      });
      for (const open of ['0.0.0.0', '0.0.0.0/0', '::/0']) {
        const clientId = await here.add([open]);
        assert.equal((await here.checklist()).hasRestrictedNetwork, false, open);
        await moveClient(here.database, clientId, 'revoke', context);
        assert.equal((await here.checklist()).hasRestrictedNetwork, true, open);
      }
    });

    it('ticks the first accepted request, and no refused one', async (t) => {
      const here = await scene(t, backend);
      const clientId = await here.add(['192.0.2.1']);
      const counts = new RequestCounts();
      const request = {
        accountId: here.accountId,
        clientId,
        keyId: undefined,
        isObserved: false,
        receivedAtMs: nowMs,
      };
      counts.add({ ...request, outcome: 'signature_invalid' });
      await counts.write(requestWritesTo(here.database));
      assert.equal((await here.checklist()).hasAcceptedRequest, false);
      counts.add({ ...request, outcome: 'accepted' });
      await counts.write(requestWritesTo(here.database));
      assert.equal((await here.checklist()).hasAcceptedRequest, true);
    });

    it('ticks a rotation when the new key was used', async (t) => {
      const here = await scene(t, backend);
      const { clientId } = await addClient(
        here.database,
        {
          name: 'Shop',
          accountId: here.accountId,
          network: ['192.0.2.1'],
          roles: [],
          publicKey: testKey(0).publicKey,
        },
        context,
      );
      await addKey(here.database, clientId, { publicKey: testKey(1).publicKey }, context);
      assert.equal((await here.checklist()).hasRotatedKey, false);
      const { keys } = await readClient(here.database, clientId);
      const { keyId } = keys.find(({ replacesKeyId }) => replacesKeyId !== undefined) ?? assert.fail();
      await proveKey(here.database, clientId, keyId, context);
      assert.equal((await here.checklist()).hasRotatedKey, true);
    });
  });

  describe(`clients in short on ${backend.name}`, { skip: backend.skip }, () => {
    it('tell how wide the network is, and where the last request came from', async (t) => {
      const here = await managementScene(backend);
      t.after(() => here.close());
      const path = { clientId: here.administrator.clientId };
      const caller = await here.addCaller([], {
        body: { networkWhitelist: [{ entry: '192.0.2.1' }, { entry: '::/0' }] },
      });
      const unused = await here.succeed<Client>(here.administrator, 'getClient', {
        path: { clientId: caller.clientId },
      });
      assert.deepEqual([unused.network, unused.lastUsedFrom], [{ entries: 2, isEveryone: true }, undefined]);
      const narrow = await here.addCaller([], { body: { networkWhitelist: [{ entry: '192.0.2.0/24' }] } });
      const { network } = await here.succeed<Client>(here.administrator, 'getClient', {
        path: { clientId: narrow.clientId },
      });
      assert.deepEqual(network, { entries: 1, isEveryone: false });
      let lastUsedFrom: string | undefined;
      await waitUntil(
        async () => {
          const used = await here.succeed<Client>(here.administrator, 'getClient', { path });
          assert.deepEqual(used.network, { entries: anywhere.length, isEveryone: true });
          ({ lastUsedFrom } = used);
          return lastUsedFrom === '127.0.0.1';
        },
        () => `a use from 127.0.0.1, not from ${lastUsedFrom}`,
      );
    });
  });
}

describe('what people can ask besides', () => {
  it('where they come from, as far as it is known', async (t) => {
    const { database } = await sqlite.make(t);
    const api = apiOn(database);
    const asked = async (sourceAddress: string): Promise<unknown> =>
      (await ask(api, 'getSource', { caller: personOf('account_1', { sourceAddress }) })).body;
    assert.deepEqual(await asked('203.0.113.7'), { sourceAddress: '203.0.113.7' });
    assert.deepEqual(await asked(''), {});
  });

  it('how the node is doing', async (t) => {
    const { database } = await sqlite.make(t);
    const health: ServiceHealth = {
      isReady: false,
      reason: 'the registry is out of date',
      version: '1.2.3',
      startedAt: new Date(nowMs).toISOString(),
      database: 'postgresql',
      guard: 'redis',
      registry: { clients: 7, ageMs: 1200 },
      mail: 'smtp',
      requestLog: { dropped: 1, queued: 2 },
      explanations: { explained: 3, skipped: 4 },
      parts: [{ name: 'mail', state: 'failing', reason: 'No mail was sent.', count: 1, failed: 1 }],
    };
    const api = apiOn(database, { health: () => health });
    assert.deepEqual((await ask(api, 'getServiceHealth', { caller: personOf('account_1') })).body, health);
  });
});
