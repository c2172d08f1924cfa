import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Invitation, Member, MemberRole, OperationId, ProblemCode } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { beginRequest } from '../management/slow-request.ts';
import { stateOf } from '../management/persons.ts';
import {
  anywhere,
  type Data,
  managementScene,
  type ManagementScene,
  type Person,
} from '../management/scene.ts';

/* People try to gain rights, to stay after being removed, and to leave an account without an owner. */

for (const backend of backends) {
  describe(`nobody becomes more than they are on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    before(async () => {
      scene = await managementScene(backend);
    });
    after(() => scene.close());

    /** Creates an account for one test, with a person in each role. */
    const openAccount = async (): Promise<Record<'owner' | 'admin' | 'developer' | 'viewer', Person>> => {
      const { accountId } = await scene.addAccount();
      const add = (role: MemberRole): Promise<Person> => scene.addPerson({ accountId, role });
      return {
        owner: await add('owner'),
        admin: await add('admin'),
        developer: await add('developer'),
        viewer: await add('viewer'),
      };
    };
    const refused = async (
      person: Person,
      id: OperationId,
      call: Parameters<ManagementScene['call']>[2],
      code: ProblemCode,
    ): Promise<string> => {
      const database = await scene.database();
      const atFirst = await stateOf(database);
      const { reason } = await scene.refused(person, id, call ?? {}, code);
      assert.equal(await stateOf(database), atFirst, 'something was changed');
      return reason;
    };
    const on = ({ userId }: Person): { path: { userId: string } } => ({ path: { userId } });
    const rolesIn = async (person: Person): Promise<Record<string, string>> => {
      const { data } = await scene.succeed<Data<Member>>(person, 'listMembers');
      return Object.fromEntries(data.map(({ userId, role }) => [userId, role]));
    };

    test('an admin makes nobody an owner: not itself, not others, not by an invitation', async () => {
      const { owner, admin, viewer } = await openAccount();
      const body = { role: 'owner' };
      assert.match(
        await refused(admin, 'changeMember', { ...on(admin), body }, 'permission_denied'),
        /owner/,
      );
      await refused(admin, 'changeMember', { ...on(viewer), body }, 'permission_denied');
      await refused(admin, 'changeMember', { ...on(owner), body: { role: 'viewer' } }, 'permission_denied');
      await refused(admin, 'removeMember', on(owner), 'permission_denied');
      const invitation = { email: 'second@example.test', role: 'owner' };
      await refused(admin, 'inviteMember', { body: invitation }, 'permission_denied');
      // The answer would hold the link: an invitation that an owner has sent is none of its own.
      const sent = await scene.succeed<Invitation>(owner, 'inviteMember', { body: invitation });
      const path = { invitationId: sent.invitationId };
      scene.clock.aheadMs += 61_000;
      await refused(admin, 'resendInvitation', { path }, 'permission_denied');
      await refused(admin, 'revokeInvitation', { path }, 'permission_denied');
      await scene.succeed(owner, 'resendInvitation', { path });
      await scene.succeed(owner, 'revokeInvitation', { path });
    });

    test('developer and viewer change nothing about people, themselves neither', async () => {
      const { owner, developer, viewer } = await openAccount();
      for (const person of [developer, viewer]) {
        for (const role of ['owner', 'admin', 'developer', 'viewer'])
          await refused(person, 'changeMember', { ...on(person), body: { role } }, 'permission_denied');
        await refused(person, 'removeMember', on(owner), 'permission_denied');
        const body = { email: 'friend@example.test', role: 'admin' };
        await refused(person, 'inviteMember', { body }, 'permission_denied');
        const policy = { headers: { 'If-Match': '*' }, body: { isSecondFactorRequired: false } };
        await refused(person, 'updateSecurityPolicy', policy, 'permission_denied');
      }
    });

    test('roles of the other kind of account are given to nobody', async () => {
      const { owner, viewer } = await openAccount();
      for (const role of ['operator', 'account-manager', 'administrator', '__proto__', '']) {
        await refused(owner, 'changeMember', { ...on(viewer), body: { role } }, 'body_invalid');
        const body = { email: 'friend@example.test', role };
        await refused(owner, 'inviteMember', { body }, 'body_invalid');
      }
      const { accountId } = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      const operator = await scene.addPerson({ accountId, role: 'operator' });
      for (const role of ['owner', 'admin', 'developer'])
        await refused(
          operator,
          'inviteMember',
          { body: { email: 'friend@example.test', role } },
          'body_invalid',
        );
    });

    test('a role that the kind of account does not have gives nothing, whoever wrote it', async () => {
      const { owner } = await openAccount();
      const database = await scene.database();
      await database
        .updateTable('members')
        .set({ role: 'operator' })
        .where('user_id', '=', owner.userId)
        .execute();
      await refused(owner, 'listClients', {}, 'not_found');
      await refused(owner, 'listAccounts', {}, 'not_found');
    });

    test('a developer gives clients what it holds itself, and no more', async () => {
      const { developer } = await openAccount();
      const body = { name: 'Shop', networkWhitelist: anywhere };
      for (const role of ['administrator', 'operator', 'auditor', 'payments-operator']) {
        const isMore = ['administrator', 'operator'].includes(role);
        const code = role === 'operator' ? 'body_invalid' : 'permission_not_held';
        if (isMore) await refused(developer, 'addClient', { body: { ...body, roles: [role] } }, code);
        else await scene.succeed(developer, 'addClient', { body: { ...body, roles: [role] } });
      }
      const own = { name: 'all', permissions: ['roles:write'] };
      await refused(developer, 'addRole', { body: own }, 'permission_denied');
    });

    test('no role of clients holds what people hold, whoever wrote it', async () => {
      const { owner } = await openAccount();
      for (const permission of [
        'members:read',
        'members:write',
        'policy:write',
        'accounts:act',
        'accounts:write',
      ])
        await refused(
          owner,
          'addRole',
          { body: { name: 'people', permissions: [permission] } },
          'body_invalid',
        );
      const { roleId } = await scene.succeed<{ roleId: string }>(owner, 'addRole', {
        body: { name: 'people', permissions: ['payments:read'] },
      });
      const database = await scene.database();
      await database
        .insertInto('role_permissions')
        .values({ role_id: roleId, permission: 'members:write' })
        .execute();
      const { permissions } = await scene.succeed<{ permissions: string[] }>(owner, 'getRole', {
        path: { roleId },
      });
      assert.deepEqual(permissions, ['payments:read']);
    });

    test('who is removed is out at once, in every session, and so are its invitations', async () => {
      const { owner, admin } = await openAccount();
      const other = await scene.signIn(admin);
      const body = { email: 'own-second-address@example.test', role: 'admin' };
      await scene.succeed(admin, 'inviteMember', { body });
      await scene.succeed(admin, 'listClients');
      await scene.succeed(owner, 'removeMember', on(admin));
      for (const person of [admin, other]) {
        await refused(person, 'listClients', {}, 'not_found');
        await refused(person, 'addRole', { body: { name: 'late', permissions: ['keys:read'] } }, 'not_found');
      }
      const { data } = await scene.succeed<Data<Invitation>>(owner, 'listInvitations');
      assert.deepEqual(data, []);
    });

    test('who is given less has it at once, and its invitations are gone', async () => {
      const { owner, admin } = await openAccount();
      await scene.succeed(admin, 'inviteMember', { body: { email: 'b@example.test', role: 'admin' } });
      await scene.succeed(owner, 'changeMember', { ...on(admin), body: { role: 'viewer' } });
      await refused(
        admin,
        'addRole',
        { body: { name: 'late', permissions: ['keys:read'] } },
        'permission_denied',
      );
      const { data } = await scene.succeed<Data<Invitation>>(owner, 'listInvitations');
      assert.deepEqual(data, []);
    });

    test('an owner who becomes an admin does not come back as an owner, by an invitation that it has sent itself', async () => {
      const { owner } = await openAccount();
      const { accountId } = owner;
      const former = await scene.addPerson({ accountId, role: 'owner' });
      await scene.succeed(former, 'inviteMember', { body: { email: 'self@example.test', role: 'owner' } });
      await scene.succeed(former, 'inviteMember', { body: { email: 'new@example.test', role: 'admin' } });
      await scene.succeed(owner, 'changeMember', { ...on(former), body: { role: 'admin' } });
      const { data } = await scene.succeed<Data<Invitation>>(owner, 'listInvitations');
      assert.deepEqual(
        data.map(({ role }) => role),
        ['admin'],
      );
    });

    test('an invitation is of who sent it last', async () => {
      const { owner, admin } = await openAccount();
      const body = { email: 'late@example.test', role: 'developer' };
      const { invitationId } = await scene.succeed<Invitation>(admin, 'inviteMember', { body });
      scene.clock.aheadMs += 61_000;
      const again = await scene.succeed<Invitation>(owner, 'resendInvitation', { path: { invitationId } });
      assert.equal(again.invitedBy.userId, owner.userId);
      await scene.succeed(owner, 'removeMember', on(admin));
      const { data } = await scene.succeed<Data<Invitation>>(owner, 'listInvitations');
      assert.equal(data.length, 1);
    });

    test('withdrawing and inviting again fills no mailbox', async () => {
      const { owner } = await openAccount();
      const body = { email: 'flooded@example.test', role: 'viewer' };
      for (let count = 0; count < 5; count += 1) {
        const { invitationId } = await scene.succeed<Invitation>(owner, 'inviteMember', { body });
        await scene.succeed(owner, 'revokeInvitation', { path: { invitationId } });
      }
      await refused(owner, 'inviteMember', { body }, 'too_many_attempts');
      await scene.succeed(owner, 'inviteMember', { body: { ...body, email: 'another@example.test' } });
    });

    test('a request that was let in is refused when its person has lost the right meanwhile', async () => {
      const late = { body: { name: 'late', permissions: ['keys:read'] } };
      const losses: readonly [string, ProblemCode, (owner: Person, admin: Person) => Promise<unknown>][] = [
        [
          'demoted',
          'permission_denied',
          (owner, admin) => scene.succeed(owner, 'changeMember', { ...on(admin), body: { role: 'viewer' } }),
        ],
        ['removed', 'not_found', (owner, admin) => scene.succeed(owner, 'removeMember', on(admin))],
        [
          'signed out',
          'session_required',
          async (_owner, admin) => {
            const database = await scene.database();
            await database.deleteFrom('person_sessions').where('session_id', '=', admin.sessionId).execute();
          },
        ],
      ];
      for (const [name, code, lose] of losses) {
        const { owner, admin } = await openAccount();
        const begun = await beginRequest(scene, admin, 'addRole', late);
        await lose(owner, admin);
        const answer = await begun.finish();
        assert.equal(answer.json()['code'], code, `${name}: ${answer.text}`);
        const { data } = await scene.succeed<Data<{ name: string }>>(owner, 'listRoles');
        assert.equal(
          data.some((role) => role.name === 'late'),
          false,
          name,
        );
      }
    });

    test('the last owner neither leaves nor becomes something else', async () => {
      const { owner, admin, viewer } = await openAccount();
      await refused(owner, 'removeMember', on(owner), 'last_owner');
      await refused(owner, 'changeMember', { ...on(owner), body: { role: 'admin' } }, 'last_owner');
      await scene.succeed(owner, 'changeMember', { ...on(admin), body: { role: 'owner' } });
      await scene.succeed(owner, 'changeMember', { ...on(owner), body: { role: 'viewer' } });
      await refused(admin, 'removeMember', on(admin), 'last_owner');
      await refused(owner, 'changeMember', { ...on(owner), body: { role: 'owner' } }, 'permission_denied');
      // A member who is not the last may leave, whatever the role.
      await scene.succeed(viewer, 'removeMember', on(viewer));
      assert.deepEqual(await rolesIn(admin), {
        [admin.userId]: 'owner',
        [owner.userId]: 'viewer',
        ...(await developersOf(admin)),
      });
    });

    const developersOf = async (person: Person): Promise<Record<string, string>> =>
      Object.fromEntries(Object.entries(await rolesIn(person)).filter(([, role]) => role === 'developer'));

    test('two owners who remove each other at the same time leave one of them', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { owner, admin } = await openAccount();
        await scene.succeed(owner, 'changeMember', { ...on(admin), body: { role: 'owner' } });
        const answers = await Promise.all([
          scene.call(owner, 'removeMember', on(admin)),
          scene.call(admin, 'removeMember', on(owner)),
        ]);
        assert.equal(answers.filter(({ status }) => status === 200).length, 1);
        const one = answers[0].status === 200 ? owner : admin;
        assert.equal(Object.values(await rolesIn(one)).filter((role) => role === 'owner').length, 1);
      }
    });

    test('two owners who leave at the same time leave one of them', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { owner, admin } = await openAccount();
        await scene.succeed(owner, 'changeMember', { ...on(admin), body: { role: 'owner' } });
        const answers = await Promise.all([
          scene.call(owner, 'removeMember', on(owner)),
          scene.call(admin, 'changeMember', { ...on(admin), body: { role: 'viewer' } }),
        ]);
        assert.deepEqual(
          answers.map(({ status }) => status).toSorted((x, y) => x - y),
          [200, 409],
        );
      }
    });

    test('what people do to people stands in the audit log, with who did it', async () => {
      const { owner, admin, viewer } = await openAccount();
      const body = { email: 'Lee@Example.test', role: 'developer' };
      const { invitationId, email, link } = await scene.succeed<Invitation>(admin, 'inviteMember', { body });
      assert.equal(email, 'lee@example.test');
      assert.match(link ?? '', /#token=[A-Za-z0-9_-]{43}$/);
      await scene.succeed(admin, 'revokeInvitation', { path: { invitationId } });
      await scene.succeed(owner, 'changeMember', { ...on(viewer), body: { role: 'developer' } });
      await scene.succeed(owner, 'removeMember', on(viewer));
      const answer = await scene.call(owner, 'listAuditEvents');
      assert.equal(answer.text.includes(link!.split('=')[1]!), false, 'a secret is in the audit log');
      const { data } = answer.json() as unknown as Data<Record<string, unknown>>;
      const shown = data
        .filter(({ action }) => /^(?:member|invitation)\./.test(String(action)))
        .map(
          ({
            eventId: _id,
            happenedAt: _at,
            accountId: _in,
            requestId: _by,
            sourceAddress: _from,
            ...told
          }) => told,
        );
      const account = { type: 'account', id: owner.accountId };
      const byOwner = { kind: 'person', id: owner.userId, name: owner.name };
      const byAdmin = { kind: 'person', id: admin.userId, name: admin.name };
      const onViewer = [{ type: 'member', id: viewer.userId }, account];
      const onInvitation = [{ type: 'invitation', id: invitationId }, account];
      const invited = { email: 'lee@example.test', role: 'developer' };
      assert.deepEqual(shown, [
        {
          action: 'member.removed',
          actor: byOwner,
          targets: onViewer,
          before: { name: viewer.name, email: viewer.email, role: 'developer' },
        },
        {
          action: 'member.role_changed',
          actor: byOwner,
          targets: onViewer,
          before: { role: 'viewer' },
          after: { role: 'developer' },
        },
        {
          action: 'invitation.revoked',
          actor: byAdmin,
          targets: onInvitation,
          before: invited,
        },
        {
          action: 'member.invited',
          actor: byAdmin,
          targets: onInvitation,
          after: invited,
        },
      ]);
    });

    test('a repetition of an invitation sends nothing again, and tells no link', async () => {
      const { owner, admin } = await openAccount();
      const options = {
        headers: { 'Idempotency-Key': 'once' },
        body: { email: 'c@example.test', role: 'viewer' },
      };
      const first = await scene.succeed<Invitation>(owner, 'inviteMember', options);
      const again = await scene.call(owner, 'inviteMember', options);
      assert.equal(again.headers['idempotency-replayed'], 'true');
      const { link, ...kept } = first;
      assert.ok(link);
      assert.deepEqual(again.json(), kept);
      const database = await scene.database();
      const rows = await database.selectFrom('idempotency_keys').select('body').execute();
      assert.equal(
        rows.some((row) => row.body.includes('token')),
        false,
      );
      // It is the key of this person in this session, and nobody else's.
      const { code } = (await scene.call(admin, 'inviteMember', options)).json();
      assert.equal(code, 'invitation_pending');
      const other = await scene.call(await scene.signIn(owner), 'inviteMember', options);
      assert.equal(other.json()['code'], 'invitation_pending');
    });
  });
}
