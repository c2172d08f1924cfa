import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type {
  Account,
  AuditEvent,
  Client,
  ClientsChange,
  ClientsImport,
  Invitation,
  Member,
  MemberRole,
  OperationId,
  PendingChange,
  Role,
  SecurityPolicy,
} from '@countersign/contract';
import { pendingChangeLimits } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { expirePendingChanges } from '../../src/registry/store/pending-changes.ts';
import {
  type Caller,
  type Data,
  type Key,
  type ManagementCall,
  managementScene,
  type ManagementScene,
  type Person,
} from '../management/scene.ts';

const any = { 'If-Match': '*' };
const narrow = [{ entry: '192.0.2.1' }];

/* In an account that requires a second person, nobody gets a risky change through alone, whatever way they try. */

for (const backend of backends) {
  describe(`a second person on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    before(async () => {
      const settings = {
        COUNTERSIGN_ALLOW_OPERATORS_WITHOUT_SECOND_FACTOR: 'yes',
        COUNTERSIGN_PROFILES: 'adcp-3.2',
      };
      // Directories are made up here, so they are not fetched.
      scene = await managementScene(backend, { settings, overrides: { directoriesEveryMs: 2 ** 31 - 1 } });
    });
    after(() => scene.close());

    interface Cast {
      readonly accountId: string;
      readonly administrator: Caller;
      readonly ann: Person;
      readonly ben: Person;
    }

    const policyOf = (isSecondPersonRequired: boolean): ManagementCall => ({
      headers: any,
      body: { isSecondPersonRequired },
    });
    /** An account with two owners that requires a second person. */
    const openAccount = async (): Promise<Cast> => {
      const administrator = await scene.addAccount();
      const { accountId } = administrator;
      const ann = await scene.addPerson({ accountId, role: 'owner', name: 'Ann' });
      const ben = await scene.addPerson({ accountId, role: 'owner', name: 'Ben' });
      await scene.succeed(ann, 'updateSecurityPolicy', policyOf(true));
      return { accountId, administrator, ann, ben };
    };
    const addClient = (by: Caller | Person, body: object = {}): Promise<Client> =>
      scene.succeed<Client>(by, 'addClient', { body: { name: 'Shop', networkWhitelist: narrow, ...body } });
    const on = ({ clientId }: { clientId: string }): { path: { clientId: string } } => ({
      path: { clientId },
    });
    const read = (by: Person, client: Client): Promise<Client> => scene.succeed(by, 'getClient', on(client));
    /** Asks for a change, which must wait. */
    const wait = async (by: Person, id: OperationId, call: ManagementCall): Promise<PendingChange> => {
      const answer = await scene.call(by, id, call);
      assert.equal(answer.status, 202, `${id}: ${answer.text}`);
      const pending = answer.json() as unknown as PendingChange;
      assert.equal(answer.headers['location'], `/v1/pending-changes/${pending.pendingChangeId}`);
      return pending;
    };
    const named = ({ pendingChangeId }: PendingChange): { path: { pendingChangeId: string } } => ({
      path: { pendingChangeId },
    });
    const approve = (by: Person, pending: PendingChange): Promise<PendingChange> =>
      scene.succeed(by, 'approvePendingChange', named(pending));
    const refusedToApprove = async (by: Person, pending: PendingChange): Promise<void> => {
      await scene.refused(by, 'approvePendingChange', named(pending), 'second_person_required');
    };
    const eventsOf = async (by: Person): Promise<readonly AuditEvent[]> =>
      (await scene.succeed<Data<AuditEvent>>(by, 'listAuditEvents', { query: 'limit=100' })).data;
    /** Lets a person of the provider act for an account. */
    const act = async (accountId: string, role: MemberRole = 'operator'): Promise<Person> => {
      const operator = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      const person = await scene.addPerson({ accountId: operator.accountId, role, name: 'Olga' });
      await scene.succeed(person, 'startActing', { body: { accountId, reason: 'Help with ticket 7' } });
      return { ...person, accountId };
    };

    test('a change waits, is shown to whoever could make it, and is made once a second person approves it', async () => {
      const { ann, ben, accountId } = await openAccount();
      const client = await addClient(ann);
      const pending = await wait(ann, 'revokeClient', on(client));
      assert.deepEqual(pending.before, { status: 'active' });
      assert.deepEqual([pending.status, pending.isOwn, pending.mayDecide], ['waiting', true, false]);
      assert.equal((await read(ann, client)).status, 'active', 'nothing has changed yet');
      const viewer = await scene.addPerson({ accountId, role: 'viewer' });
      const lists = async (by: Person): Promise<readonly PendingChange[]> =>
        (await scene.succeed<Data<PendingChange>>(by, 'listPendingChanges')).data;
      assert.deepEqual(
        (await lists(ben)).map(({ pendingChangeId, mayDecide }) => [pendingChangeId, mayDecide]),
        [[pending.pendingChangeId, true]],
      );
      assert.deepEqual(await lists(viewer), []);
      await scene.refused(viewer, 'approvePendingChange', named(pending), 'not_found');
      const approved = await approve(ben, pending);
      assert.deepEqual(approved.decidedBy, { userId: ben.userId, name: 'Ben' });
      assert.equal((await read(ann, client)).status, 'revoked');
      assert.deepEqual(await lists(ben), []);
      const events = await eventsOf(ben);
      const made = events.find(({ action }) => action === 'client.revoked');
      assert.equal(made?.actor.id, ann.userId);
      assert.deepEqual(made?.actor.approvedBy, { userId: ben.userId, name: 'Ben' });
      const decided = events.find(({ action }) => action === 'pending_change.approved');
      assert.equal(decided?.actor.id, ben.userId);
      assert.deepEqual(decided?.after?.['requestedBy'], { userId: ann.userId, name: 'Ann' });
      assert.ok(events.some(({ action }) => action === 'pending_change.requested'));
    });

    test('nobody approves their own change, in another session neither', async () => {
      const { ann } = await openAccount();
      const client = await addClient(ann);
      const pending = await wait(ann, 'revokeClient', on(client));
      await refusedToApprove(ann, pending);
      await refusedToApprove(await scene.signIn(ann), pending);
      const body = { reason: 'No' };
      await scene.refused(ann, 'rejectPendingChange', { ...named(pending), body }, 'second_person_required');
      assert.equal((await read(ann, client)).status, 'active');
    });

    test('a client with the role of an administrator cannot ask, approve or see', async () => {
      const { ann, administrator } = await openAccount();
      const client = await addClient(ann);
      const pending = await wait(ann, 'revokeClient', on(client));
      const { clientId } = client;
      await scene.refused(administrator, 'revokeClient', on(client), 'second_person_required');
      const wide = { path: { clientId }, body: { entry: '0.0.0.0' } };
      await scene.refused(administrator, 'addNetworkEntry', wide, 'second_person_required');
      await scene.refused(administrator, 'approvePendingChange', named(pending), 'permission_denied');
      await scene.refused(administrator, 'listPendingChanges', {}, 'permission_denied');
      // An incident is never held up.
      await scene.succeed(administrator, 'disableClient', on(client));
      assert.equal((await read(ann, client)).status, 'disabled');
    });

    test('a client that may only rotate its own keys revokes the old one alone, but not the last', async () => {
      const administrator = await scene.addAccount();
      const { accountId } = administrator;
      const rotator = await scene.addCaller(['key-rotator'], { by: administrator });
      const ann = await scene.addPerson({ accountId, role: 'owner' });
      await scene.addPerson({ accountId, role: 'owner' });
      await scene.succeed(ann, 'updateSecurityPolicy', policyOf(true));
      const path = { clientId: rotator.clientId };
      const [old] = (await scene.succeed<Data<Key>>(rotator, 'listKeys', { path })).data;
      const onOld = { path: { ...path, keyId: old!.keyId }, body: { reason: 'superseded' } };
      await scene.refused(rotator, 'revokeKey', onOld, 'key_state_conflict');
      await scene.succeed(rotator, 'addKey', { path, body: { publicKey: scene.freshKey().publicKey } });
      await scene.succeed(rotator, 'revokeKey', onOld);
    });

    test('of two people who act for the account, neither approves for the other, nor one who acts for a member', async () => {
      const { ann, ben, accountId } = await openAccount();
      const client = await addClient(ann);
      const [olga, otto] = [await act(accountId), await act(accountId, 'account-manager')];
      const pending = await wait(olga, 'revokeClient', on(client));
      assert.equal(pending.requestedBy.actingReason, 'Help with ticket 7');
      await refusedToApprove(otto, pending);
      await refusedToApprove(olga, pending);
      const other = await addClient(ann);
      await refusedToApprove(otto, await wait(ann, 'revokeClient', on(other)));
      // Acting has ended by then; a member decides.
      await scene.succeed(olga, 'endActing');
      await approve(ben, pending);
      const event = (await eventsOf(ben)).find(({ action }) => action === 'client.revoked');
      assert.equal(event?.actor.actingReason, 'Help with ticket 7');
    });

    test('whoever acts for the account and is a member, too, is one person', async () => {
      const { accountId, ann } = await openAccount();
      const client = await addClient(ann);
      const olga = await act(accountId);
      const pending = await wait(olga, 'revokeClient', on(client));
      const database = await scene.database();
      await database
        .insertInto('members')
        .values({ account_id: accountId, user_id: olga.userId, role: 'owner', created_at_ms: 0 })
        .execute();
      await refusedToApprove(await scene.signIn(olga), pending);
    });

    test('bulk changes and imports leave out what needs a second person, and say so', async () => {
      const { ann, administrator } = await openAccount();
      const [one, other] = [await addClient(ann), await addClient(ann)];
      const clients = [one, other].map(({ clientId }) => ({ clientId }));
      for (const by of [ann, administrator]) {
        for (const change of [
          { action: 'add_roles', roles: ['auditor'] },
          { action: 'add_network_entry', networkEntry: { entry: '0.0.0.0/0' } },
        ]) {
          const result = await scene.succeed<ClientsChange>(by, 'changeClients', {
            body: { clients, ...change },
          });
          assert.deepEqual([result.changed, result.failed], [0, 2]);
          assert.equal(result.results[0]!.problem?.code, 'second_person_required');
        }
        const rows = [
          { name: 'Narrow', networkWhitelist: narrow },
          { name: 'Wide', networkWhitelist: [{ entry: '0.0.0.0' }] },
          { name: 'Strong', networkWhitelist: narrow, roles: ['administrator'] },
        ];
        const imported = await scene.succeed<ClientsImport>(by, 'importClients', { body: { clients: rows } });
        assert.deepEqual(
          imported.results.map(({ outcome }) => outcome),
          ['added', 'failed', 'failed'],
        );
        assert.match(imported.results[1]!.errors[0]!.detail, /second person/);
      }
      await scene.succeed(ann, 'changeClients', { body: { clients, action: 'disable' } });
    });

    test('the whitelist opens by no way: an entry, the whole list, several pieces, a new client', async () => {
      const { ann, ben } = await openAccount();
      const client = await addClient(ann);
      const { path } = on(client);
      const add = (entry: string): ManagementCall => ({ path, body: { entry } });
      for (const entry of ['0.0.0.0', '0.0.0.0/0', '::/0', '128.0.0.0/1', '203.0.0.0/8', '2000::/3'])
        await wait(ann, 'addNetworkEntry', add(entry));
      const lists = [
        ['0.0.0.0/1', '128.0.0.0/1'],
        ['::/1', '8000::/1'],
        ['203.0.0.0/9', '203.128.0.0/9'],
      ];
      for (const texts of lists) {
        const body = { entries: texts.map((entry) => ({ entry })) };
        await wait(ann, 'replaceNetworkWhitelist', { path, headers: any, body });
      }
      // A change of a client has no whitelist.
      const patched = { path, headers: any, body: { networkWhitelist: [{ entry: '0.0.0.0' }] } };
      await scene.refused(ann, 'updateClient', patched, 'body_invalid');
      await wait(ann, 'addClient', { body: { name: 'Open', networkWhitelist: [{ entry: '0.0.0.0/0' }] } });
      // Each of these is narrow; the one that makes them very wide together waits.
      for (const entry of ['10.0.0.0/8', 'fd00::/8', '198.51.100.0/24', '100.0.0.0/9'])
        await scene.succeed(ann, 'addNetworkEntry', add(entry));
      const last = await wait(ann, 'addNetworkEntry', add('100.128.0.0/9'));
      await approve(ben, last);
      // Less than what is allowed already needs nobody.
      const body = { entries: [{ entry: '100.0.0.0/8' }] };
      await scene.succeed(ann, 'replaceNetworkWhitelist', { path, headers: any, body });
    });

    test('one person does not use up the room for the changes of all others', async () => {
      const { ann, ben } = await openAccount();
      const client = await addClient(ann);
      const ask = (label: number): ManagementCall => ({
        ...on(client),
        body: { entry: '0.0.0.0/0', label: `Request ${label}` },
      });
      for (let count = 0; count < pendingChangeLimits.waitingOfPersonMax; count += 1)
        await wait(ann, 'addNetworkEntry', ask(count));
      await scene.refused(ann, 'addNetworkEntry', ask(99), 'pending_changes_too_many');
      // The same request once more is the one that waits already.
      const same = await wait(ann, 'addNetworkEntry', ask(0));
      await wait(ben, 'addNetworkEntry', ask(99));
      await scene.succeed(ann, 'withdrawPendingChange', named(same));
      await wait(ann, 'addNetworkEntry', ask(99));
    });

    test('what is too large to be shown to a second person cannot be asked for', async () => {
      const { ann } = await openAccount();
      const networkWhitelist = Array.from({ length: 800 }, (_, index) => ({
        entry: `203.0.${index >> 8}.${index & 255}`,
        label: 'ä'.repeat(100),
      }));
      const client = await addClient(ann, { networkWhitelist });
      const call = { ...on(client), body: { entry: '0.0.0.0/0' } };
      await scene.refused(ann, 'addNetworkEntry', call, 'pending_changes_too_many');
    });

    test('a client gets more permissions by no way: roles, a wider role, a new client', async () => {
      const { ann, ben } = await openAccount();
      const client = await addClient(ann);
      const { path } = on(client);
      const role = await scene.succeed<Role>(ann, 'addRole', {
        body: { name: 'own', permissions: ['payments:read'] },
      });
      const give = { path, headers: any, body: { roles: ['own'] } };
      const pending = await wait(ann, 'updateClient', give);
      assert.deepEqual(pending.after?.['permissionsAdded'], ['payments:read']);
      await approve(ben, pending);
      const wider = {
        path: { roleId: role.roleId },
        headers: any,
        body: { permissions: ['payments:read', 'payments:write'] },
      };
      await wait(ann, 'updateRole', wider);
      await wait(ann, 'addClient', { body: { name: 'B', networkWhitelist: narrow, roles: ['own'] } });
      // The same permissions under another name, and fewer, need nobody.
      await scene.succeed(ann, 'updateClient', { path, headers: any, body: { roles: ['payments-reader'] } });
      await scene.succeed(ann, 'updateClient', { path, headers: any, body: { roles: [] } });
    });

    test('a role that was widened after it was to be given is not given', async () => {
      const { ann, ben } = await openAccount();
      const client = await addClient(ann);
      const { roleId } = await scene.succeed<Role>(ann, 'addRole', {
        body: { name: 'own', permissions: ['payments:read'] },
      });
      const give = { ...on(client), headers: any, body: { roles: ['own'] } };
      const pending = await wait(ann, 'updateClient', give);
      const permissions = ['payments:read', 'clients:write'];
      const wider = await wait(ann, 'updateRole', { path: { roleId }, headers: any, body: { permissions } });
      await approve(ben, wider);
      await scene.refused(ben, 'approvePendingChange', named(pending), 'pending_change_failed');
      assert.deepEqual((await read(ann, client)).roles, []);
    });

    test('a key ends by no way: revoked, or retired within a day', async () => {
      const { ann, ben } = await openAccount();
      const client = await addClient(ann, { publicKey: scene.freshKey().publicKey });
      const path = { clientId: client.clientId, keyId: client.keys[0]!.keyId };
      const endsAt = new Date(scene.nowMs() + 3_600_000).toISOString();
      await wait(ann, 'retireKey', { path, body: { endsAt } });
      const pending = await wait(ann, 'revokeKey', { path, body: { reason: 'superseded' } });
      assert.deepEqual(pending.target, {
        type: 'key',
        id: path.keyId,
        name: 'Shop',
        clientId: path.clientId,
      });
      await approve(ben, pending);
      assert.equal((await scene.succeed<Key>(ann, 'getKey', { path })).status, 'revoked');
    });

    test('a directory that replaces registered keys waits, alone and together with roles, and another does not', async () => {
      const { ann, ben } = await openAccount();
      const replacing = (name: string, body: object = {}): object => ({
        profile: 'adcp-3.2',
        directoryUrl: `https://${name}.agents.example/keys.json`,
        ...body,
      });
      const change = (client: Client, body: object): ManagementCall => ({
        ...on(client),
        headers: any,
        body,
      });
      const client = await addClient(ann, { publicKey: scene.freshKey().publicKey });
      const { fingerprint } = client.keys[0]!;
      const pending = await wait(ann, 'updateClient', change(client, replacing('one')));
      assert.deepEqual(pending.after?.['keysEnded'], [fingerprint]);
      assert.equal((await read(ann, client)).keys[0]!.status, 'pending');
      await approve(ben, pending);
      const both = await addClient(ann, { publicKey: scene.freshKey().publicKey });
      const roles = replacing('two', { roles: ['auditor'] });
      await approve(ben, await wait(ann, 'updateClient', change(both, roles)));
      assert.deepEqual((await read(ann, both)).roles, ['auditor']);
      // A client without keys loses none.
      const empty = await addClient(ann);
      await scene.succeed(ann, 'updateClient', change(empty, replacing('three')));
    });

    test('what was changed since it was requested fails, says so, and is no longer pending', async () => {
      const { ann, ben } = await openAccount();
      const client = await addClient(ann);
      const { path } = on(client);
      const etag = String((await scene.call(ann, 'getNetworkWhitelist', { path })).headers['etag']);
      const body = { entries: [{ entry: '0.0.0.0' }] };
      const headers = { 'If-Match': etag };
      const replaced = await wait(ann, 'replaceNetworkWhitelist', { path, headers, body });
      const added = await wait(ann, 'addNetworkEntry', { path, body: { entry: '::/0' } });
      await scene.succeed(ann, 'addNetworkEntry', { path, body: { entry: '198.51.100.1' } });
      for (const pending of [replaced, added]) {
        const { reason } = await scene.refused(
          ben,
          'approvePendingChange',
          named(pending),
          'pending_change_failed',
        );
        assert.match(reason, /ask for it again|has changed/);
        const now = await scene.succeed<PendingChange>(ann, 'getPendingChange', named(pending));
        assert.equal(now.status, 'failed');
        await scene.refused(ben, 'approvePendingChange', named(pending), 'pending_change_decided');
      }
      const whitelist = await scene.succeed<{ entries: unknown[] }>(ann, 'getNetworkWhitelist', { path });
      assert.equal(whitelist.entries.length, 2);
      assert.ok((await eventsOf(ann)).some(({ action }) => action === 'pending_change.failed'));
    });

    test('of two who approve at once, one does', async () => {
      const { ann, ben, accountId } = await openAccount();
      const cleo = await scene.addPerson({ accountId, role: 'admin', name: 'Cleo' });
      const client = await addClient(ann);
      const pending = await wait(ann, 'revokeClient', on(client));
      const answers = await Promise.all(
        [ben, cleo, ben, cleo].map((by) => scene.call(by, 'approvePendingChange', named(pending))),
      );
      const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
      assert.deepEqual(statuses, [200, 409, 409, 409]);
      const events = await eventsOf(ann);
      assert.equal(events.filter(({ action }) => action === 'client.revoked').length, 1);
      assert.equal(events.filter(({ action }) => action === 'pending_change.approved').length, 1);
    });

    test('the policy is switched on only with a second person, and off only by two', async () => {
      const { accountId } = await scene.addAccount();
      const ann = await scene.addPerson({ accountId, role: 'owner', name: 'Ann' });
      await scene.addPerson({ accountId, role: 'developer' });
      await scene.refused(ann, 'updateSecurityPolicy', policyOf(true), 'second_person_missing');
      const ben = await scene.addPerson({ accountId, role: 'admin', name: 'Ben' });
      await scene.succeed(ann, 'updateSecurityPolicy', policyOf(true));
      const both = { headers: any, body: { isSecondPersonRequired: false, sessionHoursMax: 8 } };
      const pending = await wait(ann, 'updateSecurityPolicy', both);
      await refusedToApprove(ann, pending);
      const policy = (): Promise<SecurityPolicy> => scene.succeed(ann, 'getSecurityPolicy');
      assert.deepEqual(
        [(await policy()).isSecondPersonRequired, (await policy()).sessionHoursMax],
        [true, null],
      );
      await approve(ben, pending);
      assert.equal((await policy()).isSecondPersonRequired, false);
      const client = await addClient(ann);
      await scene.succeed(ann, 'revokeClient', on(client));
    });

    test('if the second person has left, the provider switches it off or approves, with a reason', async () => {
      const { ann, ben, accountId } = await openAccount();
      const client = await addClient(ann);
      await scene.succeed(ann, 'removeMember', { path: { userId: ben.userId } });
      const olga = await act(accountId);
      await approve(olga, await wait(ann, 'revokeClient', on(client)));
      const off = await wait(ann, 'updateSecurityPolicy', policyOf(false));
      await refusedToApprove(ann, off);
      await scene.succeed(olga, 'updateSecurityPolicy', policyOf(false));
      const event = (await eventsOf(ann)).find(({ action }) => action === 'policy.updated');
      assert.equal(event?.actor.actingReason, 'Help with ticket 7');
    });

    test('whoever acts for the account leaves its members who can approve, so they do not become the second', async () => {
      const { ann, accountId } = await openAccount();
      const cleo = await scene.addPerson({ accountId, role: 'admin', name: 'Cleo' });
      const developer = await scene.addPerson({ accountId, role: 'developer' });
      const olga = await act(accountId);
      const path = { userId: cleo.userId };
      for (const role of ['developer', 'viewer']) {
        const call = { path, body: { role } };
        const { reason } = await scene.refused(olga, 'changeMember', call, 'permission_denied');
        assert.match(reason, /requires a second person/);
      }
      await scene.refused(olga, 'removeMember', { path }, 'permission_denied');
      await refusedToApprove(olga, await wait(ann, 'revokeClient', on(await addClient(ann))));
      const off = await wait(olga, 'updateSecurityPolicy', policyOf(false));
      await refusedToApprove(olga, off);
      // Others can still be removed, and members remove each other.
      await scene.succeed(olga, 'removeMember', { path: { userId: developer.userId } });
      await scene.succeed(ann, 'removeMember', { path });
    });

    test('nobody approves what they could not do alone: permissions that they lack, or the leading role', async () => {
      const { ann, ben, accountId } = await openAccount();
      const [developer, admin, viewer] = await Promise.all(
        (['developer', 'admin', 'viewer'] as const).map((role) => scene.addPerson({ accountId, role })),
      );
      const mayDecide = async (by: Person, pending: PendingChange): Promise<boolean> =>
        (await scene.succeed<PendingChange>(by, 'getPendingChange', named(pending))).mayDecide;
      const refused = async (by: Person, pending: PendingChange, reason: RegExp): Promise<void> => {
        assert.equal(await mayDecide(by, pending), false);
        const code = 'second_person_required';
        assert.match((await scene.refused(by, 'approvePendingChange', named(pending), code)).reason, reason);
        const body = { reason: 'No' };
        await scene.refused(by, 'rejectPendingChange', { ...named(pending), body }, code);
      };
      const { path } = on(await addClient(ann));
      const give = (role: string): ManagementCall => ({ path, headers: any, body: { roles: [role] } });
      const strong = await wait(ann, 'updateClient', give('administrator'));
      await refused(developer!, strong, /do not have.*roles:write/);
      const created = { name: 'Strong', networkWhitelist: narrow, roles: ['administrator'] };
      await refused(developer!, await wait(ann, 'addClient', { body: created }), /roles:write/);
      const raise = { path: { userId: viewer!.userId }, body: { role: 'owner' } };
      const raised = await wait(ann, 'changeMember', raise);
      await refused(admin!, raised, /another owner/);
      const body = { email: 'owner@example.test', role: 'owner' };
      await refused(admin!, await wait(ann, 'inviteMember', { body }), /another owner/);
      // Nothing has ended: whoever could do it approves it.
      await approve(admin!, strong);
      await approve(ben, raised);
      // A developer approves what developers can do.
      const weak = await wait(ann, 'updateClient', {
        ...give('auditor'),
        path: on(await addClient(ann)).path,
      });
      assert.equal(await mayDecide(developer!, weak), true);
      await approve(developer!, weak);
    });

    test('while an account has one owner, an admin can approve a second one', async () => {
      const { accountId } = await scene.addAccount();
      const ann = await scene.addPerson({ accountId, role: 'owner', name: 'Ann' });
      const admin = await scene.addPerson({ accountId, role: 'admin' });
      await scene.succeed(ann, 'updateSecurityPolicy', policyOf(true));
      const path = { userId: admin.userId };
      await approve(admin, await wait(ann, 'changeMember', { path, body: { role: 'owner' } }));
    });

    test('what is only too early can be approved later', async () => {
      const { ann, ben } = await openAccount();
      const email = 'often@example.test';
      for (let count = 0; count < 5; count += 1) {
        const call = { body: { email, role: 'viewer' } };
        const { invitationId } = await scene.succeed<Invitation>(ann, 'inviteMember', call);
        await scene.succeed(ann, 'revokeInvitation', { path: { invitationId } });
      }
      const pending = await wait(ann, 'inviteMember', { body: { email, role: 'admin' } });
      await scene.refused(ben, 'approvePendingChange', named(pending), 'too_many_attempts');
      const now = await scene.succeed<PendingChange>(ben, 'getPendingChange', named(pending));
      assert.equal(now.status, 'waiting');
      const database = await scene.database();
      await database.deleteFrom('sign_in_failures').execute();
      await approve(ben, pending);
    });

    test('nobody makes a second person of themselves: invitations, and roles that approve', async () => {
      const { ann, ben, accountId } = await openAccount();
      for (const role of ['owner', 'admin', 'developer'])
        await wait(ann, 'inviteMember', { body: { email: `ann-${role}@example.test`, role } });
      const viewer = await scene.addPerson({ accountId, role: 'viewer' });
      const path = { userId: viewer.userId };
      const raised = await wait(ann, 'changeMember', { path, body: { role: 'admin' } });
      await scene.succeed(ann, 'inviteMember', { body: { email: 'reader@example.test', role: 'viewer' } });
      await approve(ben, raised);
      const { data } = await scene.succeed<Data<Member>>(ann, 'listMembers');
      assert.equal(data.find(({ userId }) => userId === viewer.userId)?.role, 'admin');
      // To take rights away needs nobody.
      await scene.succeed(ann, 'changeMember', { path, body: { role: 'viewer' } });
    });

    test('an invitation from before is canceled, and one that was approved is sent', async () => {
      const { accountId } = await scene.addAccount();
      const ann = await scene.addPerson({ accountId, role: 'owner', name: 'Ann' });
      const ben = await scene.addPerson({ accountId, role: 'owner', name: 'Ben' });
      const body = { email: 'second-ann@example.test', role: 'owner' };
      await scene.succeed(ann, 'inviteMember', { body });
      await scene.succeed(ann, 'inviteMember', { body: { email: 'eve@example.test', role: 'viewer' } });
      await scene.succeed(ann, 'updateSecurityPolicy', policyOf(true));
      const invitations = async (): Promise<readonly string[]> =>
        (await scene.succeed<Data<Invitation>>(ann, 'listInvitations')).data.map(({ email }) => email);
      assert.deepEqual(await invitations(), ['eve@example.test']);
      const approved = await approve(ben, await wait(ann, 'inviteMember', { body }));
      assert.equal(JSON.stringify(approved).includes('http'), false, 'the approver gets no link');
      assert.deepEqual(await invitations(), ['eve@example.test', 'second-ann@example.test']);
    });

    test('nobody sees the link of an invitation that makes a second person, even without email', async () => {
      const { ann, ben } = await openAccount();
      await approve(
        ben,
        await wait(ann, 'inviteMember', { body: { email: 'ann-2@example.test', role: 'admin' } }),
      );
      await scene.succeed(ann, 'inviteMember', { body: { email: 'eve@example.test', role: 'viewer' } });
      const database = await scene.database();
      const resend = async (by: Person, email: string): Promise<Invitation> => {
        await database
          .updateTable('invitations')
          .set(({ eb }) => ({ expires_at_ms: eb('expires_at_ms', '-', 120_000) }))
          .where('email', '=', email)
          .execute();
        const { data } = await scene.succeed<Data<Invitation>>(ann, 'listInvitations');
        const { invitationId } = data.find((one) => one.email === email)!;
        return scene.succeed<Invitation>(by, 'resendInvitation', { path: { invitationId } });
      };
      for (const by of [ann, ben]) {
        const { link, isLinkWithheld } = await resend(by, 'ann-2@example.test');
        assert.deepEqual([link, isLinkWithheld], [undefined, true]);
      }
      const { link, isLinkWithheld } = await resend(ann, 'eve@example.test');
      assert.match(link ?? '', /^http/);
      assert.equal(isLinkWithheld, undefined);
    });

    test('a change of a person who was removed, or lost the permission, is not made', async () => {
      const { ann, ben, accountId } = await openAccount();
      const cleo = await scene.addPerson({ accountId, role: 'admin', name: 'Cleo' });
      const dora = await scene.addPerson({ accountId, role: 'admin', name: 'Dora' });
      const client = await addClient(ann);
      const ofCleo = await wait(cleo, 'revokeClient', on(client));
      const ofDora = await wait(dora, 'revokeClient', on(client));
      await scene.succeed(ann, 'removeMember', { path: { userId: cleo.userId } });
      await scene.succeed(ann, 'changeMember', { path: { userId: dora.userId }, body: { role: 'viewer' } });
      for (const pending of [ofCleo, ofDora])
        await scene.refused(ben, 'approvePendingChange', named(pending), 'pending_change_failed');
      assert.equal((await read(ann, client)).status, 'active');
    });

    test('an approval counts the permissions of who approves, and their session', async () => {
      const { ann, ben, accountId } = await openAccount();
      const developer = await scene.addPerson({ accountId, role: 'developer', name: 'Dev' });
      const client = await addClient(ann);
      const off = await wait(ann, 'updateSecurityPolicy', policyOf(false));
      await scene.refused(developer, 'approvePendingChange', named(off), 'not_found');
      const pending = await wait(developer, 'revokeClient', on(client));
      const stale = await scene.signIn(ben, { provedAtMs: scene.nowMs() - 3_600_000 });
      await scene.refused(stale, 'approvePendingChange', named(pending), 'step_up_required');
      await scene.succeed(ann, 'changeMember', { path: { userId: ben.userId }, body: { role: 'viewer' } });
      await scene.refused(ben, 'approvePendingChange', named(pending), 'not_found');
      await approve(ann, pending);
    });

    test('a change of another account does not exist', async () => {
      const { ann } = await openAccount();
      const others = await openAccount();
      const pending = await wait(ann, 'revokeClient', on(await addClient(ann)));
      for (const id of ['getPendingChange', 'approvePendingChange', 'withdrawPendingChange'] as const)
        await scene.refused(others.ben, id, named(pending), 'not_found');
      const call = { ...named(pending), body: { reason: 'No' } };
      await scene.refused(others.ben, 'rejectPendingChange', call, 'not_found');
    });

    test('who asked withdraws, someone else rejects with a reason that can be read, and neither is approved', async () => {
      const { ann, ben } = await openAccount();
      const client = await addClient(ann);
      const first = await wait(ann, 'revokeClient', on(client));
      const again = await wait(ann, 'revokeClient', on(client));
      assert.equal(again.pendingChangeId, first.pendingChangeId, 'asking again stores nothing');
      await scene.refused(ben, 'withdrawPendingChange', named(first), 'permission_denied');
      await scene.succeed(ann, 'withdrawPendingChange', named(first));
      await scene.refused(ben, 'approvePendingChange', named(first), 'pending_change_decided');
      const second = await wait(ann, 'revokeClient', on(client));
      const body = { reason: 'Still in use' };
      await scene.succeed(ben, 'rejectPendingChange', { ...named(second), body });
      const { data } = await scene.succeed<Data<PendingChange>>(ann, 'listPendingChanges', {
        query: 'show=all',
      });
      assert.deepEqual(
        data.map(({ status, reason }) => [status, reason]),
        [
          ['rejected', 'Still in use'],
          ['withdrawn', undefined],
        ],
      );
      const actions = (await eventsOf(ann)).map(({ action }) => action);
      assert.ok(actions.includes('pending_change.rejected') && actions.includes('pending_change.withdrawn'));
    });

    test('a retry with the same Idempotency-Key waits once', async () => {
      const { ann } = await openAccount();
      const headers = { 'Idempotency-Key': 'wide-client' };
      const body = { name: 'Wide', networkWhitelist: [{ entry: '0.0.0.0' }] };
      const first = await wait(ann, 'addClient', { headers, body });
      const again = await wait(ann, 'addClient', { headers, body });
      assert.equal(again.pendingChangeId, first.pendingChangeId);
    });

    test('the command line changes nothing alone either; closing the account is for the provider', async () => {
      const { ann, accountId } = await openAccount();
      const client = await addClient(ann, { publicKey: scene.freshKey().publicKey });
      const { clientId } = client;
      const second = { code: 'second_person_required' };
      await scene.change(async (registry) => {
        await assert.rejects(registry.revokeClient(clientId), second);
        await assert.rejects(registry.revokeKey(clientId, client.keys[0]!.keyId), second);
        await assert.rejects(registry.setNetwork(clientId, ['0.0.0.0/1', '128.0.0.0/1']), second);
        await assert.rejects(registry.setRoles(clientId, ['api-user']), second);
        const wide = { name: 'Wide', accountId, network: ['0.0.0.0'], roles: [] };
        await assert.rejects(registry.addClient(wide), second);
        await registry.disableClient(clientId);
      });
      const operator = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      await scene.refused(operator, 'revokeClient', on(client), 'second_person_required');
      await scene.succeed<Account>(operator, 'closeAccount', {
        path: { accountId },
        body: { reason: 'The contract has ended' },
      });
    });

    test('after seven days it can no longer be approved, and the audit log says so', async () => {
      const { ann, ben } = await openAccount();
      const client = await addClient(ann);
      const pending = await wait(ann, 'revokeClient', on(client));
      const database = await scene.database();
      await database
        .updateTable('pending_changes')
        .set({ expires_at_ms: scene.nowMs() } as never)
        .where('pending_change_id', '=', pending.pendingChangeId)
        .execute();
      await scene.refused(ben, 'approvePendingChange', named(pending), 'pending_change_decided');
      const actor = { kind: 'system', id: 'upkeep' } as const;
      assert.equal(await expirePendingChanges(database, 10, { nowMs: scene.nowMs(), actor }), 1);
      assert.ok((await eventsOf(ann)).some(({ action }) => action === 'pending_change.expired'));
      const now = await scene.succeed<PendingChange>(ann, 'getPendingChange', named(pending));
      assert.equal(now.status, 'expired');
    });
  });
}
