import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type OperationId, operations, type SecurityPolicy } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { callOf, makeThings, type Things } from '../management/every-operation.ts';
import { stateOf } from '../management/persons.ts';
import {
  type Account,
  type Data,
  managementScene,
  type ManagementScene,
  type Person,
} from '../management/scene.ts';

const inAccount = (Object.keys(operations) as OperationId[]).filter(
  (id) => operations[id].callers !== 'clients',
);
const any = { 'If-Match': '*' };

for (const backend of backends) {
  describe(`the security policy on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    let things: Things;
    let owner: Person;
    let unready: Person;
    before(async () => {
      // Otherwise everyone who acts for an account needs a second factor, whatever the policy.
      const settings = { COUNTERSIGN_ALLOW_OPERATORS_WITHOUT_SECOND_FACTOR: 'yes' };
      scene = await managementScene(backend, { settings });
      things = await makeThings(scene, scene.administrator);
      owner = await scene.addPerson({ role: 'owner', hasSecondFactor: true });
      unready = await scene.addPerson({ role: 'owner' });
    });
    after(() => scene.close());

    const change = (person: Person, body: object): Promise<SecurityPolicy> =>
      scene.succeed<SecurityPolicy>(person, 'updateSecurityPolicy', { headers: any, body });

    test('who has no second factor demands none of others', async () => {
      const body = { isSecondFactorRequired: true };
      const { reason } = await scene.refused(
        unready,
        'updateSecurityPolicy',
        { headers: any, body },
        'second_factor_required',
      );
      assert.match(reason, /require/);
      const policy = await scene.succeed<SecurityPolicy>(unready, 'getSecurityPolicy');
      assert.deepEqual(policy, {
        isSecondFactorRequired: false,
        sessionHoursMax: null,
        keyAgeDaysMax: null,
        portalNetworks: [],
        requestsKeptDays: null,
        isSecondPersonRequired: false,
      } satisfies SecurityPolicy);
    });

    test('an enforced second factor is asked for before anything else, on every route', async () => {
      await change(owner, { isSecondFactorRequired: true });
      const database = await scene.database();
      const atFirst = await stateOf(database);
      for (const id of inAccount) {
        const call = {
          ...callOf(scene, id, things),
          ...(id === 'streamEvents' && { query: `account=${scene.accountId}` }),
        };
        await scene.refused(unready, id, call, 'second_factor_required');
      }
      assert.equal(await stateOf(database), atFirst, 'something was changed');
      const { data } = await scene.succeed<Data<{ userId: string; hasSecondFactor: boolean }>>(
        owner,
        'listMembers',
      );
      const has = new Map(data.map(({ userId, hasSecondFactor }) => [userId, hasSecondFactor]));
      assert.deepEqual([has.get(owner.userId), has.get(unready.userId)], [true, false]);
      await scene.succeed(owner, 'listClients');
      await scene.succeed(scene.administrator, 'listClients');
    });

    test('a session from before the second factor lets nobody in: who knows only the password, stays out', async () => {
      const early = await scene.signIn(owner, { hasSecondFactor: false });
      const { reason } = await scene.refused(early, 'listClients', {}, 'step_up_required');
      assert.match(reason, /not used in this session/);
      await scene.succeed(owner, 'listClients');
    });

    test('it is asked of who acts for the account as well', async () => {
      const { accountId } = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      const manager = await scene.addPerson({ accountId, role: 'account-manager', hasSecondFactor: false });
      const body = { accountId: scene.accountId, reason: 'To see what is asked of me' };
      await scene.succeed(manager, 'startActing', { body });
      const acting = { ...manager, accountId: scene.accountId };
      await scene.refused(acting, 'listClients', {}, 'second_factor_required');
    });

    test('a passkey is a second factor', async () => {
      const database = await scene.database();
      await database
        .insertInto('person_passkeys')
        .values({
          passkey_id: 'passkey_1',
          user_id: unready.userId,
          name: 'Key',
          credential_id: 'credential',
          public_key: 'key',
          counter: 0,
          device_type: 'singleDevice',
          is_backed_up: 0,
          transports: null,
          aaguid: null,
          created_at_ms: 0,
          last_used_at_ms: null,
        })
        .execute();
      await scene.refused(unready, 'listClients', {}, 'step_up_required');
      await scene.succeed(await scene.signIn(unready, { hasSecondFactor: true }), 'listClients');
    });

    test('a session is not older than the account allows, and lives on elsewhere', async () => {
      const { accountId } = await scene.addAccount();
      const database = await scene.database();
      await database
        .insertInto('members')
        .values({ account_id: accountId, user_id: owner.userId, role: 'viewer', created_at_ms: 0 })
        .execute();
      await change(owner, { sessionHoursMax: 1 });
      await scene.succeed(owner, 'listClients');
      await scene.spend(3_600_000, owner);
      await scene.refused(owner, 'listClients', {}, 'session_required');
      await scene.succeed({ ...owner, accountId }, 'listClients');
      const fresh = await scene.signIn(owner, { hasSecondFactor: true });
      await scene.succeed(fresh, 'listClients');
      owner = fresh;
    });

    test('changes name the state that was seen, and stand in the audit log', async () => {
      const answer = await scene.call(owner, 'getSecurityPolicy');
      const headers = { 'If-Match': String(answer.headers['etag']) };
      const body = { sessionHoursMax: null, keyAgeDaysMax: 90 };
      await scene.refused(owner, 'updateSecurityPolicy', { body }, 'precondition_required');
      const changed = await scene.call(owner, 'updateSecurityPolicy', { headers, body });
      assert.deepEqual(changed.json(), {
        isSecondFactorRequired: true,
        sessionHoursMax: null,
        keyAgeDaysMax: 90,
        portalNetworks: [],
        requestsKeptDays: null,
        isSecondPersonRequired: false,
      } satisfies SecurityPolicy);
      await scene.refused(
        owner,
        'updateSecurityPolicy',
        { headers, body: { keyAgeDaysMax: 1 } },
        'precondition_failed',
      );
      const again = await scene.call(owner, 'updateSecurityPolicy', { headers: any, body });
      assert.equal(again.headers['etag'], changed.headers['etag'], 'nothing was changed');
      const { data } = await scene.succeed<Data<Record<string, unknown>>>(owner, 'listAuditEvents', {
        query: 'action=policy.updated&limit=1',
      });
      assert.deepEqual(data[0]!['before'], { sessionHoursMax: 1, keyAgeDaysMax: null });
      assert.deepEqual(data[0]!['after'], { sessionHoursMax: null, keyAgeDaysMax: 90 });
      assert.deepEqual(data[0]!['actor'], { kind: 'person', id: owner.userId, name: owner.name });
    });

    test('the age of keys is that of the account, and counts for its keys at once', async () => {
      const { accountId } = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      const operator = await scene.addPerson({ accountId, role: 'operator' });
      const path = { accountId: scene.accountId };
      const account = await scene.succeed<Account>(operator, 'getAccount', { path });
      assert.equal(account.keyAgeDaysMax, 90);
      scene.clock.aheadMs += 91 * 86_400_000;
      await scene.refused(scene.administrator, 'listClients', {}, 'signature_invalid');
    });
  });
}
