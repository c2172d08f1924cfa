import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import { auditActions, type AuditEvent } from '@countersign/contract';
import type { Backend } from '@countersign/testing/backend';
import { backends } from '@countersign/testing/backends';
import { testKey } from '@countersign/testing/test-keys';
import { sql } from 'kysely';
import { type AccountTransition, moveAccount } from '../../src/registry/store/account-states.ts';
import { addAccount, updateAccount } from '../../src/registry/store/accounts.ts';
import { readVersion } from '../../src/registry/store/changes.ts';
import { insertDirectory } from '../../src/registry/store/client-directories.ts';
import { refreshDirectory } from '../../src/registry/store/directory-refresh.ts';
import { archiveClients, archiveExpiredClients, moveClient } from '../../src/registry/store/client-states.ts';
import { readClients } from '../../src/registry/store/client-records.ts';
import { addClient, updateClient } from '../../src/registry/store/clients.ts';
import type { ChangeContext, StoreContext } from '../../src/registry/store/context.ts';
import { markDemoData, removeDemoData } from '../../src/registry/store/demo-data.ts';
import {
  addKey,
  expireKeys,
  extendKey,
  proveKey,
  retireKey,
  revokeKey,
} from '../../src/registry/store/key-changes.ts';
import { changeMember } from '../../src/people/members/members.ts';
import { addNetworkEntry, removeNetworkEntry, setClientNetwork } from '../../src/registry/store/networks.ts';
import { changeClients } from '../../src/registry/store/client-bulk.ts';
import { importClients } from '../../src/registry/store/client-imports.ts';
import { expirePendingChanges } from '../../src/registry/store/pending-changes.ts';
import { addRole, removeRole, updateRole } from '../../src/registry/store/role-changes.ts';
import { updatePolicy } from '../../src/people/members/security-policies.ts';
import { startUpkeep } from '../../src/registry/upkeep.ts';
import type { Database } from '../../src/storage/transaction.ts';
import {
  addChangingPeople,
  askedBy,
  type ChangingPeople,
  peopleChanges,
  peopleSecrets,
  waitAgain,
} from './people-changes.ts';
import { anywhere, type Client, type Data, managementScene, type ManagementScene } from './scene.ts';
import { alertRuleChanges } from './alert-rule-changes.ts';
import { webhookChanges } from './webhook-changes.ts';

const nowMs = 1_790_000_000_000;
const dayMs = 86_400_000;
const context: StoreContext = { nowMs, keyPolicy: {}, actor: { kind: 'operator-cli', id: 'tester' } };
const later = (days: number): StoreContext => ({ ...context, nowMs: nowMs + days * dayMs });

/** Something to change, of every kind. */
interface Changeable {
  readonly database: Database;
  readonly accountId: string;
  readonly clientId: string;
  readonly keyId: string;
  readonly roleId: string;
  readonly people: ChangingPeople;
}

async function changeable(t: TestContext, make: Backend['make']): Promise<Changeable> {
  const { database } = await make(t);
  const { accountId } = await addAccount(database, { name: 'Example account' }, context);
  const client = { accountId, clientId: 'shop', name: 'Shop', network: ['10.0.0.1', '10.0.0.2'], roles: [] };
  const { clientId, keys } = await addClient(
    database,
    { ...client, publicKey: testKey(0).publicKey },
    context,
  );
  const { roleId } = await addRole(
    database,
    accountId,
    { name: 'role', permissions: ['payments:read'] },
    context,
  );
  const people = await addChangingPeople(database, accountId, context);
  return { database, accountId, clientId, keyId: keys[0]!.keyId, roleId, people };
}

type Change = (on: Changeable, context: StoreContext) => Promise<unknown>;

/** Moves the account that the events before have added. */
async function moveOther(
  { database, accountId: operatorAccountId }: Changeable,
  transition: AccountTransition,
  at: StoreContext,
): Promise<unknown> {
  const { account_id: accountId } = await database
    .selectFrom('accounts')
    .select('account_id')
    .where('name', '=', 'Other')
    .executeTakeFirstOrThrow();
  const move = { accountId, transition, reason: 'A test of states', operatorAccountId };
  return moveAccount(database, move, at);
}

/** How each action comes about, one by one in this order. */
const changes: readonly (readonly [AuditEvent['action'], Change, number?])[] = [
  ...peopleChanges.map(([action, change]): readonly [AuditEvent['action'], Change] => [
    action,
    ({ people }, at) => change(people, at),
  ]),
  [
    'pending_change.expired',
    async ({ database }, at) => {
      await waitAgain(database);
      return expirePendingChanges(database, 10, at);
    },
    8,
  ],
  ...webhookChanges,
  ...alertRuleChanges,
  ['account.added', ({ database }, at) => addAccount(database, { name: 'Other' }, at)],
  ['account.updated', (on, at) => updateAccount(on.database, on.accountId, { keyAgeDaysMax: 1000 }, at)],
  ['account.suspended', (on, at) => moveOther(on, 'suspend', at)],
  ['account.resumed', (on, at) => moveOther(on, 'resume', at)],
  ['account.closed', (on, at) => moveOther(on, 'close', at)],
  [
    'role.added',
    (on, at) => addRole(on.database, on.accountId, { name: 'new', permissions: ['payments:read'] }, at),
  ],
  ['role.updated', (on, at) => updateRole(on.database, on.roleId, { summary: 'Summary' }, at)],
  ['role.removed', (on, at) => removeRole(on.database, on.roleId, at)],
  [
    'client.added',
    (on, at) =>
      addClient(on.database, { accountId: on.accountId, name: 'New', network: ['0.0.0.0'], roles: [] }, at),
  ],
  ['client.updated', (on, at) => updateClient(on.database, on.clientId, { name: 'Renamed' }, at)],
  [
    'clients.changed',
    (on, at) =>
      changeClients(
        on.database,
        on.accountId,
        [{ clientId: on.clientId }],
        { action: 'add_tags', tags: ['eu'] },
        at,
      ),
  ],
  [
    'clients.imported',
    (on, at) =>
      importClients(on.database, on.accountId, [{ name: 'New', network: ['0.0.0.0'], roles: [] }], at),
  ],
  ['network.added', (on, at) => addNetworkEntry(on.database, on.clientId, '10.0.0.3', at)],
  ['network.removed', (on, at) => removeNetworkEntry(on.database, on.clientId, '10.0.0.1', at)],
  ['network.replaced', (on, at) => setClientNetwork(on.database, on.clientId, ['10.0.0.9'], at)],
  ['key.activated', (on, at) => proveKey(on.database, on.clientId, on.keyId, at)],
  ['key.added', (on, at) => addKey(on.database, on.clientId, { publicKey: testKey(1).publicKey }, at)],
  ['key.retiring', (on, at) => retireKey(on.database, on.clientId, on.keyId, {}, at)],
  ['key.extended', (on, at) => extendKey(on.database, on.clientId, on.keyId, at.nowMs + 5 * dayMs, at)],
  ['key.expired', (on, at) => expireKeys(on.database, 10, at), 6],
  ['key.revoked', (on, at) => revokeKey(on.database, on.clientId, on.keyId, { reason: 'superseded' }, at), 6],
  [
    'client.directory_refreshed',
    async ({ database, accountId, clientId }, at) => {
      const directory = { form: 'key-set', url: 'https://agent.example/keys' } as const;
      await database.deleteFrom('client_directories').execute();
      await insertDirectory(database, { clientId, accountId }, directory, at.nowMs);
      return refreshDirectory(database, clientId, at);
    },
    6,
  ],
  ['client.disabled', (on, at) => moveClient(on.database, on.clientId, 'disable', at), 6],
  ['client.enabled', (on, at) => moveClient(on.database, on.clientId, 'enable', at), 6],
  ['client.revoked', (on, at) => moveClient(on.database, on.clientId, 'revoke', at), 6],
  ['client.restored', (on, at) => moveClient(on.database, on.clientId, 'restore', at), 7],
  [
    'demo_data.removed',
    async ({ database, accountId }, at) => {
      const client = { accountId, name: 'Made up', network: ['192.0.2.1'], roles: [] };
      await markDemoData(database, accountId, (transaction) => addClient(transaction, client, at));
      return removeDemoData(database, accountId, at);
    },
    7,
  ],
  [
    'client.archived',
    async (on, at) => {
      await moveClient(on.database, on.clientId, 'revoke', later(7));
      return archiveClients(on.database, 10, at);
    },
    14,
  ],
  [
    'client.expired',
    async ({ database, accountId }, at) => {
      const client = { accountId, name: 'Temporary', network: ['192.0.2.1'], roles: [] };
      await addClient(database, { ...client, expiresAtMs: at.nowMs + 1 }, at);
      return archiveExpiredClients(database, 10, { ...at, nowMs: at.nowMs + 1 });
    },
    14,
  ],
];

const tables = [
  'accounts',
  'roles',
  'role_permissions',
  'clients',
  'client_keys',
  'network_entries',
  'client_roles',
  'persons',
  'person_credentials',
  'members',
  'invitations',
  'security_policies',
  'acting_sessions',
  'registry_version',
  'registry_changes',
] as const;

async function everything(database: Database): Promise<Record<string, unknown>> {
  const state: Record<string, unknown> = {};
  for (const table of tables) {
    const { rows } = await sql`select * from ${sql.table(table)} order by 1, 2`.execute(database);
    state[table] = rows;
  }
  return state;
}

async function lastEvent(
  database: Database,
): Promise<{ action: string; version: number; happened_at_ms: number } | undefined> {
  return database.selectFrom('audit_events').selectAll().orderBy('version', 'desc').executeTakeFirst();
}

/** What an event is about where its action is not named after it. */
const targetTypes: Readonly<Record<string, string>> = {
  network: 'client',
  policy: 'account',
  demo_data: 'account',
  clients: 'account',
  acting: 'account',
  'member.invited': 'invitation',
};
const actionsOfPeople: ReadonlySet<string> = new Set(peopleChanges.map(([action]) => action));

test('every action is tried below', () => {
  assert.deepEqual(changes.map(([action]) => action).toSorted(), auditActions.toSorted());
});

for (const { name, skip, make } of backends) {
  describe(`change and audit event are one on ${name}`, { skip }, () => {
    test('when the event cannot be written, nothing is changed; when it can, both are there', async (t) => {
      const on = await changeable(t, make);
      const { database } = on;
      for (const [action, change, days = 0] of changes) {
        if (action === 'client.archived') await moveClient(database, on.clientId, 'revoke', later(7));
        const earlier = await everything(database);
        await sql`alter table audit_events rename to away`.execute(database);
        await assert.rejects(
          change(on, later(days)),
          (error) => !/illegal|assert/i.test(String(error)),
          action,
        );
        assert.deepEqual(await everything(database), earlier, action);
        await sql`alter table away rename to audit_events`.execute(database);
        await change(on, later(days));
        assert.notDeepEqual(await everything(database), earlier, action);
        const event = await lastEvent(database);
        assert.deepEqual([event?.action, event?.version], [action, await readVersion(database)]);
      }
    });

    test('no event has key material, and each has what it needs', async (t) => {
      const on = await changeable(t, make);
      const { owner, operator } = on.people;
      for (const [, change, days = 0] of changes) await change(on, later(days));
      const rows = await on.database.selectFrom('audit_events').selectAll().orderBy('version').execute();
      assert.ok(rows.length >= changes.length);
      assert.equal(new Set(rows.map((row) => row.event_id)).size, rows.length);
      for (const row of rows) {
        const text = JSON.stringify(row);
        // A fingerprint may have any letters.
        assert.doesNotMatch(text.replaceAll(/SHA256:[\w+/]{43}/g, ''), /BEGIN|MIIB|spki|argon2/i);
        for (const secret of Object.values(peopleSecrets)) assert.ok(!text.includes(secret), row.action);
        assert.ok(row.before !== null || row.after !== null, row.action);
        const [target] = JSON.parse(row.targets) as { type: string; id: string }[];
        const [kind = ''] = row.action.split('.');
        assert.equal(target?.type, targetTypes[row.action] ?? targetTypes[kind] ?? kind);
        if (actionsOfPeople.has(row.action)) {
          const { userId } = kind === 'acting' ? operator : owner;
          const actorId = row.action === 'member.joined' ? target?.id : userId;
          assert.deepEqual([row.actor_kind, row.actor_id], ['person', actorId]);
          assert.equal(row.acting_reason, kind === 'acting' ? 'Ticket 17' : null);
        } else assert.deepEqual([row.actor_kind, row.actor_id], ['operator-cli', 'tester']);
        if (row.action.startsWith('key.'))
          assert.match(row.after ?? '', /SHA256:|"status":"expired"/, row.action);
      }
    });

    test('what changes nothing is no event', async (t) => {
      const on = await changeable(t, make);
      const count = async (): Promise<number> =>
        (await on.database.selectFrom('audit_events').select('version').execute()).length;
      await moveClient(on.database, on.clientId, 'disable', context);
      const earlier = await count();
      const nothing: readonly ((at: ChangeContext) => Promise<unknown>)[] = [
        (at) => moveClient(on.database, on.clientId, 'disable', at),
        (at) => updateClient(on.database, on.clientId, { name: 'Shop', roles: [] }, at),
        (at) => setClientNetwork(on.database, on.clientId, ['10.0.0.2', '10.0.0.1'], at),
        (at) => updateRole(on.database, on.roleId, { name: 'role', permissions: ['payments:read'] }, at),
        (at) => updateAccount(on.database, on.accountId, { name: 'Example account' }, at),
        (at) => changeMember(on.database, on.people.viewer.userId, 'viewer', askedBy(on.people.owner, at)),
        (at) => updatePolicy(on.database, { sessionHoursMax: null }, askedBy(on.people.owner, at)),
        (at) => expireKeys(on.database, 10, at),
        (at) => archiveClients(on.database, 10, at),
      ];
      for (const run of nothing) await run(context);
      assert.equal(await count(), earlier);
    });

    test('many writers at once leave a version for each event, without gaps', async (t) => {
      const { open, database } = await make(t);
      const { accountId } = await addAccount(database, { name: 'Example account' }, context);
      // They wait for each other, on a busy machine for longer than a request would.
      const patience = { poolMax: 5, connectTimeoutMs: 20_000 };
      const connections = [await open(patience), await open(patience), await open(patience)];
      await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          addClient(
            connections[index % 3]!,
            { accountId, clientId: `c${index}`, name: 'Shop', network: ['0.0.0.0'], roles: [] },
            context,
          ),
        ),
      );
      const rows = await database.selectFrom('audit_events').select('version').orderBy('version').execute();
      assert.deepEqual(
        rows.map((row) => row.version),
        Array.from({ length: 61 }, (_, index) => index + 1),
      );
    });

    test('the upkeep writes down what time has done, once', async (t) => {
      const on = await changeable(t, make);
      await retireKey(on.database, on.clientId, on.keyId, {}, context);
      await moveClient(on.database, on.clientId, 'revoke', later(4));
      const { clientId } = await addClient(
        on.database,
        {
          accountId: on.accountId,
          name: 'Ending',
          network: ['0.0.0.0'],
          roles: ['auditor'],
          publicKey: testKey(2).publicKey,
        },
        context,
      );
      const { keys } = await addKey(
        on.database,
        clientId,
        { publicKey: testKey(3).publicKey, endsAtMs: nowMs + dayMs },
        context,
      );
      let clock = nowMs;
      let followed = 0;
      const upkeep = startUpkeep({
        database: on.database,
        nowMs: () => clock,
        followChange: async () => void (followed += 1),
        onError: (error) => assert.fail(String(error)),
      });
      t.after(() => upkeep.close());
      const run = async (days: number): Promise<string[]> => {
        clock = nowMs + days * dayMs;
        const earlier = await readVersion(on.database);
        await Promise.all([upkeep.run(), upkeep.run()]);
        const rows = await on.database
          .selectFrom('audit_events')
          .selectAll()
          .where('version', '>', earlier)
          .orderBy('version')
          .execute();
        return rows.map((row) => `${row.actor_kind} ${row.actor_id} ${row.action} ${row.client_id}`);
      };
      assert.deepEqual(await run(0.5), []);
      assert.deepEqual(await run(1), [`system upkeep key.expired ${clientId}`]);
      assert.equal(keys.length, 2);
      assert.deepEqual(await run(10.9), []);
      assert.deepEqual(await run(11), ['system upkeep client.archived shop']);
      const temporary = await addClient(
        on.database,
        {
          accountId: on.accountId,
          name: 'Temporary',
          network: ['0.0.0.0'],
          roles: ['auditor'],
          publicKey: testKey(4).publicKey,
          expiresAtMs: nowMs + 12 * dayMs,
        },
        later(11),
      );
      assert.deepEqual(await run(11.9), []);
      // One event for the client and its key.
      assert.deepEqual(await run(12), [`system upkeep client.expired ${temporary.clientId}`]);
      const [ended] = await readClients(on.database, [temporary.clientId]);
      assert.deepEqual(
        [ended?.status, ended?.roles, ended?.network, ended?.keys.map(({ status }) => status)],
        ['archived', [], [], ['expired']],
      );
      assert.deepEqual(await run(100), []);
      assert.equal(followed, 3);
      const left = await on.database.selectFrom('network_entries').select('client_id').execute();
      assert.deepEqual([...new Set(left.map((row) => row.client_id))], [clientId]);
    });
  });

  describe(`audit events through the API on ${name}`, { skip }, () => {
    let scene: ManagementScene;
    let clientId = '';
    before(async () => {
      scene = await managementScene(backends.find((backend) => backend.name === name)!);
      const body = { name: '=cmd|"calc"!A1', networkWhitelist: anywhere };
      ({ clientId } = await scene.succeed<Client>(scene.administrator, 'addClient', { body }));
      await scene.succeed(scene.administrator, 'disableClient', { path: { clientId } });
      await scene.succeed(scene.administrator, 'enableClient', { path: { clientId } });
    });
    after(() => scene.close());

    const list = (query: string): Promise<Data<AuditEvent>> =>
      scene.succeed<Data<AuditEvent>>(scene.administrator, 'listAuditEvents', { query });

    test('each says who, what, before, after, from where and in which request', async () => {
      const answer = await scene.call(scene.administrator, 'disableClient', { path: { clientId } });
      const { data } = await list('limit=1');
      const event = data[0]!;
      assert.deepEqual(event.actor, { kind: 'client', id: scene.administrator.clientId });
      assert.deepEqual(event.targets, [{ type: 'client', id: clientId }]);
      assert.deepEqual(
        [event.action, event.before, event.after],
        ['client.disabled', { status: 'active' }, { status: 'disabled' }],
      );
      assert.deepEqual([event.sourceAddress, event.requestId], ['127.0.0.1', answer.headers['request-id']]);
      assert.deepEqual(
        await scene.succeed(scene.administrator, 'getAuditEvent', { path: { eventId: event.eventId } }),
        event,
      );
      for (const eventId of ['event_x', `event_${'0'.repeat(26)}`])
        await scene.refused(scene.administrator, 'getAuditEvent', { path: { eventId } }, 'not_found');
      await scene.succeed(scene.administrator, 'enableClient', { path: { clientId } });
    });

    test('a change on the machine names the operator of the machine', async () => {
      await scene.change((registry) => registry.disableClient(clientId));
      await scene.change((registry) => registry.enableClient(clientId));
      const { data } = await list('limit=2');
      assert.deepEqual(
        data.map(({ actor }) => actor.kind),
        ['operator-cli', 'operator-cli'],
      );
      assert.equal(data[0]?.requestId, undefined);
    });

    test('filters and pages', async () => {
      const all = await list('limit=100');
      const own = await list(`clientId=${clientId}`);
      assert.ok(own.data.length < all.data.length);
      assert.ok(own.data.every(({ targets }) => targets.some(({ id }) => id === clientId)));
      const disabled = await list('action=client.disabled');
      assert.ok(
        disabled.data.length > 0 && disabled.data.every(({ action }) => action === 'client.disabled'),
      );
      const ofClients = await list('action=client&limit=100');
      assert.deepEqual(
        ofClients.data,
        all.data.filter(({ action }) => action.startsWith('client.')),
      );
      const ofMembers = await list('action=member&limit=100');
      assert.deepEqual(
        ofMembers.data,
        all.data.filter(({ action }) => /^(?:member|invitation)\./.test(action)),
      );
      const byActor = await list(`actorId=${scene.administrator.clientId}`);
      assert.ok(
        byActor.data.length > 0 &&
          byActor.data.every(({ actor }) => actor.id === scene.administrator.clientId),
      );
      const middle = all.data[1]!.happenedAt;
      const since = await list(`from=${encodeURIComponent(middle)}`);
      const until = await list(`to=${encodeURIComponent(middle)}&limit=100`);
      assert.equal(since.data.length + until.data.length, all.data.length);
      const seen: AuditEvent[] = [];
      let cursor = '';
      do {
        const page = await list(`limit=3${cursor && `&cursor=${cursor}`}`);
        seen.push(...page.data);
        cursor = page.nextCursor ?? '';
      } while (cursor !== '');
      assert.deepEqual(seen, all.data);
      const wrong: [string, 'query_invalid' | 'cursor_invalid'][] = [
        ['action=client.exploded', 'query_invalid'],
        ['action=invitation', 'query_invalid'],
        ['from=yesterday', 'query_invalid'],
        ['from=2026-02-30T00:00:00Z', 'query_invalid'],
        ['format=xml', 'query_invalid'],
        ['limit=101', 'query_invalid'],
        ['format=csv&limit=10001', 'query_invalid'],
        ['cursor=MTpldmVudA', 'cursor_invalid'],
      ];
      for (const [query, code] of wrong)
        await scene.refused(scene.administrator, 'listAuditEvents', { query }, code);
    });

    test('the same slice in every format, and no spreadsheet takes a name for a formula', async () => {
      const page = await list('limit=5');
      const ndjson = await scene.call(scene.administrator, 'listAuditEvents', {
        query: 'limit=5&format=ndjson',
      });
      assert.equal(ndjson.headers['content-type'], 'application/x-ndjson');
      assert.equal(ndjson.headers['next-cursor'], page.nextCursor);
      const lines = ndjson.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as AuditEvent);
      assert.deepEqual(lines, page.data);
      const csv = await scene.call(scene.administrator, 'listAuditEvents', { query: 'limit=5&format=csv' });
      assert.match(String(csv.headers['content-type']), /^text\/csv; charset=utf-8/);
      assert.equal(csv.headers['next-cursor'], page.nextCursor);
      const rows = csv.text.split('\r\n');
      assert.equal(
        rows[0],
        'eventId,happenedAt,accountId,actorKind,actorId,actorName,actingReason,action,targets,before,after,sourceAddress,requestId',
      );
      assert.deepEqual(
        rows.slice(1, 6).map((row) => row.split(',')[0]),
        page.data.map(({ eventId }) => eventId),
      );
      const whole = await scene.call(scene.administrator, 'listAuditEvents', {
        query: 'limit=10000&format=csv',
      });
      assert.equal(whole.headers['next-cursor'], undefined);
      assert.doesNotMatch(whole.text, /(^|,|\n)"?[=+@-]/);
      assert.ok(whole.text.includes('=cmd|'));
    });

    test('very large events come in several pages, however many are asked for', async () => {
      const label = '\u{1F511}'.repeat(100);
      for (let round = 0; round < 6; round += 1) {
        const entries = Array.from({ length: 1000 }, (_, index) => ({
          entry: `10.${round}.${index >> 8}.${index & 255}`,
          label,
        }));
        await scene.succeed(scene.administrator, 'replaceNetworkWhitelist', {
          path: { clientId },
          body: { entries },
          headers: { 'If-Match': '*' },
        });
      }
      const query = 'action=network.replaced&format=ndjson&limit=10000';
      let lines = 0;
      let pages = 0;
      let cursor: string | undefined;
      do {
        const page = await scene.call(scene.administrator, 'listAuditEvents', {
          query: `${query}${cursor === undefined ? '' : `&cursor=${cursor}`}`,
        });
        assert.equal(page.status, 200, page.text.slice(0, 200));
        assert.ok(Buffer.byteLength(page.text) < 5_000_000, String(Buffer.byteLength(page.text)));
        lines += page.text.trimEnd().split('\n').length;
        pages += 1;
        cursor = page.headers['next-cursor'] as string | undefined;
      } while (cursor !== undefined);
      assert.equal(lines, 6);
      assert.ok(pages > 1);
    });
  });
}
