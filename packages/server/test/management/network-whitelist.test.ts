import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { NetworkAddressTest, NetworkWhitelistContent } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { waitFor } from '@countersign/testing/wait-until';
import { anywhere, type Client, managementScene, type ManagementScene } from './scene.ts';

for (const backend of backends) {
  describe(`network whitelists on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    let clientId = '';
    before(async () => {
      scene = await managementScene(backend);
    });
    after(() => scene.close());
    beforeEach(async () => {
      const body = { name: 'Shop', networkWhitelist: [{ entry: '203.0.113.7', label: 'Office' }] };
      ({ clientId } = await scene.succeed<Client>(scene.administrator, 'addClient', { body }));
    });

    const read = async (): Promise<(readonly [string, string])[]> => {
      const list = await scene.succeed<NetworkWhitelistContent>(scene.administrator, 'getNetworkWhitelist', {
        path: { clientId },
      });
      return list.entries.map(({ entry, label }) => [entry, label]);
    };

    test('an entry that is no network, is there already or is one too many is not added', async () => {
      const add = (body: unknown, code: Parameters<ManagementScene['refused']>[3]) =>
        scene.refused(scene.administrator, 'addNetworkEntry', { path: { clientId }, body }, code);
      const { errors } = await add({ entry: '10.0.0.1/8', label: 'x'.repeat(101) }, 'body_invalid');
      assert.deepEqual(
        errors.map(({ pointer }) => pointer),
        ['/entry', '/label'],
      );
      await add({}, 'body_invalid');
      await add({ entry: '::ffff:203.0.113.7' }, 'network_entry_taken');
      const entries = Array.from({ length: 1000 }, (_, index) => ({
        entry: `10.0.${index >> 8}.${index & 255}`,
      }));
      const headers = { 'If-Match': '*' };
      const path = { clientId };
      await scene.succeed(scene.administrator, 'replaceNetworkWhitelist', {
        path,
        headers,
        body: { entries },
      });
      await add({ entry: '192.0.2.1' }, 'network_whitelist_full');
      assert.equal((await read()).length, 1000);
    });

    test('entries are added, kept in canonical text, and removed in any spelling', async () => {
      const path = { clientId };
      await scene.succeed(scene.administrator, 'addNetworkEntry', {
        path,
        body: { entry: '2001:DB8::/32', label: 'Cloud' },
      });
      assert.deepEqual(await read(), [
        ['2001:db8::/32', 'Cloud'],
        ['203.0.113.7', 'Office'],
      ]);
      const remove = (entry: string) => ({ path: { clientId, entry } });
      await scene.refused(scene.administrator, 'removeNetworkEntry', remove('2001:db8::/33'), 'not_found');
      await scene.refused(scene.administrator, 'removeNetworkEntry', remove('nonsense'), 'not_found');
      await scene.succeed(scene.administrator, 'removeNetworkEntry', remove('2001:0db8:0::/32'));
      assert.deepEqual(await read(), [['203.0.113.7', 'Office']]);
      await scene.refused(
        scene.administrator,
        'removeNetworkEntry',
        remove('203.0.113.7'),
        'network_entry_last',
      );
    });

    test('all are replaced at once, under an ETag, and what stays keeps its age', async () => {
      const path = { clientId };
      const replace = (entries: unknown, headers = {}) => ({ path, headers, body: { entries } });
      const etag = await scene.etagOf(scene.administrator, clientId);
      const blind = replace([{ entry: '10.0.0.1' }]);
      await scene.refused(scene.administrator, 'replaceNetworkWhitelist', blind, 'precondition_required');
      const wrong = replace([{ entry: '10.0.0.1' }], { 'If-Match': '"0"' });
      await scene.refused(scene.administrator, 'replaceNetworkWhitelist', wrong, 'precondition_failed');
      for (const entries of [
        [],
        null,
        [{ entry: 'x' }],
        Array.from({ length: 1001 }, () => ({ entry: '10.0.0.1' })),
      ]) {
        const options = replace(entries, { 'If-Match': etag });
        await scene.refused(scene.administrator, 'replaceNetworkWhitelist', options, 'body_invalid');
      }
      const first = await scene.succeed<NetworkWhitelistContent>(scene.administrator, 'getNetworkWhitelist', {
        path,
      });
      scene.clock.aheadMs += 60_000;
      const second = await scene.succeed<NetworkWhitelistContent>(
        scene.administrator,
        'replaceNetworkWhitelist',
        replace([{ entry: '203.0.113.7', label: 'Home' }, { entry: '10.0.0.0/8' }], { 'If-Match': etag }),
      );
      assert.deepEqual(
        second.entries.map(({ entry, label }) => [entry, label]),
        [
          ['10.0.0.0/8', ''],
          ['203.0.113.7', 'Home'],
        ],
      );
      assert.equal(second.entries[1]?.createdAt, first.entries[0]?.createdAt);
      assert.notEqual(second.entries[0]?.createdAt, first.entries[0]?.createdAt);
    });

    test('the test of an address says which entries allow it', async () => {
      const path = { clientId };
      const headers = { 'If-Match': '*' };
      const entries = [{ entry: '10.0.0.0/8' }, { entry: '10.1.0.0/16' }, { entry: '2001:db8::/32' }];
      await scene.succeed(scene.administrator, 'replaceNetworkWhitelist', {
        path,
        headers,
        body: { entries },
      });
      for (const query of [
        '',
        'address=',
        'address=10.0.0.0%2F8',
        'address=010.0.0.1',
        'address=fe80::1%25eth0',
      ])
        await scene.refused(scene.administrator, 'testNetworkAddress', { path, query }, 'query_invalid');
      const ask = (address: string): Promise<NetworkAddressTest> =>
        scene.succeed(scene.administrator, 'testNetworkAddress', {
          path,
          query: `address=${encodeURIComponent(address)}`,
        });
      assert.deepEqual(await ask('::ffff:10.1.2.3'), {
        address: '10.1.2.3',
        isAllowed: true,
        entries: ['10.0.0.0/8', '10.1.0.0/16'],
      });
      assert.deepEqual(await ask('2001:DB8::9'), {
        address: '2001:db8::9',
        isAllowed: true,
        entries: ['2001:db8::/32'],
      });
      assert.deepEqual(await ask('11.0.0.1'), { address: '11.0.0.1', isAllowed: false, entries: [] });
      const all = { path, headers, body: { entries: [...entries, ...anywhere] } };
      await scene.succeed(scene.administrator, 'replaceNetworkWhitelist', all);
      assert.deepEqual((await ask('11.0.0.1')).entries, ['0.0.0.0']);
    });

    test('a change counts with the next request, and an entry shows when it was last seen', async () => {
      const caller = await scene.addCaller(['payments-reader']);
      const path = { clientId: caller.clientId };
      const headers = { 'If-Match': '*' };
      const body = { entries: [{ entry: '203.0.113.0/24' }] };
      await scene.succeed(scene.administrator, 'replaceNetworkWhitelist', { path, headers, body });
      await scene.refused(caller, 'listPayments', {}, 'network_not_allowed');
      const here = {
        entries: [{ entry: '127.0.0.0/8' }, { entry: '127.0.0.1' }, { entry: '203.0.113.0/24' }],
      };
      await scene.succeed(scene.administrator, 'replaceNetworkWhitelist', { path, headers, body: here });
      const usedMs = scene.nowMs();
      await scene.succeed(caller, 'listPayments', { query: 'limit=1' });
      const answeredMs = scene.nowMs();
      const seen = await waitFor(async () => {
        const list = await scene.succeed<NetworkWhitelistContent>(
          scene.administrator,
          'getNetworkWhitelist',
          { path },
        );
        const times = list.entries.map(({ lastSeenAt }) => lastSeenAt);
        return times[0] === undefined ? undefined : times;
      }, 'the time at which the first entry was seen');
      const seenMs = Date.parse(seen[0] ?? '');
      assert.ok(seenMs > usedMs - 5000 && seenMs < answeredMs + 5000, String(seen));
      assert.deepEqual([seen[1], seen[2]], [seen[0], undefined]);
      const shown = await scene.succeed<Client>(scene.administrator, 'getClient', { path });
      assert.equal(shown.lastUsedAt, seen[0]);
      assert.equal(shown.keys[0]?.lastUsedAt, seen[0]);
    });

    test('a repetition of an addition is answered as the first', async () => {
      const options = {
        path: { clientId },
        headers: { 'Idempotency-Key': 'x' },
        body: { entry: '10.0.0.1' },
      };
      const first = await scene.call(scene.administrator, 'addNetworkEntry', options);
      const again = await scene.call(scene.administrator, 'addNetworkEntry', options);
      assert.deepEqual([first.status, again.status, again.text], [201, 201, first.text]);
    });
  });
}
