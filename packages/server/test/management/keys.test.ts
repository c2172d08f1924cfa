import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createSigner } from '@countersign/signature/node';
import type { KeyRenewalInfo } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import {
  type Account,
  anywhere,
  type Caller,
  type Client,
  type Data,
  type Key,
  managementScene,
  type ManagementScene,
} from './scene.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

for (const backend of backends) {
  describe(`keys on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    before(async () => {
      scene = await managementScene(backend);
    });
    after(() => scene.close());

    const at = (aheadMs: number): string => new Date(scene.nowMs() + aheadMs).toISOString();
    const newClient = async (body: object = {}): Promise<string> => {
      const client = { name: 'Shop', networkWhitelist: anywhere, ...body };
      return (await scene.succeed<Client>(scene.administrator, 'addClient', { body: client })).clientId;
    };
    const addKey = (clientId: string, body: object = {}): Promise<Key> =>
      scene.succeed<Key>(scene.administrator, 'addKey', {
        path: { clientId },
        body: { publicKey: scene.freshKey().publicKey, ...body },
      });
    const read = (clientId: string, keyId: string): Promise<Key> =>
      scene.succeed<Key>(scene.administrator, 'getKey', { path: { clientId, keyId } });

    test('a key with a mistake is not added, and every mistake is told', async () => {
      const clientId = await newClient();
      const path = { clientId };
      const add = (body: object) =>
        scene.refused(scene.administrator, 'addKey', { path, body }, 'body_invalid');
      const pointers = async (body: object): Promise<string[]> =>
        (await add(body)).errors.map(({ pointer }) => pointer).toSorted();
      const { publicKey } = scene.freshKey();
      assert.deepEqual(await pointers({}), ['/publicKey']);
      assert.deepEqual(await pointers({ publicKey: 'x', overlapSeconds: -1, startsAt: 'soon', endsAt: 5 }), [
        '/endsAt',
        '/overlapSeconds',
        '/publicKey',
        '/startsAt',
      ]);
      assert.deepEqual(await pointers({ publicKey, endsAt: at(-1000) }), ['/endsAt']);
      assert.deepEqual(await pointers({ publicKey, startsAt: at(2 * hourMs), endsAt: at(hourMs) }), [
        '/endsAt',
      ]);
      assert.deepEqual(await pointers({ publicKey, startsAt: '2026-02-30T00:00:00Z' }), ['/startsAt']);
      const list = await scene.succeed<Data<Key>>(scene.administrator, 'listKeys', { path });
      assert.deepEqual(list.data, []);
    });

    test('a key is registered once in an account, revoked or not', async () => {
      const { publicKey } = scene.freshKey();
      const first = await newClient({ publicKey });
      const second = await newClient();
      const again = { path: { clientId: second }, body: { publicKey } };
      const told = await scene.refused(scene.administrator, 'addKey', again, 'key_registered');
      assert.ok(told.reason.includes(first));
      await scene.succeed(scene.administrator, 'revokeClient', { path: { clientId: first } });
      await scene.refused(scene.administrator, 'addKey', again, 'key_registered');
      const other = await scene.addAccount();
      await scene.succeed(other, 'addClient', {
        body: { name: 'Other', networkWhitelist: anywhere, publicKey },
      });
    });

    test('a client has two usable keys at most', async () => {
      const clientId = await newClient();
      const first = await addKey(clientId);
      await addKey(clientId);
      const third = { path: { clientId }, body: { publicKey: scene.freshKey().publicKey } };
      await scene.refused(scene.administrator, 'addKey', third, 'keys_too_many');
      await scene.succeed(scene.administrator, 'revokeKey', {
        path: { clientId, keyId: first.keyId },
        body: { reason: 'superseded' },
      });
      await scene.succeed(scene.administrator, 'addKey', third);
    });

    test('a key that is revoked is final, and says why', async () => {
      const clientId = await newClient();
      const { keyId } = await addKey(clientId);
      const path = { clientId, keyId };
      await scene.refused(
        scene.administrator,
        'revokeKey',
        { path, body: { reason: 'bored' } },
        'body_invalid',
      );
      await scene.refused(scene.administrator, 'revokeKey', { path, body: {} }, 'body_invalid');
      const revoked = await scene.succeed<Key>(scene.administrator, 'revokeKey', {
        path,
        body: { reason: 'compromised' },
      });
      assert.deepEqual(
        [revoked.status, revoked.revocationReason, revoked.rotation],
        ['revoked', 'compromised', undefined],
      );
      const again = await scene.succeed<Key>(scene.administrator, 'revokeKey', {
        path,
        body: { reason: 'superseded' },
      });
      assert.deepEqual([again.revocationReason, again.revokedAt], ['compromised', revoked.revokedAt]);
      await scene.refused(scene.administrator, 'retireKey', { path }, 'key_state_conflict');
      const body = { endsAt: at(hourMs) };
      await scene.refused(scene.administrator, 'extendKey', { path, body }, 'key_state_conflict');
    });

    test('a key retires at a time, earlier if asked, later only by extending it, and then is expired', async () => {
      const clientId = await newClient();
      const { keyId } = await addKey(clientId);
      const path = { clientId, keyId };
      const retire = (endsAt?: string) => ({ path, ...(endsAt !== undefined && { body: { endsAt } }) });
      for (const endsAt of [at(-1000), at(91 * dayMs)])
        await scene.refused(scene.administrator, 'retireKey', retire(endsAt), 'body_invalid');
      await scene.refused(
        scene.administrator,
        'extendKey',
        { path, body: { endsAt: at(hourMs) } },
        'body_invalid',
      );
      const askedMs = scene.nowMs();
      const retiring = await scene.succeed<Key>(scene.administrator, 'retireKey', retire());
      assert.equal(retiring.status, 'retiring');
      const startsMs = Date.parse(retiring.endsAt ?? '') - 72 * hourMs;
      assert.ok(startsMs >= askedMs - 1000 && startsMs <= scene.nowMs() + 1000, String(retiring.endsAt));
      const same = await scene.succeed<Key>(scene.administrator, 'retireKey', retire());
      assert.equal(same.endsAt, retiring.endsAt, 'retiring once more gives no more time');
      const earlier = at(2 * hourMs);
      assert.equal(
        (await scene.succeed<Key>(scene.administrator, 'retireKey', retire(earlier))).endsAt,
        earlier,
      );
      await scene.refused(scene.administrator, 'retireKey', retire(at(3 * hourMs)), 'body_invalid');
      const sooner = { path, body: { endsAt: at(hourMs) } };
      await scene.refused(scene.administrator, 'extendKey', sooner, 'body_invalid');
      const later = at(3 * hourMs);
      const extended = await scene.succeed<Key>(scene.administrator, 'extendKey', {
        path,
        body: { endsAt: later },
      });
      assert.deepEqual([extended.status, extended.endsAt], ['retiring', later]);
      scene.clock.aheadMs += 3 * hourMs;
      assert.equal((await read(clientId, keyId)).status, 'expired');
      const late = { path, body: { endsAt: at(hourMs) } };
      await scene.refused(scene.administrator, 'extendKey', late, 'key_state_conflict');
    });

    test('a key that starts later does not verify before, and one that ends not after', async () => {
      const { publicKey, privateKey } = scene.freshKey();
      const clientId = await newClient({ roles: ['payments-reader'] });
      const times = { startsAt: at(hourMs), endsAt: at(2 * hourMs) };
      await addKey(clientId, { publicKey, ...times });
      const caller: Caller = {
        clientId,
        signer: createSigner({ keyid: clientId, privateKey, nowMs: scene.nowMs }),
      };
      await scene.refused(caller, 'listPayments', {}, 'signature_invalid');
      scene.clock.aheadMs += hourMs;
      const answer = await scene.call(caller, 'listPayments');
      assert.equal(answer.status, 200);
      assert.equal(
        new Date(String(answer.headers['client-key-retire-at'])).getTime(),
        Math.floor(Date.parse(times.endsAt) / 1000) * 1000,
      );
      scene.clock.aheadMs += hourMs;
      await scene.refused(caller, 'listPayments', {}, 'signature_invalid');
    });

    test('age and rotation are shown, found, and told to programs', async () => {
      const clientId = await newClient();
      const { keyId } = await addKey(clientId);
      const path = { clientId, keyId };
      const look = async (): Promise<[number, string | undefined, string[]]> => {
        const key = await read(clientId, keyId);
        const found: string[] = [];
        for (const rotation of ['not_due', 'due', 'overdue']) {
          const query = `rotation=${rotation}&search=${clientId}`;
          const list = await scene.succeed<Data<Client>>(scene.administrator, 'listClients', { query });
          if (list.data.length > 0) found.push(rotation);
        }
        return [key.ageDays, key.rotation, found];
      };
      assert.deepEqual(await look(), [0, 'not_due', ['not_due']]);
      const info = async (): Promise<[number, number]> => {
        const answer = await scene.call(scene.administrator, 'getKeyRenewalInfo', { path });
        assert.equal(answer.headers['retry-after'], '21600');
        const { suggestedWindow } = answer.json() as unknown as KeyRenewalInfo;
        const days = [suggestedWindow.start, suggestedWindow.end].map(
          (time) => (Date.parse(time) - scene.nowMs()) / dayMs,
        );
        return [Math.round(days[0] ?? NaN) + 0, Math.round(days[1] ?? NaN) + 0];
      };
      assert.deepEqual(await info(), [80, 90]);
      scene.clock.aheadMs += 80 * dayMs;
      assert.deepEqual(await look(), [80, 'due', ['due']]);
      scene.clock.aheadMs += 10 * dayMs;
      assert.deepEqual(await look(), [90, 'overdue', ['overdue']]);
      assert.deepEqual(await info(), [-10, 0]);
      await scene.succeed(scene.administrator, 'revokeKey', { path, body: { reason: 'compromised' } });
      scene.clock.aheadMs += dayMs;
      assert.deepEqual(await look(), [91, undefined, []]);
      const [start, end] = await info();
      assert.ok(start < 0 && end < 0, 'a window in the past: renew now');
    });

    test('an account can let keys end by their age', async () => {
      const operator = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      const { accountId } = await scene.succeed<Account>(operator, 'addAccount', {
        body: { name: 'Strict' },
      });
      const caller = await scene.addCaller(['payments-reader'], { by: operator, body: { accountId } });
      const path = { accountId };
      const headers = { 'If-Match': '*' };
      const limit = (keyAgeDaysMax: number | null) =>
        scene.succeed(operator, 'updateAccount', { path, headers, body: { keyAgeDaysMax } });
      scene.clock.aheadMs += 5 * dayMs;
      await scene.succeed(caller, 'listPayments');
      await limit(6);
      const { keys } = await scene.succeed<Client>(operator, 'getClient', {
        path: { clientId: caller.clientId },
      });
      assert.equal(Date.parse(keys[0]?.endsAt ?? '') - Date.parse(keys[0]?.createdAt ?? ''), 6 * dayMs);
      assert.equal(keys[0]?.rotation, 'due');
      await scene.succeed(caller, 'listPayments', { query: 'limit=1' });
      await limit(5);
      await scene.refused(caller, 'listPayments', { query: 'limit=2' }, 'signature_invalid');
      await limit(null);
      await scene.succeed(caller, 'listPayments', { query: 'limit=3' });
    });

    test('the list has all of them, the ended ones too, in pages', async () => {
      const clientId = await newClient();
      const made: string[] = [];
      for (let count = 0; count < 3; count += 1) {
        const { keyId } = await addKey(clientId);
        made.push(keyId);
        const path = { clientId, keyId };
        await scene.succeed(scene.administrator, 'revokeKey', { path, body: { reason: 'superseded' } });
      }
      const path = { clientId };
      const first = await scene.succeed<Data<Key>>(scene.administrator, 'listKeys', {
        path,
        query: 'limit=2',
      });
      const query = `limit=2&cursor=${first.nextCursor}`;
      const second = await scene.succeed<Data<Key>>(scene.administrator, 'listKeys', { path, query });
      assert.deepEqual(
        [...first.data, ...second.data].map(({ keyId }) => keyId),
        made,
      );
      assert.equal(second.nextCursor, null);
      for (const keyId of ['key_x', made[0]!.toUpperCase(), `key_${'0'.repeat(26)}`])
        await scene.refused(scene.administrator, 'getKey', { path: { clientId, keyId } }, 'not_found');
    });
  });
}
