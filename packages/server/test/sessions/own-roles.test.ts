import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type {
  AuditEvent,
  Invitation,
  Member,
  OperationId,
  PendingChange,
  Permission,
  ProblemCode,
  Role,
} from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { Browser } from '../identity/browser.ts';
import { goodPassword } from '../identity/people-scene.ts';
import { stateOf } from '../management/persons.ts';
import { beginRequest } from '../management/slow-request.ts';
import {
  anywhere,
  type Caller,
  type Data,
  type ManagementCall,
  managementScene,
  type ManagementScene,
  type Person,
} from '../management/scene.ts';

const any = { 'If-Match': '*' };

/* Roles that an account makes for its members: nobody gains by them what they do not have. */

for (const backend of backends) {
  describe(`an account's own roles for members on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    before(async () => {
      const settings = { COUNTERSIGN_ALLOW_OPERATORS_WITHOUT_SECOND_FACTOR: 'yes' };
      scene = await managementScene(backend, { settings });
    });
    after(() => scene.close());

    interface Cast {
      readonly accountId: string;
      readonly administrator: Caller;
      readonly owner: Person;
      readonly admin: Person;
    }
    const openAccount = async (): Promise<Cast> => {
      const administrator = await scene.addAccount();
      const { accountId } = administrator;
      const owner = await scene.addPerson({ accountId, role: 'owner', name: 'Olivia' });
      const admin = await scene.addPerson({ accountId, role: 'admin', name: 'Adam' });
      return { accountId, administrator, owner, admin };
    };
    const roleOf = (name: string, permissions: readonly Permission[]): ManagementCall => ({
      body: { name, holders: 'members', permissions },
    });
    const addRole = (by: Person, name: string, permissions: readonly Permission[]): Promise<Role> =>
      scene.succeed<Role>(by, 'addRole', roleOf(name, permissions));
    const edit = ({ roleId }: Role, body: object): ManagementCall => ({
      path: { roleId },
      headers: any,
      body,
    });
    const on = ({ userId }: Person, role?: string): ManagementCall => ({
      path: { userId },
      ...(role !== undefined && { body: { role } }),
    });
    const invite = (email: string, role: string): ManagementCall => ({ body: { email, role } });
    const holderOf = (role: Role, { accountId }: { accountId: string }): Promise<Person> =>
      scene.addPerson({ accountId, role: role.roleId, name: 'Hana' });
    const refused = async (
      by: Person | Caller,
      id: OperationId,
      call: ManagementCall,
      code: ProblemCode,
    ): Promise<string> => {
      const database = await scene.database();
      const atFirst = await stateOf(database);
      const { reason, errors } = await scene.refused(by, id, call, code);
      // The use of a client's key is written.
      if ('cookie' in by) assert.equal(await stateOf(database), atFirst, 'something was changed');
      return [reason, ...errors.map(({ detail }) => detail)].join(' ');
    };
    const invitationsOf = async (by: Person): Promise<readonly Invitation[]> =>
      (await scene.succeed<Data<Invitation>>(by, 'listInvitations')).data;
    const roleNow = async (by: Person, { userId }: Person): Promise<string | undefined> =>
      (await scene.succeed<Data<Member>>(by, 'listMembers')).data.find((one) => one.userId === userId)?.role;
    const eventsOf = async (by: Person): Promise<readonly AuditEvent[]> =>
      (await scene.succeed<Data<AuditEvent>>(by, 'listAuditEvents', { query: 'limit=100' })).data;

    test('a member with such a role may do exactly what it says', async () => {
      const cast = await openAccount();
      const role = await addRole(cast.owner, 'support', ['requests:read', 'clients:read']);
      assert.equal(role.holders, 'members');
      const member = await scene.addPerson({ accountId: cast.accountId, role: 'admin' });
      const changed = await scene.succeed<Member>(cast.owner, 'changeMember', on(member, 'support'));
      assert.equal(changed.role, 'support');
      assert.equal(await roleNow(cast.owner, member), 'support');
      await scene.succeed(member, 'listClients');
      await scene.succeed(member, 'listRequests');
      for (const id of ['listAuditEvents', 'listMembers', 'listRoles', 'listWebhooks'] as const)
        await refused(member, id, {}, 'permission_denied');
      await refused(
        member,
        'addClient',
        { body: { name: 'A', networkWhitelist: anywhere } },
        'permission_denied',
      );
    });

    test('lists keep the roles of clients and of members apart', async () => {
      const { owner } = await openAccount();
      await addRole(owner, 'support', ['requests:read']);
      const namesIn = async (query: string): Promise<readonly string[]> =>
        (await scene.succeed<Data<Role>>(owner, 'listRoles', { query })).data.map(({ name }) => name);
      assert.ok(!(await namesIn('limit=100')).includes('support'));
      assert.deepEqual(await namesIn('holders=members'), ['support']);
      const permissionsIn = async (query: string): Promise<readonly string[]> =>
        (await scene.succeed<Data<{ name: string }>>(owner, 'listPermissions', { query })).data.map(
          ({ name }) => name,
        );
      assert.ok(!(await permissionsIn('holders=clients')).includes('members:write'));
      assert.ok((await permissionsIn('holders=members')).includes('members:write'));
    });

    test('nobody makes, changes, gives or invites to a role with more than they have', async () => {
      const cast = await openAccount();
      const { owner, accountId } = cast;
      const lead = await addRole(owner, 'lead', [
        'members:read',
        'members:write',
        'roles:write',
        'clients:read',
      ]);
      const keys = await addRole(owner, 'keys', ['keys:read', 'keys:write']);
      const viewing = await addRole(owner, 'viewing', ['clients:read']);
      const holder = await holderOf(lead, cast);
      const other = await scene.addPerson({ accountId, role: viewing.roleId });
      const code = 'permission_not_held';
      assert.match(await refused(holder, 'addRole', roleOf('more', ['keys:write']), code), /keys:write/);
      await refused(holder, 'updateRole', edit(lead, { permissions: ['members:write', 'keys:write'] }), code);
      await refused(
        holder,
        'updateRole',
        edit(viewing, { permissions: ['clients:read', 'keys:read'] }),
        code,
      );
      // Not even its name, and it takes nothing away that it could not give.
      await refused(holder, 'updateRole', edit(keys, { name: 'renamed' }), code);
      await refused(holder, 'removeRole', { path: { roleId: keys.roleId }, headers: any }, code);
      for (const name of ['keys', 'admin', 'developer', 'viewer']) {
        await refused(holder, 'changeMember', on(other, name), code);
        await refused(holder, 'changeMember', on(holder, name), code);
        await refused(holder, 'inviteMember', invite('friend@example.test', name), code);
      }
      await refused(holder, 'changeMember', on(holder, 'owner'), 'permission_denied');
      await refused(holder, 'inviteMember', invite('friend@example.test', 'owner'), 'permission_denied');
      await scene.succeed(holder, 'changeMember', on(other, 'lead'));
    });

    test('whoever may manage members demotes and removes nobody who may do more', async () => {
      const cast = await openAccount();
      const { owner, admin } = cast;
      const lead = await addRole(owner, 'lead', ['members:read', 'members:write', 'clients:read']);
      await addRole(owner, 'viewing', ['clients:read']);
      const holder = await holderOf(lead, cast);
      await refused(holder, 'changeMember', on(admin, 'viewing'), 'permission_not_held');
      await refused(holder, 'removeMember', on(admin), 'permission_not_held');
      await refused(holder, 'removeMember', on(owner), 'permission_denied');
      await scene.succeed(holder, 'removeMember', on(holder));
    });

    test('a role for members is none for clients, whatever way it comes', async () => {
      const { owner, administrator } = await openAccount();
      const { roleId } = await addRole(owner, 'support', ['clients:read', 'members:write']);
      const client = { name: 'Shop', networkWhitelist: anywhere };
      const listed = await refused(
        owner,
        'addClient',
        { body: { ...client, roles: ['support'] } },
        'body_invalid',
      );
      assert.doesNotMatch(listed, /support/);
      const { clientId } = administrator;
      const roles = { roles: ['support'] };
      await refused(owner, 'updateClient', { path: { clientId }, headers: any, body: roles }, 'body_invalid');
      const imported = await scene.succeed<{ rows: { errors?: unknown }[] }>(owner, 'importClients', {
        body: { clients: [{ ...client, ...roles }] },
      });
      assert.match(JSON.stringify(imported), /support|roles/);
      assert.equal((await scene.succeed<Data<{ name: string }>>(owner, 'listClients')).data.length, 1);
      const caller = await scene.addCaller([], { by: administrator });
      const database = await scene.database();
      await database
        .insertInto('client_roles')
        .values({ client_id: caller.clientId, role_id: roleId })
        .execute();
      // A change that every node follows.
      await scene.succeed(owner, 'updateClient', {
        path: { clientId: caller.clientId },
        headers: any,
        body: { name: 'Renamed' },
      });
      await refused(caller, 'listClients', {}, 'permission_denied');
    });

    test('no client touches a role for members, nor a person who does not manage members', async () => {
      const cast = await openAccount();
      const role = await addRole(cast.owner, 'support', ['clients:read']);
      const making = await addRole(cast.owner, 'making', ['roles:read', 'roles:write', 'clients:read']);
      const holder = await holderOf(making, cast);
      for (const by of [cast.administrator, holder]) {
        await refused(by, 'addRole', roleOf('more', ['clients:read']), 'permission_denied');
        await refused(by, 'updateRole', edit(role, { permissions: ['roles:read'] }), 'permission_denied');
        await refused(by, 'updateRole', edit(role, { name: 'renamed' }), 'permission_denied');
        const path = { roleId: role.roleId };
        await refused(by, 'removeRole', { path, headers: any }, 'permission_denied');
      }
    });

    test('a role stays for whom it was made, and is named like no other', async () => {
      const { owner } = await openAccount();
      const role = await addRole(owner, 'support', ['clients:read']);
      await refused(owner, 'updateRole', edit(role, { holders: 'clients' }), 'body_invalid');
      for (const name of ['owner', 'admin', 'operator', 'account-manager', 'auditor', 'support']) {
        await refused(owner, 'addRole', roleOf(name, ['clients:read']), 'role_name_taken');
        if (name !== 'support') await refused(owner, 'updateRole', edit(role, { name }), 'role_name_taken');
      }
      const body = { name: 'support', permissions: ['clients:read'] };
      await refused(owner, 'addRole', { body }, 'role_name_taken');
      await refused(owner, 'addRole', roleOf('top', ['accounts:write']), 'body_invalid');
      await refused(owner, 'addRole', roleOf('top', ['accounts:act']), 'body_invalid');
    });

    test("another account's role is given to nobody, and grants nothing, whoever wrote it", async () => {
      const [cast, other] = [await openAccount(), await openAccount()];
      const role = await addRole(other.owner, 'theirs', ['clients:read']);
      await refused(cast.owner, 'inviteMember', invite('a@example.test', 'theirs'), 'body_invalid');
      await refused(cast.owner, 'inviteMember', invite('a@example.test', role.roleId), 'body_invalid');
      const ofClients = { body: { name: 'shop', permissions: ['clients:read'] } };
      const forClients = await scene.succeed<Role>(cast.owner, 'addRole', ofClients);
      await refused(cast.owner, 'changeMember', on(cast.admin, 'shop'), 'body_invalid');
      for (const { roleId } of [role, forClients]) {
        const stray = await scene.addPerson({ accountId: cast.accountId, role: roleId });
        await refused(stray, 'listClients', {}, 'not_found');
      }
      await refused(cast.owner, 'getRole', { path: { roleId: role.roleId } }, 'not_found');
      await refused(cast.owner, 'updateRole', edit(role, { name: 'mine' }), 'not_found');
    });

    test('a role that someone has or is invited to is not removed, and the problem says what to do', async () => {
      const cast = await openAccount();
      const { owner } = cast;
      const role = await addRole(owner, 'support', ['clients:read']);
      const remove = { path: { roleId: role.roleId }, headers: any };
      const holder = await holderOf(role, cast);
      assert.match(await refused(owner, 'removeRole', remove, 'role_in_use'), /Hana.*give them another/);
      const { invitationId } = await scene.succeed<Invitation>(
        owner,
        'inviteMember',
        invite('lee@example.test', 'support'),
      );
      await scene.succeed(owner, 'removeMember', on(holder));
      assert.match(await refused(owner, 'removeRole', remove, 'role_in_use'), /lee@example\.test.*withdraw/);
      await scene.succeed(owner, 'revokeInvitation', { path: { invitationId } });
      await scene.succeed(owner, 'removeRole', remove);
      await refused(owner, 'inviteMember', invite('lee@example.test', 'support'), 'body_invalid');
    });

    test('of a role that is removed and given at the same time, one is refused', async () => {
      const { owner, admin, accountId } = await openAccount();
      const member = await scene.addPerson({ accountId, role: 'viewer' });
      const role = await addRole(owner, 'support', ['clients:read']);
      const [removed, given] = await Promise.all([
        scene.call(owner, 'removeRole', { path: { roleId: role.roleId }, headers: any }),
        scene.call(admin, 'changeMember', on(member, 'support')),
      ]);
      assert.equal([removed, given].filter(({ status }) => status === 200).length, 1);
      const isGiven = given.status === 200;
      assert.equal(await roleNow(owner, member), isGiven ? 'support' : 'viewer');
    });

    test('of two tabs that change a role, the second is told', async () => {
      const { owner } = await openAccount();
      const { roleId } = await addRole(owner, 'support', ['clients:read']);
      const path = { roleId };
      const { headers } = await scene.call(owner, 'getRole', { path });
      const seen = { 'If-Match': headers['etag'] as string };
      await scene.succeed(owner, 'updateRole', { path, headers: seen, body: { permissions: ['keys:read'] } });
      const late = { path, headers: seen, body: { permissions: ['clients:read', 'keys:write'] } };
      await refused(owner, 'updateRole', late, 'precondition_failed');
    });

    test('a change of a role counts with the next request, also of one that was let in before', async () => {
      const cast = await openAccount();
      const { owner } = cast;
      const role = await addRole(owner, 'lead', [
        'roles:read',
        'roles:write',
        'members:write',
        'clients:read',
      ]);
      const holder = await holderOf(role, cast);
      await scene.succeed(holder, 'listClients');
      const begun = await beginRequest(scene, holder, 'addRole', roleOf('late', ['clients:read']));
      await scene.succeed(owner, 'updateRole', edit(role, { permissions: ['roles:read'] }));
      assert.equal((await begun.finish()).json()['code'], 'permission_denied');
      await refused(holder, 'listClients', {}, 'permission_denied');
      await scene.succeed(holder, 'listRoles');
      await scene.succeed(owner, 'updateRole', edit(role, { permissions: ['requests:read'] }));
      await scene.succeed(holder, 'listRequests');
      await refused(holder, 'listRoles', {}, 'permission_denied');
    });

    test('whose role may do less afterwards has invited nobody to more', async () => {
      const cast = await openAccount();
      const { owner } = cast;
      const lead = await addRole(owner, 'lead', [
        'members:read',
        'members:write',
        'clients:read',
        'keys:read',
      ]);
      await addRole(owner, 'keys', ['keys:read']);
      await addRole(owner, 'viewing', ['clients:read']);
      const holder = await holderOf(lead, cast);
      await scene.succeed(holder, 'inviteMember', invite('keys@example.test', 'keys'));
      await scene.succeed(holder, 'inviteMember', invite('viewing@example.test', 'viewing'));
      await scene.succeed(
        owner,
        'updateRole',
        edit(lead, { permissions: ['members:read', 'members:write', 'clients:read'] }),
      );
      assert.deepEqual(
        (await invitationsOf(owner)).map(({ email }) => email),
        ['viewing@example.test'],
      );
      await scene.succeed(owner, 'updateRole', edit(lead, { permissions: ['members:read', 'clients:read'] }));
      assert.deepEqual(await invitationsOf(owner), []);
    });

    test('an invitation that is accepted later gives the role as it is by then', async () => {
      const { owner } = await openAccount();
      const role = await addRole(owner, 'support', ['clients:read', 'requests:read']);
      const { link } = await scene.succeed<Invitation>(
        owner,
        'inviteMember',
        invite('late@example.test', 'support'),
      );
      await scene.succeed(
        owner,
        'updateRole',
        edit(role, { name: 'first-line', permissions: ['requests:read'] }),
      );
      assert.equal((await invitationsOf(owner))[0]?.role, 'first-line');
      const browser = new Browser(scene.running);
      const token = link!.split('#token=')[1]!;
      assert.equal((await browser.post('invitation/check', { token })).json()['role'], 'first-line');
      const accepted = await browser.post('invitation/accept', {
        token,
        name: 'Lee',
        password: goodPassword,
      });
      assert.equal(accepted.status, 200, accepted.text);
      const { accounts } = (await browser.state()) as { accounts: { role: string; permissions: string[] }[] };
      assert.deepEqual(
        accounts.map(({ role: name, permissions }) => [name, permissions]),
        [['first-line', ['requests:read']]],
      );
      const joined = (await eventsOf(owner)).find(({ action }) => action === 'member.joined');
      assert.equal(joined?.after?.['role'], 'first-line');
    });

    test('an account keeps its owner', async () => {
      const { owner, admin } = await openAccount();
      const all = await scene.succeed<Data<{ name: Permission; isHeld: boolean }>>(owner, 'listPermissions', {
        query: 'holders=members',
      });
      await addRole(
        owner,
        'everything',
        all.data.filter(({ isHeld }) => isHeld).map(({ name }) => name),
      );
      await refused(owner, 'changeMember', on(owner, 'everything'), 'last_owner');
      await scene.succeed(owner, 'changeMember', on(admin, 'everything'));
      await refused(admin, 'changeMember', on(owner, 'everything'), 'permission_denied');
      await refused(admin, 'changeMember', on(admin, 'owner'), 'permission_denied');
    });

    test('the audit log names the role and what was changed', async () => {
      const cast = await openAccount();
      const { owner } = cast;
      const role = await addRole(owner, 'support', ['clients:read']);
      const member = await scene.addPerson({ accountId: cast.accountId, role: 'viewer' });
      await scene.succeed(owner, 'changeMember', on(member, 'support'));
      await scene.succeed(owner, 'inviteMember', invite('lee@example.test', 'support'));
      await scene.succeed(owner, 'updateRole', edit(role, { permissions: ['keys:read'] }));
      const told = (await eventsOf(owner)).map(({ action, before: was, after: is }) => [action, was, is]);
      assert.deepEqual(told.slice(0, 4), [
        [
          'role.updated',
          { name: 'support', permissions: ['clients:read'] },
          { name: 'support', permissions: ['keys:read'] },
        ],
        ['member.invited', undefined, { email: 'lee@example.test', role: 'support' }],
        ['member.role_changed', { role: 'viewer' }, { role: 'support' }],
        [
          'role.added',
          undefined,
          { name: 'support', summary: '', permissions: ['clients:read'], holders: 'members' },
        ],
      ]);
    });

    /* Four eyes. */

    const openGuarded = async (): Promise<Cast & { readonly second: Person }> => {
      const cast = await openAccount();
      const second = await scene.addPerson({ accountId: cast.accountId, role: 'owner', name: 'Sven' });
      const policy = { headers: any, body: { isSecondPersonRequired: true } };
      await scene.succeed(cast.owner, 'updateSecurityPolicy', policy);
      return { ...cast, second };
    };
    const wait = async (by: Person, id: OperationId, call: ManagementCall): Promise<PendingChange> => {
      const answer = await scene.call(by, id, call);
      assert.equal(answer.status, 202, `${id}: ${answer.text}`);
      return answer.json() as unknown as PendingChange;
    };
    const decide = ({ pendingChangeId }: PendingChange): ManagementCall => ({ path: { pendingChangeId } });

    test('giving a role that may change something waits, and shows what it contains', async () => {
      const { owner, second, accountId } = await openGuarded();
      await addRole(owner, 'hooks', ['webhooks:read', 'webhooks:write']);
      await addRole(owner, 'looking', ['webhooks:read', 'clients:read']);
      const member = await scene.addPerson({ accountId, role: 'viewer' });
      const pending = await wait(owner, 'changeMember', on(member, 'hooks'));
      assert.deepEqual(pending.after, { role: 'hooks', permissions: ['webhooks:read', 'webhooks:write'] });
      await wait(owner, 'inviteMember', invite('a@example.test', 'hooks'));
      const other = await scene.addPerson({ accountId, role: 'viewer' });
      await scene.succeed(owner, 'changeMember', on(other, 'looking'));
      await scene.succeed(second, 'approvePendingChange', decide(pending));
      assert.equal(await roleNow(owner, member), 'hooks');
    });

    test('a role that contains something else by then is not given', async () => {
      const { owner, second, accountId } = await openGuarded();
      const role = await addRole(owner, 'hooks', ['webhooks:read', 'webhooks:write', 'clients:read']);
      const member = await scene.addPerson({ accountId, role: 'viewer' });
      const pending = await wait(owner, 'changeMember', on(member, 'hooks'));
      const invited = await wait(owner, 'inviteMember', invite('a@example.test', 'hooks'));
      await scene.succeed(
        owner,
        'updateRole',
        edit(role, { permissions: ['webhooks:read', 'webhooks:write'] }),
      );
      for (const one of [pending, invited])
        await scene.refused(second, 'approvePendingChange', decide(one), 'pending_change_failed');
      assert.equal(await roleNow(owner, member), 'viewer');
      // Another one of that name neither.
      const again = await wait(owner, 'changeMember', on(member, 'hooks'));
      await scene.succeed(owner, 'removeRole', { path: { roleId: role.roleId }, headers: any });
      await addRole(owner, 'hooks', ['webhooks:write', 'keys:write']);
      await scene.refused(second, 'approvePendingChange', decide(again), 'pending_change_failed');
    });

    test('a role gains nothing without a second person who has it and manages members', async () => {
      const cast = await openGuarded();
      const { owner, second, accountId } = cast;
      const role = await addRole(owner, 'support', ['clients:read']);
      const holder = await holderOf(role, cast);
      const call = edit(role, { permissions: ['clients:read', 'keys:write'] });
      const pending = await wait(owner, 'updateRole', call);
      assert.deepEqual(pending.after, { permissions: ['clients:read', 'keys:write'] });
      const making = await addRole(owner, 'making', [
        'roles:read',
        'roles:write',
        'keys:write',
        'clients:read',
      ]);
      const maker = await scene.addPerson({ accountId, role: making.roleId });
      await scene.refused(maker, 'approvePendingChange', decide(pending), 'second_person_required');
      await scene.refused(owner, 'approvePendingChange', decide(pending), 'second_person_required');
      await scene.succeed(second, 'approvePendingChange', decide(pending));
      const { publicKey } = scene.freshKey();
      const key = { path: { clientId: cast.administrator.clientId }, body: { publicKey } };
      await refused(holder, 'addKey', key, 'permission_not_held');
      // Less at once.
      await scene.succeed(owner, 'updateRole', edit(role, { permissions: ['clients:read'] }));
    });

    test('a role that becomes one that approves has no invitations whose link someone has seen', async () => {
      const { owner, second } = await openGuarded();
      const role = await addRole(owner, 'support', ['clients:read']);
      const sent = await scene.succeed<Invitation>(
        owner,
        'inviteMember',
        invite('own@example.test', 'support'),
      );
      assert.ok(sent.link);
      const call = edit(role, { permissions: ['clients:read', 'clients:write'] });
      await scene.succeed(second, 'approvePendingChange', decide(await wait(owner, 'updateRole', call)));
      assert.deepEqual(await invitationsOf(owner), []);
    });

    test('whoever acts for the account leaves it its second person, and is one only without', async () => {
      const cast = await openAccount();
      const { owner, accountId, admin } = cast;
      await scene.succeed(owner, 'removeMember', on(admin));
      const all = await scene.succeed<Data<{ name: Permission; isHeld: boolean }>>(owner, 'listPermissions', {
        query: 'holders=members',
      });
      const everything = all.data.filter(({ isHeld }) => isHeld).map(({ name }) => name);
      const role = await addRole(owner, 'deputy', everything);
      const policy = { headers: any, body: { isSecondPersonRequired: true } };
      await refused(owner, 'updateSecurityPolicy', policy, 'second_person_missing');
      await scene.addPerson({ accountId, role: role.roleId, name: 'Dana' });
      await scene.succeed(owner, 'updateSecurityPolicy', policy);
      const operator = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      const olga = await scene.addPerson({ accountId: operator.accountId, role: 'operator' });
      await scene.succeed(olga, 'startActing', { body: { accountId, reason: 'Help with ticket 7' } });
      const acting = { ...olga, accountId };
      const less = edit(role, { permissions: everything.filter((name) => name !== 'policy:write') });
      assert.match(await refused(acting, 'updateRole', less, 'permission_denied'), /second person/);
      const looking = edit(role, { permissions: ['clients:read'] });
      await refused(acting, 'updateRole', looking, 'permission_denied');
      await scene.succeed(acting, 'updateRole', edit(role, { summary: 'Stands in' }));
      await scene.succeed(owner, 'updateRole', less);
    });

    test("a role of the operator's account lets people act for customers, until it does not", async () => {
      const { accountId } = await openAccount();
      const operator = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      const olga = await scene.addPerson({ accountId: operator.accountId, role: 'operator' });
      const role = await addRole(olga, 'night-shift', ['accounts:read', 'accounts:act']);
      const holder = await scene.addPerson({ accountId: operator.accountId, role: role.roleId });
      await scene.succeed(holder, 'startActing', { body: { accountId, reason: 'Help with ticket 7' } });
      const acting = { ...holder, accountId };
      await scene.succeed(acting, 'inviteMember', invite('night@example.test', 'admin'));
      await scene.succeed(olga, 'updateRole', edit(role, { permissions: ['accounts:read'] }));
      await refused(acting, 'listClients', {}, 'not_found');
      await scene.succeed(olga, 'startActing', { body: { accountId, reason: 'Help with ticket 8' } });
      assert.deepEqual(await invitationsOf({ ...olga, accountId }), []);
    });
  });
}
