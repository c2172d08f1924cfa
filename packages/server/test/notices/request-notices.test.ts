import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Notice } from '@countersign/contract';
import { createSigner, type Signer } from '@countersign/signature/node';
import { backends } from '@countersign/testing/backends';
import { otherKeyPair } from '@countersign/testing/running-service';
import { type Caller, type ManagementScene, type Person } from '../management/scene.ts';
import { noteRefusedAddresses } from '../../src/notices/refused-addresses.ts';
import { noticesOf, noticesScene, waitForNotices } from './notices-scene.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const url = '/v1/whoami';

for (const backend of backends) {
  describe(`notices of requests on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    let viewer: Person;
    before(async () => {
      scene = await noticesScene(backend);
      viewer = await scene.addPerson({ role: 'viewer' });
    });
    after(() => scene.close());

    const advance = async (ms: number): Promise<void> => {
      scene.clock.aheadMs += ms;
      viewer = await scene.signIn(viewer);
    };
    /** Goes to the middle of the next hour, or of the next day in UTC, so that none begins in the middle of a test. */
    const goTo = (spanMs: number): Promise<void> => advance(spanMs - (scene.nowMs() % spanMs) + spanMs / 2);

    const send = async (signer: Signer, localAddress = '127.0.0.1'): Promise<string> => {
      const { headers } = signer.sign({ method: 'GET', url: `https://api.example.test${url}` });
      const answer = await scene.running.send({ method: 'GET', url, headers: { ...headers }, localAddress });
      return answer.status === 200 ? 'accepted' : String(answer.json()['code']);
    };
    /** A stranger who knows the clientId and has another key. */
    const strangerTo = ({ clientId }: Caller): Signer =>
      createSigner({ keyid: clientId, privateKey: otherKeyPair.privateKey, nowMs: scene.nowMs });
    const fail = async (client: Caller, times = 1): Promise<void> => {
      for (let time = 0; time < times; time += 1)
        assert.equal(await send(strangerTo(client), `127.0.${time % 9}.7`), 'signature_invalid');
    };
    const countOf = (notices: readonly Notice[]): number =>
      notices.reduce((sum, { count }) => sum + count, 0);
    /** Waits until the notices about a client count this many requests. */
    const counted = (kind: Notice['kind'], { clientId }: Caller, count: number): Promise<readonly Notice[]> =>
      waitForNotices(scene, viewer, kind, (all) => countOf(about(all, clientId)) === count).then((all) =>
        about(all, clientId),
      );
    const about = (all: readonly Notice[], clientId: string): readonly Notice[] =>
      all.filter((notice) => notice.client?.clientId === clientId);

    test('strangers who name a client make one notice with a count, and no other for as long as they go on', async () => {
      const shop = await scene.addCaller([]);
      await goTo(hourMs);
      await fail(shop, 20);
      const [first, ...others] = await counted('first_failure', shop, 20);
      assert.deepEqual(others, []);
      assert.equal(first?.failure?.outcome, 'signature_invalid');
      assert.equal(first?.failure?.isProved, false);
      assert.equal(first?.failure?.sourceAddress, '127.0.0.7');
      const request = await scene.succeed(viewer, 'getRequest', {
        path: { requestId: first.failure.requestId },
      });
      assert.equal(request['outcome'], 'signature_invalid');

      await scene.succeed(viewer, 'readNotice', { path: { noticeId: first.noticeId } });
      await advance(20 * hourMs);
      await fail(shop, 10);
      const [later] = await counted('first_failure', shop, 30);
      assert.equal(later?.noticeId, first?.noticeId);
      assert.equal(later?.isRead, true);

      // A day after the first they are not counted any more, and are not the first either.
      await advance(20 * hourMs);
      await fail(shop, 10);
      const other = await scene.addCaller([]);
      await fail(other);
      await counted('first_failure', other, 1);
      assert.equal((await counted('first_failure', shop, 30)).length, 1);

      await advance(26 * hourMs);
      await fail(shop);
      const [newest, oldest] = await counted('first_failure', shop, 31);
      assert.equal(newest?.count, 1);
      assert.equal(oldest?.noticeId, first?.noticeId);
    });

    test('many named clients make a bounded number of notices', async () => {
      await goTo(dayMs);
      await advance(2 * dayMs);
      const clients: Caller[] = [];
      for (let index = 0; index < 60; index += 1) {
        const client = await scene.addCaller([]);
        clients.push(client);
        await fail(client);
      }
      const named = (all: readonly Notice[]): readonly Notice[] =>
        all.filter(({ client }) => clients.some(({ clientId }) => clientId === client?.clientId));
      await waitForNotices(scene, viewer, 'first_failure', (all) => named(all).length === 50);
      // Whatever is looked at later is looked at after the rest of these.
      await scene.succeed(scene.administrator, 'addNetworkEntry', {
        path: { clientId: clients[0]!.clientId },
        body: { entry: '10.0.0.1' },
      });
      await waitForNotices(scene, viewer, 'policy_changed', (all) => all.length > 0);
      const { data } = await noticesOf(scene, viewer, 'kind=first_failure&limit=100');
      assert.equal(named(data).length, 50);
      await advance(3 * dayMs);
    });

    test('accepted requests, ordinary answers of the API, unknown clients and revoked ones make none', async () => {
      await goTo(hourMs);
      const shop = await scene.addCaller(['auditor']);
      assert.equal(await send(shop.signer), 'accepted');
      await scene.refused(shop, 'getRequest', { path: { requestId: 'request_0' } }, 'not_found');
      const unknown = { ...shop, clientId: 'nobody' };
      assert.equal(await send(strangerTo(unknown)), 'signature_invalid');
      const gone = await scene.addCaller([]);
      await scene.succeed(scene.administrator, 'revokeClient', { path: { clientId: gone.clientId } });
      assert.notEqual(await send(gone.signer), 'accepted');
      const other = await scene.addCaller([]);
      await fail(other);
      await counted('first_failure', other, 1);
      const { data } = await noticesOf(scene, viewer, 'kind=first_failure&limit=100');
      assert.deepEqual(about(data, shop.clientId), []);
      assert.deepEqual(about(data, gone.clientId), []);
    });

    test('addresses outside the whitelist: one notice a day, and none for those of the day before', async () => {
      await goTo(dayMs);
      const networkWhitelist = [{ entry: '203.0.113.0/24' }];
      const shop = await scene.addCaller([], { body: { networkWhitelist } });
      for (const address of ['127.0.0.3', '127.0.0.4', '127.0.0.3'])
        assert.equal(await send(shop.signer, address), 'network_not_allowed');
      const [first, ...others] = await counted('refused_address', shop, 3);
      assert.deepEqual(others, []);
      assert.deepEqual(first?.sourceAddresses, ['127.0.0.3', '127.0.0.4']);
      assert.equal(first?.failure?.isProved, true);
      // It is a failure too, but not told twice.
      assert.equal(
        about((await noticesOf(scene, viewer, 'kind=first_failure')).data, shop.clientId).length,
        0,
      );

      await goTo(dayMs);
      assert.equal(await send(shop.signer, '127.0.0.3'), 'network_not_allowed');
      assert.equal(await send(shop.signer, '127.0.0.5'), 'network_not_allowed');
      const [second, ...older] = await counted('refused_address', shop, 4);
      assert.deepEqual(second?.sourceAddresses, ['127.0.0.5']);
      assert.deepEqual(older, [first]);

      // A look that began before midnight, and sees what came after it, counts none of that for its own day.
      const database = await scene.database();
      const lastDay = { nowMs: scene.nowMs() - dayMs, isMailed: false };
      await noteRefusedAddresses(database, scene.accountId, lastDay);
      assert.deepEqual(await counted('refused_address', shop, 4), [second, first]);

      // A stranger cannot cause any of it.
      const stranger = strangerTo(shop);
      assert.equal(await send(stranger, '127.0.0.6'), 'signature_invalid');
      await counted('first_failure', shop, 1);
      assert.equal((await counted('refused_address', shop, 4)).length, 2);
    });

    test('a flood of addresses is one notice that lists ten', async () => {
      await goTo(dayMs);
      const shop = await scene.addCaller([], { body: { networkWhitelist: [{ entry: '203.0.113.1' }] } });
      for (let index = 0; index < 25; index += 1)
        assert.equal(await send(shop.signer, `127.1.0.${index + 1}`), 'network_not_allowed');
      const notices = await counted('refused_address', shop, 25);
      assert.deepEqual([notices.length, notices[0]?.sourceAddresses?.length], [1, 10]);
    });

    test('keys: each stage is told once, and nothing of a key that another one replaces', async () => {
      const administrator = await scene.addAccount();
      let reader = await scene.addPerson({ accountId: administrator.accountId, role: 'viewer' });
      const pass = async (ms: number): Promise<void> => {
        scene.clock.aheadMs += ms;
        reader = await scene.signIn(reader);
      };
      const replaced = await scene.addCaller([], { by: administrator });
      const shop = await scene.addCaller([], { by: administrator });
      const keyOf = async ({ clientId }: Caller): Promise<string> => {
        const keys = await scene.succeed<{ data: { keyId: string }[] }>(administrator, 'listKeys', {
          path: { clientId },
        });
        return keys.data[0]!.keyId;
      };
      const [keyId, replacedKeyId] = [await keyOf(shop), await keyOf(replaced)];
      await pass(20 * dayMs);
      const { publicKey } = scene.freshKey();
      await scene.succeed(administrator, 'addKey', {
        path: { clientId: replaced.clientId },
        body: { publicKey },
      });
      const late = await scene.addCaller([], { by: administrator });
      const stages = async (expected: readonly string[]): Promise<readonly Notice[]> => {
        const isThere = (all: readonly Notice[]): boolean =>
          about(all, shop.clientId).length >= expected.length;
        const all = await waitForNotices(scene, reader, 'key_due', isThere);
        const ofShop = about(all, shop.clientId);
        assert.deepEqual(
          ofShop.map(({ key }) => key?.stage),
          expected,
        );
        assert.ok(ofShop.every(({ key, count }) => key?.keyId === keyId && count === 1));
        return all;
      };
      await pass(60 * dayMs + hourMs);
      await stages(['rotation_due']);
      await pass(10 * dayMs);
      await stages(['rotation_overdue', 'rotation_due']);
      const endsAt = new Date(scene.nowMs() + 9 * dayMs).toISOString();
      await scene.succeed(administrator, 'retireKey', {
        path: { clientId: shop.clientId, keyId },
        body: { endsAt },
      });
      await pass(3 * dayMs);
      await stages(['expires_in_week', 'rotation_overdue', 'rotation_due']);
      await pass(5 * dayMs + hourMs);
      const last = ['expires_in_day', 'expires_in_week', 'rotation_overdue', 'rotation_due'];
      await stages(last);
      await pass(2 * dayMs);
      const all = await waitForNotices(
        scene,
        reader,
        'key_due',
        (found) => about(found, late.clientId).length > 0,
      );
      await stages(last);
      // It was due long before, but its client has another.
      assert.equal(all.filter(({ key }) => key?.keyId === replacedKeyId).length, 0);
    });
  });
}
