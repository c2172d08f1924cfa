import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AddedAccount, AuditEvent, Invitation } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import {
  type Account,
  type Caller,
  type Data,
  managementScene,
  type ManagementScene,
  type Person,
} from './scene.ts';

/* The first owner of an account is invited together with it, or neither is there. */

for (const backend of backends) {
  describe(`the first owner of a new account on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    let operator: Caller & { accountId: string };
    let olga: Person;
    before(async () => {
      scene = await managementScene(backend);
      operator = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      olga = await scene.addPerson({ accountId: operator.accountId, role: 'operator', name: 'Olga' });
    });
    after(() => scene.close());

    const accountIds = async (): Promise<readonly string[]> => {
      const query = 'limit=100';
      const { data } = await scene.succeed<Data<Account>>(operator, 'listAccounts', { query });
      return data.map(({ accountId }) => accountId);
    };
    const add = (ownerEmail: string, headers: Record<string, string> = {}): Promise<AddedAccount> =>
      scene.succeed(olga, 'addAccount', { body: { name: 'Customer', ownerEmail }, headers });
    /** What a person of the provider sees who acts for an account. */
    const invitationsOf = async (accountId: string): Promise<readonly Invitation[]> => {
      const person = await scene.addPerson({ accountId: operator.accountId, role: 'operator' });
      await scene.succeed(person, 'startActing', { body: { accountId, reason: 'Look at invitations' } });
      return (await scene.succeed<Data<Invitation>>({ ...person, accountId }, 'listInvitations')).data;
    };

    test('whoever may not invite adds no account either', async () => {
      const earlier = await accountIds();
      const manager = await scene.addPerson({ accountId: operator.accountId, role: 'account-manager' });
      const cases = [
        [operator, 'owner@customer.example', 'permission_denied'],
        [manager, 'owner@customer.example', 'permission_denied'],
        [olga, olga.email, 'permission_denied'],
        [olga, olga.email.toUpperCase(), 'permission_denied'],
        [olga, 'no address', 'body_invalid'],
        [olga, '', 'body_invalid'],
      ] as const;
      for (const [by, ownerEmail, code] of cases)
        await scene.refused(by, 'addAccount', { body: { name: 'Customer', ownerEmail } }, code);
      assert.deepEqual(await accountIds(), earlier);
      const body = { name: 'Customer', ownerEmail: 'owner@customer.example' };
      const path = { accountId: (await add('first@customer.example')).accountId };
      await scene.refused(
        olga,
        'updateAccount',
        { path, headers: { 'If-Match': '*' }, body },
        'body_invalid',
      );
    });

    test('the account and the invitation come together, and both are in its audit log', async () => {
      const { accountId, ownerInvitation } = await add('Owner@Customer.example');
      const { email, role, invitedBy, link } = ownerInvitation!;
      assert.deepEqual([email, role, invitedBy.name], ['owner@customer.example', 'owner', 'Olga']);
      assert.match(link ?? '', /#token=/, 'no mail is sent here');
      const [pending, ...others] = await invitationsOf(accountId);
      assert.deepEqual([pending?.email, pending?.link, others], [email, undefined, []]);
      const query = `accountId=${accountId}`;
      const { data } = await scene.succeed<Data<AuditEvent>>(operator, 'listAuditEvents', { query });
      const own = data.filter(({ action }) => action !== 'acting.started');
      assert.deepEqual(
        own.map(({ action, actor }) => [action, actor.id]),
        [
          ['member.invited', olga.userId],
          ['account.added', olga.userId],
        ],
      );
      assert.ok(!JSON.stringify(data).includes(link!.split('=').at(-1)!));
    });

    test('a retry adds nothing twice, and shows no link', async () => {
      const headers = { 'Idempotency-Key': 'one-account' };
      const first = await add('retry@customer.example', headers);
      const again = await add('retry@customer.example', headers);
      assert.equal(again.accountId, first.accountId);
      assert.ok(first.ownerInvitation?.link);
      assert.equal(again.ownerInvitation?.link, undefined);
    });

    test('nobody is invited too often by adding accounts', async () => {
      for (let count = 0; count < 5; count += 1) await add('often@customer.example');
      const earlier = await accountIds();
      const body = { name: 'Customer', ownerEmail: 'often@customer.example' };
      await scene.refused(olga, 'addAccount', { body }, 'too_many_attempts');
      assert.deepEqual(await accountIds(), earlier);
    });

    test('the invitation ends with the permission of whoever sent it', async () => {
      const otto = await scene.addPerson({ accountId: operator.accountId, role: 'operator', name: 'Otto' });
      const body = { name: 'Customer', ownerEmail: 'late@customer.example' };
      const { accountId } = await scene.succeed<AddedAccount>(otto, 'addAccount', { body });
      assert.equal((await invitationsOf(accountId)).length, 1);
      const path = { userId: otto.userId };
      await scene.succeed(olga, 'changeMember', { path, body: { role: 'viewer' } });
      assert.deepEqual(await invitationsOf(accountId), []);
    });
  });
}
