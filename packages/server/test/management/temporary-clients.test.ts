import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AuditEvent, Member, OperationId, PendingChange } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import {
  anywhere,
  type Caller,
  type Client,
  type Data,
  type Key,
  type ManagementCall,
  managementScene,
  type ManagementScene,
} from './scene.ts';

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
const any = { 'If-Match': '*' };

/* A temporary client ends on time, whatever is done with it before. */

for (const backend of backends) {
  describe(`temporary clients on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    before(async () => {
      scene = await managementScene(backend, {
        settings: { COUNTERSIGN_PROFILES: 'adcp-3.2' },
        overrides: { directoriesEveryMs: 2 ** 31 - 1 },
      });
    });
    after(() => scene.close());

    const inMinutes = (minutes: number): string => new Date(scene.nowMs() + minutes * minuteMs).toISOString();
    const addTemporary = (expiresAt = inMinutes(15), roles: string[] = []): Promise<Caller> =>
      scene.addCaller(roles, { body: { expiresAt } });
    const on = ({ clientId }: { clientId: string }): { path: { clientId: string } } => ({
      path: { clientId },
    });
    const succeed = <Body>(id: OperationId, call: ManagementCall): Promise<Body> =>
      scene.succeed<Body>(scene.administrator, id, call);
    const refused = async (id: OperationId, call: ManagementCall, code: 'not_found' | 'body_invalid') =>
      (await scene.refused(scene.administrator, id, call, code)).errors;
    const listed = async (query = 'limit=100'): Promise<readonly string[]> =>
      (await succeed<Data<Client>>('listClients', { query })).data.map(({ clientId }) => clientId);
    /** Tries everything that could bring a client back. */
    const assertGone = async ({ clientId, signer }: Caller): Promise<void> => {
      await scene.refused({ clientId, signer }, 'testSignatureByPost', {}, 'signature_invalid');
      const { publicKey } = scene.freshKey();
      const path = { clientId };
      const tries: readonly (readonly [OperationId, object])[] = [
        ['getClient', {}],
        ['enableClient', {}],
        ['restoreClient', {}],
        ['updateClient', { headers: any, body: { name: 'Back' } }],
        ['addKey', { body: { publicKey } }],
        ['addNetworkEntry', { body: { entry: '192.0.2.9' } }],
      ];
      for (const [id, call] of tries) await refused(id, { path, ...call }, 'not_found');
      assert.ok(!(await listed()).includes(clientId));
    };

    test('a time that is over or too far, and a directory, are refused', async () => {
      const tryOn = async (body: object): Promise<readonly string[]> => {
        const client = { name: 'Try it', networkWhitelist: anywhere, ...body };
        return (await refused('addClient', { body: client }, 'body_invalid')).map(({ pointer }) => pointer);
      };
      for (const expiresAt of ['soon', inMinutes(0), inMinutes(-1), inMinutes(90 * 1440 + 1), null])
        assert.deepEqual(await tryOn({ expiresAt }), ['/expiresAt'], String(expiresAt));
      const directory = { directoryUrl: 'https://agent.example', profile: 'adcp-3.2' };
      assert.deepEqual(await tryOn({ ...directory, expiresAt: inMinutes(15) }), ['/expiresAt']);
      const client = await addTemporary();
      const changes = { ...on(client), headers: any };
      for (const expiresAt of [inMinutes(99), null])
        await refused('updateClient', { ...changes, body: { expiresAt } }, 'body_invalid');
      const followed = await refused('updateClient', { ...changes, body: directory }, 'body_invalid');
      assert.deepEqual(
        followed.map(({ pointer }) => pointer),
        ['/directoryUrl'],
      );
    });

    test('it calls until it expires, and is gone at that moment', async () => {
      const expiresAt = inMinutes(15);
      const client = await addTemporary(expiresAt, ['payments-reader']);
      const shown = await succeed<Client>('getClient', on(client));
      assert.deepEqual([shown.expiresAt, shown.keys[0]?.endsAt], [expiresAt, expiresAt]);
      assert.deepEqual([shown.keys[0]?.rotation, shown.keys[0]?.rotationDueAt], [undefined, undefined]);
      for (const rotation of ['due', 'overdue', 'not_due'])
        assert.ok(!(await listed(`rotation=${rotation}`)).includes(client.clientId));
      scene.clock.aheadMs += 14 * minuteMs;
      await scene.succeed(client, 'listPayments');
      assert.ok((await listed()).includes(client.clientId));
      scene.clock.aheadMs += minuteMs;
      await assertGone(client);
    });

    test('no key of it works for longer, added, extended or in a rotation', async () => {
      const expiresAt = inMinutes(15);
      const client = await addTemporary(expiresAt);
      const { publicKey, privateKey: _own } = scene.freshKey();
      const body = { publicKey, endsAt: inMinutes(60), overlapSeconds: 86_400 };
      const key = await succeed<Key>('addKey', { ...on(client), body });
      assert.equal(key.endsAt, expiresAt);
      const path = { ...on(client).path, keyId: key.keyId };
      const errors = await refused('extendKey', { path, body: { endsAt: inMinutes(16) } }, 'body_invalid');
      assert.match(errors[0]?.detail ?? '', /temporary/);
      const earlier = await succeed<Key>('retireKey', { path, body: { endsAt: inMinutes(5) } });
      assert.ok(Date.parse(earlier.endsAt ?? '') < Date.parse(expiresAt));
      await succeed('extendKey', { path, body: { endsAt: inMinutes(10) } });
      const { keys } = await succeed<Client>('getClient', on(client));
      for (const { endsAt = '' } of keys) assert.ok(Date.parse(endsAt) <= Date.parse(expiresAt));
      scene.clock.aheadMs += 15 * minuteMs;
      await assertGone(client);
    });

    test('revoked and restored it is as temporary as before', async () => {
      const client = await addTemporary();
      const { expiresAt } = await succeed<Client>('revokeClient', on(client));
      const revoked = await succeed<Client>('getClient', on(client));
      assert.equal(revoked.restorableUntil, expiresAt);
      await succeed('restoreClient', on(client));
      await succeed('enableClient', on(client));
      const { publicKey } = scene.freshKey();
      const key = await succeed<Key>('addKey', { ...on(client), body: { publicKey } });
      assert.equal(key.endsAt, expiresAt);
      scene.clock.aheadMs += 15 * minuteMs;
      await assertGone(client);
    });

    test('a restart and a crash bring none back, and the keys stay taken', async () => {
      const [early, late] = [await addTemporary(), await addTemporary()];
      const { keys } = await succeed<Client>('getClient', on(early));
      await scene.running.restart();
      await scene.succeed(early, 'testSignatureByPost');
      scene.clock.aheadMs += 15 * minuteMs;
      await scene.running.restart();
      await assertGone(early);
      if (backend.name === 'SQLite') {
        await scene.running.crash();
        // Signatures of the seconds around a crash are rejected.
        scene.clock.aheadMs += 10_000;
      }
      await assertGone(late);
      assert.equal(keys.length, 1);
    });

    test('an import has temporary clients too, and none that comes back', async () => {
      const { publicKey } = scene.freshKey();
      const row = { name: 'Imported', networkWhitelist: anywhere, publicKey, expiresAt: inMinutes(15) };
      const imported = async (): Promise<readonly { clientId?: string; errors: { pointer: string }[] }[]> => {
        const call = { body: { clients: [row] } };
        return (await succeed<{ results: { errors: { pointer: string }[] }[] }>('importClients', call))
          .results;
      };
      const [added] = await imported();
      const clientId = added?.clientId ?? '';
      const shown = await succeed<Client>('getClient', on({ clientId }));
      assert.equal(shown.expiresAt, row.expiresAt);
      scene.clock.aheadMs += 15 * minuteMs;
      assert.deepEqual(
        (await imported())[0]?.errors.map(({ pointer }) => pointer),
        ['/expiresAt'],
      );
      row.expiresAt = inMinutes(15);
      // Its key is never given to another client.
      assert.deepEqual(
        (await imported())[0]?.errors.map(({ pointer }) => pointer),
        ['/publicKey'],
      );
      await refused('getClient', on({ clientId }), 'not_found');
    });

    test('whoever adds one gives only what they hold, and needs the permission', async () => {
      const body = { name: 'Try it', networkWhitelist: anywhere, expiresAt: inMinutes(15) };
      const viewer = await scene.addPerson({ role: 'viewer' });
      await scene.refused(viewer, 'addClient', { body }, 'permission_denied');
      const caller = await scene.addCaller(['auditor']);
      await scene.refused(caller, 'addClient', { body }, 'permission_denied');
      const owner = await scene.addPerson({ role: 'owner' });
      const client = await scene.succeed<Client>(owner, 'addClient', { body });
      const { data } = await succeed<Data<AuditEvent>>('listAuditEvents', { query: 'limit=1' });
      assert.equal(data[0]?.action, 'client.added');
      assert.equal(data[0]?.after?.['expiresAt'], client.expiresAt);
    });

    test('where a role needs a second person, it waits, and cannot be approved once it would be over', async () => {
      const { accountId } = await scene.addAccount();
      const ann = await scene.addPerson({ accountId, role: 'owner', name: 'Ann' });
      const ben = await scene.addPerson({ accountId, role: 'owner', name: 'Ben' });
      await scene.succeed(ann, 'updateSecurityPolicy', {
        headers: any,
        body: { isSecondPersonRequired: true },
      });
      const narrow = [{ entry: '192.0.2.1' }];
      const ask = async (body: object) =>
        scene.call(ann, 'addClient', {
          body: { name: 'Try it', networkWhitelist: narrow, expiresAt: inMinutes(15), ...body },
        });
      assert.equal((await ask({})).status, 201, 'it is given nothing');
      assert.equal((await ask({ networkWhitelist: anywhere })).status, 202);
      const answers = [await ask({ roles: ['payments-reader'] }), await ask({ roles: ['payments-reader'] })];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [202, 202],
      );
      const [first, second] = answers.map((answer) => answer.json() as unknown as PendingChange);
      const { pendingChangeId } = first!;
      assert.ok(first?.after?.['expiresAt']);
      await scene.succeed(ben, 'approvePendingChange', { path: { pendingChangeId } });
      const members = await scene.succeed<Data<Member>>(ben, 'listMembers');
      assert.equal(members.data.length, 2);
      await scene.spend(16 * minuteMs, ann, ben);
      const path = { pendingChangeId: second!.pendingChangeId };
      await scene.refused(await scene.signIn(ben), 'approvePendingChange', { path }, 'pending_change_failed');
      const { data } = await scene.succeed<Data<Client>>(ann, 'listClients', { query: 'search=Try' });
      assert.deepEqual(data, []);
    });

    test('an account with one that has expired can be closed', async () => {
      const operator = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      const customer = await scene.addAccount();
      const { clientId } = await scene.addCaller([], { by: customer, body: { expiresAt: inMinutes(15) } });
      scene.clock.aheadMs += 15 * minuteMs;
      const { accountId } = customer;
      const body = { reason: 'They left in November' };
      await scene.succeed(operator, 'closeAccount', { path: { accountId }, body });
      const query = `accountId=${accountId}&limit=100`;
      const { data } = await scene.succeed<Data<AuditEvent>>(operator, 'listAuditEvents', { query });
      const own = data.filter(({ targets }) => targets.some(({ id }) => id === clientId));
      assert.deepEqual(
        own.map(({ action }) => action),
        ['client.expired', 'client.added'],
      );
    });

    test('one that is not temporary keeps its keys', async () => {
      const caller = await scene.addCaller([]);
      scene.clock.aheadMs += dayMs;
      await scene.succeed(caller, 'testSignatureByPost');
      assert.equal((await succeed<Client>('getClient', on(caller))).expiresAt, undefined);
    });
  });
}
