import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createSigner } from '@countersign/signature/node';
import { backends } from '@countersign/testing/backends';
import { waitFor, waitUntil } from '@countersign/testing/wait-until';
import { requireSecondPerson } from './guarded-calls.ts';
import { type Caller, type Client, type Key, managementScene, type ManagementScene } from './scene.ts';

const hourMs = 3_600_000;

for (const backend of backends) {
  describe(`rollover on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    before(async () => {
      scene = await managementScene(backend);
    });
    after(() => scene.close());

    /** A client with a key that is in use, and another one that is not yet. */
    const twoKeys = async (
      body: object = {},
      roles = ['payments-reader'],
    ): Promise<{ old: Caller; next: Caller; keys: readonly Key[] }> => {
      const old = await scene.addCaller(roles);
      await scene.succeed(old, 'getWhoami');
      await proved(old.clientId, 0);
      const { publicKey, privateKey } = scene.freshKey();
      const path = { clientId: old.clientId };
      await scene.succeed(scene.administrator, 'addKey', { path, body: { publicKey, ...body } });
      const signer = createSigner({ keyid: old.clientId, privateKey, nowMs: scene.nowMs });
      return { old, next: { clientId: old.clientId, signer }, keys: await keysOf(old.clientId) };
    };
    const keysOf = async (clientId: string): Promise<readonly Key[]> =>
      (await scene.succeed<Client>(scene.administrator, 'getClient', { path: { clientId } })).keys;
    /** The use of a key is noted after the answer. */
    const proved = async (clientId: string, index: number): Promise<readonly Key[]> => {
      const keys = await waitFor(async () => {
        const found = await keysOf(clientId);
        return found[index]?.status === 'active' ? found : undefined;
      }, 'the key that was used is active');
      // What is stored counts within a second; this does not wait for it.
      await scene.running.service.readRegistry();
      return keys;
    };

    test('both keys verify, and the time of the old one does not begin before the new one is used', async () => {
      const { old, next, keys } = await twoKeys();
      assert.deepEqual(
        keys.map(({ status }) => status),
        ['active', 'pending'],
      );
      assert.equal(keys[1]?.replacesKeyId, keys[0]?.keyId);
      assert.equal(keys[1]?.overlapSeconds, 259_200);
      scene.clock.aheadMs += 500 * hourMs;
      const unhurried = await scene.call(old, 'getWhoami');
      assert.equal(unhurried.status, 200);
      assert.equal(unhurried.headers['client-key-retire-at'], undefined);
      assert.deepEqual(
        (await keysOf(old.clientId)).map(({ status }) => status),
        ['active', 'pending'],
      );
      const usedMs = scene.nowMs();
      assert.equal((await scene.call(next, 'getWhoami')).status, 200);
      const now = await proved(old.clientId, 1);
      assert.equal(now[0]?.status, 'retiring');
      const startsMs = Date.parse(now[0]?.endsAt ?? '') - 72 * hourMs;
      assert.ok(startsMs >= usedMs - 1000 && startsMs <= scene.nowMs() + 1000, String(now[0]?.endsAt));
      const ending = await scene.call(old, 'getWhoami', { query: '' });
      assert.equal(
        new Date(String(ending.headers['client-key-retire-at'])).getTime(),
        Math.floor(Date.parse(now[0]?.endsAt ?? '') / 1000) * 1000,
      );
      assert.equal((await scene.call(next, 'getWhoami')).headers['client-key-retire-at'], undefined);
      scene.clock.aheadMs += 72 * hourMs;
      await scene.refused(old, 'getWhoami', {}, 'signature_invalid');
      assert.equal((await scene.call(next, 'getWhoami')).status, 200);
    });

    test('the use of the old key, and a request that is refused, prove nothing', async () => {
      const { old, next } = await twoKeys();
      await scene.succeed(old, 'getWhoami');
      const { method, headers } = next.signer.sign({
        method: 'GET',
        url: 'https://api.example.test/v1/whoami',
      });
      await scene.running.send({ method, url: '/v1/payments', headers: { ...headers } });
      const path = { clientId: old.clientId };
      const change = { path, headers: { 'If-Match': '*' }, body: { entries: [{ entry: '203.0.113.7' }] } };
      await scene.succeed(scene.administrator, 'replaceNetworkWhitelist', change);
      await scene.refused(next, 'getWhoami', {}, 'network_not_allowed');
      // A use that proves something is noted in turn.
      const another = await twoKeys();
      await scene.succeed(another.next, 'getWhoami');
      await proved(another.old.clientId, 1);
      assert.deepEqual(
        (await keysOf(old.clientId)).map(({ status }) => status),
        ['active', 'pending'],
      );
    });

    test('the overlap is what was asked for, none at all included', async () => {
      for (const overlapSeconds of [0, 3600]) {
        const { old, next } = await twoKeys({ overlapSeconds });
        await scene.succeed(next, 'getWhoami');
        if (overlapSeconds > 0) {
          await proved(old.clientId, 1);
          await scene.succeed(old, 'getWhoami');
          scene.clock.aheadMs += overlapSeconds * 1000;
        } else {
          await proved(old.clientId, 0);
          await waitUntil(async () => (await keysOf(old.clientId)).length === 1, 'one key is left');
          // What is stored counts within a second; this does not wait for it.
          await scene.running.service.readRegistry();
        }
        await scene.refused(old, 'getWhoami', {}, 'signature_invalid');
        assert.equal((await keysOf(old.clientId)).length, 1);
      }
    });

    test('where a second person is required, the overlap is a day at least', async () => {
      const database = await scene.database();
      const { old, next } = await twoKeys({ overlapSeconds: 0 });
      await requireSecondPerson(database, scene.accountId);
      try {
        await scene.succeed(next, 'getWhoami');
        const [replaced] = await proved(old.clientId, 1);
        assert.ok(Date.parse(replaced!.endsAt!) > scene.nowMs() + 23 * hourMs);
        await scene.succeed(old, 'getWhoami');
      } finally {
        await requireSecondPerson(database, scene.accountId, false);
      }
    });

    test('"compromised" ends the old key at once, and the new one goes on', async () => {
      const { old, next, keys } = await twoKeys();
      const path = { clientId: old.clientId, keyId: keys[0]?.keyId ?? '' };
      await scene.succeed(scene.administrator, 'revokeKey', { path, body: { reason: 'compromised' } });
      await scene.refused(old, 'getWhoami', {}, 'signature_invalid');
      await scene.succeed(next, 'getWhoami');
    });

    test('many first requests at once prove it once', async () => {
      const { old, next } = await twoKeys();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          scene.call(next, 'listPayments', { query: `limit=${index + 1}` }),
        ),
      );
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
      await proved(old.clientId, 1);
      const query = `clientId=${encodeURIComponent(old.clientId)}&limit=100`;
      const { data } = await scene.succeed<{
        data: { action: string; actor: unknown; requestId?: string }[];
      }>(scene.administrator, 'listAuditEvents', { query });
      const actions = data.map(({ action }) => action);
      assert.deepEqual(actions.filter((action) => action === 'key.activated').length, 2, 'one for each key');
      assert.deepEqual(actions.slice(0, 2), ['key.retiring', 'key.activated']);
      assert.deepEqual(data[0]?.actor, { kind: 'client', id: old.clientId });
      assert.match(data[0]?.requestId ?? '', /^request_/);
    });

    test('with self:rotate a client changes its own keys, without help', async () => {
      const rotator = await scene.addCaller(['key-rotator']);
      await scene.succeed(rotator, 'getWhoami');
      const [first] = await proved(rotator.clientId, 0);
      const path = { clientId: rotator.clientId };
      const own = { ...path, keyId: first?.keyId ?? '' };
      await scene.refused(rotator, 'retireKey', { path: own }, 'key_state_conflict');
      const { publicKey, privateKey } = scene.freshKey();
      await scene.succeed(rotator, 'addKey', { path, body: { publicKey, overlapSeconds: 60 } });
      const next = {
        ...rotator,
        signer: createSigner({ keyid: rotator.clientId, privateKey, nowMs: scene.nowMs }),
      };
      await scene.succeed(next, 'listKeys', { path });
      await proved(rotator.clientId, 1);
      await scene.succeed(next, 'retireKey', {
        path: own,
        body: { endsAt: new Date(scene.nowMs() + 5000).toISOString() },
      });
      await scene.succeed(next, 'getKey', { path: own });
      await scene.succeed(next, 'getKeyRenewalInfo', { path: own });
      scene.clock.aheadMs += 60_000;
      await scene.refused(rotator, 'getWhoami', {}, 'signature_invalid');
      await scene.succeed(next, 'getWhoami');
    });

    test('with self:rotate a client ends its own old key now, but never its last one', async () => {
      for (const reason of ['superseded', 'compromised']) {
        const rotator = await scene.addCaller(['key-rotator']);
        const [first] = await keysOf(rotator.clientId);
        const path = { clientId: rotator.clientId };
        const own = { ...path, keyId: first?.keyId ?? '' };
        const call = { path: own, body: { reason } };
        const refusal = await scene.refused(rotator, 'revokeKey', call, 'key_state_conflict');
        assert.match(refusal.reason, /add the next key first/);
        const { publicKey, privateKey } = scene.freshKey();
        await scene.succeed(rotator, 'addKey', { path, body: { publicKey } });
        const signer = createSigner({ keyid: rotator.clientId, privateKey, nowMs: scene.nowMs });
        const next = { ...rotator, signer };
        const revoked = await scene.succeed<Key>(next, 'revokeKey', call);
        assert.equal(revoked.status, 'revoked');
        assert.equal(revoked.revocationReason, reason);
        await scene.refused(rotator, 'getWhoami', {}, 'signature_invalid');
        await scene.succeed(next, 'getWhoami');
        assert.equal((await scene.succeed<Key>(next, 'revokeKey', call)).status, 'revoked', 'and once more');
        const keys = await scene.succeed<{ data: readonly Key[] }>(next, 'listKeys', { path });
        const last = { ...path, keyId: keys.data[1]?.keyId ?? '' };
        await scene.refused(next, 'revokeKey', { ...call, path: last }, 'key_state_conflict');
      }
    });

    test('with self:rotate nothing else can be reached: not the keys of others, not more than adding and ending', async () => {
      const rotator = await scene.addCaller(['key-rotator']);
      const { keys } = await scene.succeed<Client>(scene.administrator, 'getClient', {
        path: { clientId: rotator.clientId },
      });
      const own = { clientId: rotator.clientId, keyId: keys[0]?.keyId ?? '' };
      const foreign = { clientId: scene.administrator.clientId, keyId: own.keyId };
      const body = { publicKey: scene.freshKey().publicKey };
      for (const clientId of [foreign.clientId, 'no-such-client', own.clientId.toUpperCase()]) {
        const path = { ...foreign, clientId };
        for (const id of ['listKeys', 'getKey', 'retireKey', 'getKeyRenewalInfo'] as const)
          await scene.refused(rotator, id, { path }, 'permission_denied');
        await scene.refused(rotator, 'addKey', { path, body }, 'permission_denied');
        const revocation = { path, body: { reason: 'superseded' } };
        await scene.refused(rotator, 'revokeKey', revocation, 'permission_denied');
      }
      const endsAt = new Date(scene.nowMs() + hourMs).toISOString();
      await scene.refused(rotator, 'extendKey', { path: own, body: { endsAt } }, 'permission_denied');
      await scene.refused(rotator, 'getClient', { path: own }, 'permission_denied');
    });
  });
}
