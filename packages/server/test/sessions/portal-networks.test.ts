import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type Client,
  type Invitation,
  type OperationId,
  operations,
  type PendingChange,
  type SecurityPolicy,
} from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import type { Answer } from '@countersign/testing/running-service';
import { callOf, makeThings, type Things } from '../management/every-operation.ts';
import { headersOf, stateOf } from '../management/persons.ts';
import {
  type Data,
  managementScene,
  type ManagementCall,
  type ManagementScene,
  type Person,
} from '../management/scene.ts';
import { beginRequest } from '../management/slow-request.ts';

/* The service is behind a trusted proxy, so a test says where a request comes from. */

const inAccount = (Object.keys(operations) as OperationId[]).filter(
  (id) => operations[id].callers !== 'clients',
);
const office = '203.0.113.7';
const elsewhere = '198.51.100.9';
const officeOnly = [{ entry: '203.0.113.0/24', label: 'Office' }];

for (const backend of backends) {
  describe(`the allowed networks of the portal on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    let owner: Person;
    before(async () => {
      const settings = { COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.1' };
      scene = await managementScene(backend, { settings });
      owner = await scene.addPerson({ role: 'owner' });
    });
    after(() => scene.close());

    const from = (address: string, call: ManagementCall = {}): ManagementCall => ({
      ...call,
      headers: { ...call.headers, 'X-Forwarded-For': address },
    });
    const changing = (portalNetworks: unknown, address = office): ManagementCall =>
      from(address, { headers: { 'If-Match': '*' }, body: { portalNetworks } });
    const save = (person: Person, portalNetworks: unknown, address = office): Promise<SecurityPolicy> =>
      scene.succeed<SecurityPolicy>(person, 'updateSecurityPolicy', changing(portalNetworks, address));
    const isOut = async (person: Person, address: string, id: OperationId = 'listClients'): Promise<void> => {
      await scene.refused(person, id, from(address), 'portal_network_not_allowed');
    };
    /** An account whose owner has just allowed the office alone. */
    const fenced = async (networks: unknown = officeOnly): Promise<Person> => {
      const { accountId } = await scene.addAccount();
      const person = await scene.addPerson({ accountId, role: 'owner' });
      await save(person, networks);
      return person;
    };
    const stateFrom = async (person: Person, address: string): Promise<Record<string, unknown>[]> => {
      const headers = { ...headersOf(person, 'GET'), 'X-Forwarded-For': address };
      const answer = await scene.running.send({ method: 'GET', url: '/portal/auth/state', headers });
      return answer.json()['accounts'] as Record<string, unknown>[];
    };

    test('entries are validated like those of clients, and one that allows everyone is none', async () => {
      const bad = [
        [{ entry: '0.0.0.0' }],
        [{ entry: '0.0.0.0/0' }],
        [{ entry: '::/0' }],
        [{ entry: '::ffff:0.0.0.0/96' }],
        [{ entry: '203.0.113.7/24' }],
        [{ entry: '' }],
        [{ entry: office, label: 'two\nlines' }],
        [{ entry: office, colour: 'green' }],
        [office],
        'everywhere',
        null,
        Array.from({ length: 201 }, (_, index) => ({ entry: `203.0.113.${index % 255}` })),
      ];
      for (const networks of bad)
        await scene.refused(owner, 'updateSecurityPolicy', changing(networks), 'body_invalid');
      const { portalNetworks } = await scene.succeed<SecurityPolicy>(owner, 'getSecurityPolicy');
      assert.deepEqual(portalNetworks, []);
    });

    test('nobody locks themselves out, and the answer names the address that was seen', async () => {
      const atFirst = await stateOf(await scene.database());
      for (const address of [elsewhere, `10.1.2.3, ${elsewhere}`, `::ffff:${elsewhere}`]) {
        const { reason } = await scene.refused(
          owner,
          'updateSecurityPolicy',
          changing(officeOnly, address),
          'own_address_excluded',
        );
        assert.match(reason, /198\.51\.100\.9/);
      }
      const unknown = changing(officeOnly, 'nonsense');
      const { reason } = await scene.refused(owner, 'updateSecurityPolicy', unknown, 'own_address_excluded');
      assert.match(reason, /unknown address/);
      assert.equal(await stateOf(await scene.database()), atFirst);
    });

    test('from elsewhere, every operation is rejected and nothing changes', async () => {
      const things: Things = await makeThings(scene, scene.administrator);
      await save(owner, officeOnly);
      const database = await scene.database();
      const atFirst = await stateOf(database);
      for (const id of inAccount) {
        const call = {
          ...callOf(scene, id, things),
          ...(id === 'streamEvents' && { query: `account=${scene.accountId}` }),
        };
        const { answer, reason } = await scene.refused(
          owner,
          id,
          from(elsewhere, call),
          'portal_network_not_allowed',
        );
        assert.match(reason, /198\.51\.100\.9/);
        assert.equal(answer.json()['sourceAddress'], elsewhere);
      }
      assert.equal(await stateOf(database), atFirst, 'something was changed');
      await scene.succeed(owner, 'listClients', from(office));
      await save(owner, []);
      await scene.succeed(owner, 'listClients', from(elsewhere));
    });

    test('the address is what the trusted proxy saw, however it is spelled', async () => {
      const person = await fenced([...officeOnly, { entry: '::1' }]);
      for (const forged of [`${office}, ${elsewhere}`, `${office},, ${elsewhere}`, 'nonsense', ''])
        await isOut(person, forged);
      for (const spelled of [
        `::ffff:${office}`,
        `[::ffff:${office}]:4711`,
        `${office}:80`,
        `1.2.3.4, ${office}`,
      ])
        await scene.succeed(person, 'listClients', from(spelled));
      // From a peer that is no proxy of ours, the field means nothing.
      const headers = { ...headersOf(person, 'GET'), 'X-Forwarded-For': office };
      const sent = { method: 'GET', url: '/v1/clients', headers, localAddress: '127.0.0.2' };
      const answer: Answer = await scene.running.send(sent);
      assert.equal(answer.json()['code'], 'portal_network_not_allowed');
      assert.equal(answer.json()['sourceAddress'], '127.0.0.2');
    });

    test('it says nothing to people who do not belong to the account', async () => {
      const person = await fenced();
      const { accountId } = person;
      await scene.refused({ ...owner, accountId }, 'listClients', from(elsewhere), 'not_found');
      await scene.refused({ ...owner, accountId }, 'updateSecurityPolicy', changing([]), 'not_found');
    });

    test('a person keeps their other accounts, and sees which one is blocked', async () => {
      const person = await fenced();
      const { accountId } = await scene.addAccount();
      const database = await scene.database();
      await database
        .insertInto('members')
        .values({ account_id: accountId, user_id: person.userId, role: 'viewer', created_at_ms: 0 })
        .execute();
      await isOut(person, elsewhere);
      await scene.succeed({ ...person, accountId }, 'listClients', from(elsewhere));
      const seen = async (address: string): Promise<unknown> =>
        new Map(
          (await stateFrom(person, address)).map(({ accountId: id, blockedAddress, permissions }) => [
            id === accountId ? 'other' : 'fenced',
            [blockedAddress, (permissions as unknown[]).length > 0],
          ]),
        );
      assert.deepEqual(
        await seen(elsewhere),
        new Map([
          ['fenced', [elsewhere, false]],
          ['other', [undefined, true]],
        ]),
      );
      assert.deepEqual(
        await seen(office),
        new Map([
          ['fenced', [undefined, true]],
          ['other', [undefined, true]],
        ]),
      );
    });

    test('a change that waited is rejected if the address is no longer allowed', async () => {
      const person = await fenced();
      const call = {
        headers: { 'X-Forwarded-For': office },
        body: { name: 'late', permissions: ['keys:read'] },
      };
      const begun = await beginRequest(scene, person, 'addRole', call);
      const other = await scene.signIn(person);
      await save(other, [...officeOnly, { entry: elsewhere }]);
      await save(other, [{ entry: elsewhere }], elsewhere);
      const { code } = (await begun.finish()).json();
      assert.equal(code, 'portal_network_not_allowed');
      const roles = await scene.succeed<Data<{ name: string }>>(person, 'listRoles', from(elsewhere));
      assert.equal(
        roles.data.some(({ name }) => name === 'late'),
        false,
      );
    });

    test('clients of the account have their own whitelist, and cannot change the list', async () => {
      const { accountId, ...client } = await scene.addAccount();
      const person = await scene.addPerson({ accountId, role: 'owner' });
      await save(person, officeOnly);
      await scene.succeed(client, 'listClients', from(elsewhere));
      for (const id of ['getSecurityPolicy', 'updateSecurityPolicy'] as const)
        await scene.refused(client, id, changing([], elsewhere), 'permission_denied');
      await isOut(person, elsewhere);
    });

    test('it needs the permission, a fresh proof and the version that was seen, and is audited', async () => {
      const person = await fenced();
      const { accountId } = person;
      const developer = await scene.addPerson({ accountId, role: 'developer' });
      await scene.refused(developer, 'updateSecurityPolicy', changing([]), 'permission_denied');
      const stale = await scene.signIn(person, { provedAtMs: scene.nowMs() - 660_000 });
      await scene.refused(stale, 'updateSecurityPolicy', changing([]), 'step_up_required');
      const { headers } = await scene.call(person, 'getSecurityPolicy', from(office));
      const seen = { 'If-Match': String(headers['etag']) };
      const wider = [...officeOnly, { entry: '::ffff:198.51.100.9', label: '' }];
      const body = { portalNetworks: wider };
      const call = from(office, { headers: seen, body });
      const saved = await scene.succeed<SecurityPolicy>(person, 'updateSecurityPolicy', call);
      const canonical = [...officeOnly, { entry: elsewhere, label: '' }];
      assert.deepEqual(saved.portalNetworks, canonical);
      // The other tab has the earlier version.
      await scene.refused(person, 'updateSecurityPolicy', call, 'precondition_failed');
      const { data } = await scene.succeed<Data<Record<string, unknown>>>(
        person,
        'listAuditEvents',
        from(office, { query: 'action=policy.updated&limit=1' }),
      );
      assert.deepEqual(data[0]!['before'], { portalNetworks: officeOnly });
      assert.deepEqual(data[0]!['after'], { portalNetworks: canonical });
      assert.equal(data[0]!['sourceAddress'], office);
    });

    test('an invitation is accepted from an allowed network alone, and keeps waiting', async () => {
      const person = await fenced();
      const email = `new-${person.userId}@example.test`;
      const { link } = await scene.succeed<Invitation>(
        person,
        'inviteMember',
        from(office, { body: { email, role: 'viewer' } }),
      );
      const token = new URL(link!).hash.slice(1).replace(/^token=/, '');
      const accept = (address: string): Promise<Answer> =>
        scene.running.send({
          method: 'POST',
          url: '/portal/auth/invitation/accept',
          headers: {
            Origin: 'https://api.example.test',
            'Countersign-CSRF': '1',
            'Content-Type': 'application/json',
            'X-Forwarded-For': address,
          },
          body: JSON.stringify({ token, name: 'Lee New', password: 'quiet marble 84 lantern' }),
        });
      const refused = (await accept(elsewhere)).json();
      assert.equal(refused['code'], 'portal_network_not_allowed', JSON.stringify(refused));
      assert.equal(refused['sourceAddress'], elsewhere);
      assert.deepEqual((await accept(office)).json(), { next: 'portal' });
    });

    test('who acts for the account is bound by the networks of the operator, and can empty the list', async () => {
      const { accountId: operating } = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      const operator = await scene.addPerson({ accountId: operating, role: 'operator' });
      const customer = await fenced();
      await save(operator, [{ entry: elsewhere }], elsewhere);
      const acting = { ...operator, accountId: customer.accountId };
      const body = { accountId: customer.accountId, reason: 'The office has another address' };
      await scene.refused(operator, 'startActing', from(office, { body }), 'portal_network_not_allowed');
      await scene.succeed(operator, 'startActing', from(elsewhere, { body }));
      await isOut(acting, office);
      const shown = async (address: string): Promise<unknown> =>
        (await stateFrom(operator, address)).find(({ acting: is }) => is !== undefined)?.['blockedAddress'];
      assert.deepEqual([await shown(office), await shown(elsewhere)], [office, undefined]);
      const { portalNetworks } = await scene.succeed<SecurityPolicy>(
        acting,
        'getSecurityPolicy',
        from(elsewhere),
      );
      assert.deepEqual(portalNetworks, officeOnly);
      await isOut(customer, '192.0.2.1');
      await save(acting, [{ entry: '192.0.2.1' }], elsewhere);
      await scene.succeed(customer, 'listClients', from('192.0.2.1'));
      await save(acting, [], elsewhere);
      await scene.succeed(customer, 'listClients', from('192.0.2.2'));
    });

    test('a second person approves and rejects from an allowed network, and from no other', async () => {
      const ann = await fenced();
      const ben = await scene.addPerson({ accountId: ann.accountId, role: 'owner' });
      const body = { isSecondPersonRequired: true };
      await scene.succeed(ann, 'updateSecurityPolicy', from(office, { headers: { 'If-Match': '*' }, body }));
      const ask = async (): Promise<ManagementCall> => {
        const added = { name: 'Shop', networkWhitelist: [{ entry: '192.0.2.1' }] };
        const call = from(office, { body: added });
        const { clientId } = await scene.succeed<Client>(ann, 'addClient', call);
        const asked = await scene.call(ann, 'revokeClient', from(office, { path: { clientId } }));
        assert.equal(asked.status, 202, asked.text);
        return { path: { pendingChangeId: String(asked.json()['pendingChangeId']) } };
      };
      const approved = await ask();
      const rejected = { ...(await ask()), body: { reason: 'Still in use' } };
      const refused = 'portal_network_not_allowed';
      await scene.refused(ben, 'approvePendingChange', from(elsewhere, approved), refused);
      await scene.refused(ben, 'rejectPendingChange', from(elsewhere, rejected), refused);
      const statusOf = async (id: OperationId, call: ManagementCall): Promise<string> =>
        (await scene.succeed<PendingChange>(ben, id, from(office, call))).status;
      assert.equal(await statusOf('approvePendingChange', approved), 'approved');
      assert.equal(await statusOf('rejectPendingChange', rejected), 'rejected');
    });
  });
}
