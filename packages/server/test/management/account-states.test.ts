import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Account, AccountOverview, AuditEvent } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { waitFor } from '@countersign/testing/wait-until';
import { type Caller, type Data, managementScene, type ManagementScene, type Person } from './scene.ts';

/* Suspending, resuming and closing an account, and what its operator sees of all accounts. */

const body = { reason: 'Unpaid since September' };

for (const backend of backends) {
  describe(`the state of an account on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    let operator: Caller & { accountId: string };
    let person: Person;
    let customer: Caller & { accountId: string };
    let owner: Person;
    let path: { accountId: string };
    before(async () => {
      scene = await managementScene(backend);
      operator = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      person = await scene.addPerson({ accountId: operator.accountId, role: 'operator' });
      customer = await scene.addAccount();
      const { accountId } = customer;
      owner = await scene.addPerson({ accountId, role: 'owner', name: 'Ada Lindqvist' });
      path = { accountId };
    });
    after(() => scene.close());

    const events = async (caller: Caller | Person): Promise<readonly AuditEvent[]> =>
      (await scene.succeed<Data<AuditEvent>>(caller, 'listAuditEvents', { query: 'limit=100' })).data;

    test('changes with a reason, and never for the operator itself', async () => {
      for (const id of ['suspendAccount', 'resumeAccount', 'closeAccount'] as const) {
        const own = { path: { accountId: operator.accountId }, body };
        await scene.refused(person, id, own, 'account_state_conflict');
        await scene.refused(person, id, { path, body: { reason: 'short' } }, 'body_invalid');
        await scene.refused(person, id, { path }, 'content_type_unsupported');
        await scene.refused(owner, id, { path, body }, 'permission_denied');
        await scene.refused(customer, id, { path, body }, 'permission_denied');
      }
      await scene.refused(person, 'resumeAccount', { path, body }, 'account_state_conflict');
      const headers = { 'If-Match': '"0"' };
      await scene.refused(person, 'suspendAccount', { path, body, headers }, 'precondition_failed');
      await scene.succeed(customer, 'listClients');
    });

    test('suspended: every request is refused with a code of its own, and members only read', async () => {
      await scene.succeed(person, 'suspendAccount', { path, body });
      const { reason } = await scene.refused(customer, 'listClients', {}, 'account_suspended');
      assert.equal(reason, "the client's account is suspended");
      await scene.refused(customer, 'getWhoami', {}, 'account_suspended');
      await scene.refused(person, 'suspendAccount', { path, body }, 'account_state_conflict');
      const client = { name: 'New', networkWhitelist: [{ entry: '0.0.0.0' }] };
      await scene.refused(owner, 'addClient', { body: client }, 'permission_denied');
      await scene.succeed(owner, 'listClients');
      const { statusReason, status } = await scene.succeed<Account>(operator, 'getAccount', { path });
      assert.deepEqual([status, statusReason], ['suspended', body.reason]);
    });

    test('a stranger learns nothing of it: without the key the answer is that of any other account', async () => {
      const { privateKey } = scene.freshKey();
      const { createSigner } = await import('@countersign/signature/node');
      const forger = {
        ...customer,
        signer: createSigner({ keyid: customer.clientId, privateKey, nowMs: scene.nowMs }),
      };
      const nobody = { ...forger, signer: createSigner({ keyid: 'nobody', privateKey, nowMs: scene.nowMs }) };
      const withoutId = ({ text }: { text: string }): string => text.replaceAll(/request_[0-9a-z]{26}/g, '');
      const forged = await scene.call(forger, 'getWhoami');
      const unknown = await scene.call(nobody, 'getWhoami');
      assert.equal(forged.json()['code'], 'signature_invalid');
      assert.equal(withoutId(forged), withoutId(unknown));
    });

    test('a request that waited while its account was suspended changes nothing', async () => {
      await scene.succeed(person, 'resumeAccount', { path, body });
      const client = { name: 'Late', networkWhitelist: [{ entry: '0.0.0.0' }] };
      let late: Promise<unknown> | undefined;
      await scene.whileLocked(async (transaction, changeWaits) => {
        late = scene.refused(customer, 'addClient', { body: client }, 'account_suspended');
        // Let it in before the account is suspended.
        await changeWaits(late);
        await transaction
          .updateTable('accounts')
          .set({ status: 'suspended' })
          .where('account_id', '=', path.accountId)
          .execute();
      });
      await late;
      await scene.running.service.readRegistry();
      const database = await scene.database();
      await database
        .updateTable('accounts')
        .set({ status: 'active' })
        .where('account_id', '=', path.accountId)
        .execute();
    });

    test('resumed: the same client is let in again, and both audit trails tell who did it and why', async () => {
      await scene.succeed(person, 'suspendAccount', { path, body });
      await scene.succeed(operator, 'resumeAccount', { path, body: { reason: 'Paid by bank transfer' } });
      await scene.succeed(customer, 'getWhoami');
      for (const caller of [owner, person]) {
        const [resumed, suspended] = (await events(caller)).filter(({ action }) =>
          /^account\.(?:suspended|resumed)$/.test(action),
        );
        assert.deepEqual(
          [suspended?.action, suspended?.actor.id, suspended?.after],
          ['account.suspended', person.userId, { status: 'suspended', reason: body.reason }],
        );
        assert.deepEqual(
          [resumed?.action, resumed?.actor.id, resumed?.after?.['reason']],
          ['account.resumed', operator.clientId, 'Paid by bank transfer'],
        );
        assert.equal(resumed?.targets[0]?.id, path.accountId);
      }
    });

    test('the overview has owner, clients and traffic, and is sorted, searched and read page by page', async () => {
      const wanted = (name: string): AccountOverview | undefined =>
        overviews.find(({ account }) => account.accountId === name);
      let overviews: readonly AccountOverview[] = [];
      // Counts are written some milliseconds after the answers.
      const own = await waitFor(
        async () => {
          const page = await scene.succeed<Data<AccountOverview>>(person, 'listAccountOverviews', {
            query: 'sort=refused',
          });
          overviews = page.data;
          const found = wanted(path.accountId);
          return found && found.lastDay.refused >= 3 && found.lastRequestAt !== null ? found : undefined;
        },
        () => wanted(path.accountId),
      );
      assert.deepEqual([own.owner?.name, own.owners, own.clients], ['Ada Lindqvist', 1, 1]);
      assert.ok(own.lastDay.requests > own.lastDay.refused);
      assert.deepEqual(own.lastDay, own.last30Days);
      const refused = overviews.map(({ last30Days }) => last30Days.refused);
      assert.deepEqual(
        refused,
        refused.toSorted((one, other) => other - one),
      );
      const found = await scene.succeed<Data<AccountOverview>>(operator, 'listAccountOverviews', {
        query: `search=${path.accountId}`,
      });
      assert.deepEqual(
        found.data.map(({ account }) => account.accountId),
        [path.accountId],
      );
      const names: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: Data<AccountOverview> = await scene.succeed(person, 'listAccountOverviews', {
          query: `limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`,
        });
        names.push(...page.data.map(({ account }) => account.accountId));
        cursor = page.nextCursor;
      }
      assert.deepEqual(names.toSorted(), overviews.map(({ account }) => account.accountId).toSorted());
      await scene.refused(person, 'listAccountOverviews', { query: 'sort=secret' }, 'query_invalid');
      await scene.refused(owner, 'listAccountOverviews', {}, 'permission_denied');
    });

    test('closed: keys and clients have ended for good, and what happened stays', async () => {
      const invited = { email: 'later@example.test', role: 'viewer' };
      await scene.succeed(owner, 'inviteMember', { body: invited });
      const earlier = await events(owner);
      await scene.succeed(person, 'closeAccount', { path, body });
      await scene.refused(customer, 'getWhoami', {}, 'signature_invalid');
      for (const id of ['suspendAccount', 'resumeAccount', 'closeAccount'] as const)
        await scene.refused(person, id, { path, body }, 'account_state_conflict');
      const query = `accountId=${path.accountId}`;
      const { data } = await scene.succeed<Data<unknown>>(operator, 'listClients', { query });
      assert.deepEqual(data, []);
      const { clientId } = customer;
      await scene.refused(operator, 'restoreClient', { path: { clientId } }, 'not_found');
      const client = { name: 'New', networkWhitelist: [{ entry: '0.0.0.0' }], ...path };
      await scene.refused(operator, 'addClient', { body: client }, 'body_invalid');
      const trail = await events(owner);
      assert.deepEqual(trail.slice(-earlier.length), earlier);
      const actions = trail.slice(0, -earlier.length).map(({ action }) => action);
      assert.deepEqual(actions, ['account.closed', 'client.archived', 'client.revoked']);
      const { data: invitations } = await scene.succeed<Data<unknown>>(owner, 'listInvitations');
      assert.deepEqual(invitations, []);
      await scene.refused(owner, 'inviteMember', { body: invited }, 'permission_denied');
      const requests = await scene.succeed<Data<unknown>>(owner, 'listRequests');
      assert.ok(requests.data.length > 0);
    });
  });
}
