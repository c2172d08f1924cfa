import {
  type Invitation,
  newId,
  type OperationId,
  operations,
  operationSchemas,
  type PendingChange,
  pendingChangeLimits,
  type ProblemCode,
  type Webhook,
  type WebhookDelivery,
} from '@countersign/contract';
import type { Backend } from '@countersign/testing/backend';
import type { Answer } from '@countersign/testing/running-service';
import { lonePublicKey, testKey } from '@countersign/testing/test-keys';
import { waitFor } from '@countersign/testing/wait-until';
import type { Database } from '../../src/storage/transaction.ts';
import { explainedRequest } from './failed-request.ts';
import { goodCalls, newClient, newRole, onAlertRule, onInvitation, onWebhook } from './good-calls.ts';
import { guardedCalls, onPendingChange, whileRequired } from './guarded-calls.ts';
import { beginRequest } from './slow-request.ts';
import {
  anywhere,
  type Caller,
  type Data,
  type Key,
  type ManagementCall,
  type Person,
  managementScene,
  type ManagementScene,
  type SceneOptions,
} from './scene.ts';

/** A scene with everybody and everything that is needed to get any answer of the management API. */
export interface Play {
  readonly scene: ManagementScene;
  /** May call every operation. */
  readonly operator: Caller & { readonly accountId: string };
  /** May do everything in the operator's account, and is the only one there who leads it. */
  readonly person: Person;
  /** The same person, who signed in long ago. */
  readonly stale: Person;
  /** Has no second factor, in an account that demands one. */
  readonly unready: Person;
  /** Has one in that account, and has signed in before it got that. */
  readonly halfway: Person;
  /** Belongs to an account that allows other networks. */
  readonly outside: Person;
  /** Has no role. */
  readonly nobody: Caller;
  /** May manage clients, keys and roles, but not make payments. */
  readonly manager: Caller;
  /** May make payments. */
  readonly payerId: string;
  readonly revokedPayerId: string;
  /** Has a key, and is revoked. */
  readonly revoked: { readonly clientId: string; readonly keyId: string };
  /** The public key of a client. */
  readonly knownKey: string;
  readonly requestId: string;
  /** A request that was rejected, and is explained. */
  readonly explainedRequestId: string;
  readonly eventId: string;
  /** A public key that no client has. */
  readonly spareKey: () => string;
  /** A name that nothing else has. */
  readonly newName: () => string;
  readonly inDays: (days: number) => string;
}

/** Sets the scene. Close it when done. */
export async function openPlay(backend: Backend, options: SceneOptions): Promise<Play> {
  // Directories are made up here, so they are not fetched.
  const overrides = { directoriesEveryMs: 2 ** 31 - 1, ...options.overrides };
  const scene = await managementScene(backend, { ...options, overrides });
  const operator = await scene.addAccount({ isOperator: true, roles: ['operator'] });
  const permissions = [
    'clients:read',
    'clients:write',
    'keys:read',
    'keys:write',
    'roles:write',
    'roles:read',
    'webhooks:write',
  ];
  const body = { name: 'manager', permissions: [...permissions, 'payments:read'] };
  await scene.succeed(operator, 'addRole', { body });
  const by = operator;
  const manager = await scene.addCaller(['manager'], { by });
  const nobody = await scene.addCaller([], { by });
  const { accountId } = operator;
  const person = await scene.addPerson({ accountId, role: 'operator', hasSecondFactor: true });
  const provedAtMs = scene.nowMs() - 11 * 60_000;
  const stale = await scene.signIn(person, { hasSecondFactor: true, provedAtMs });
  const { accountId: strict } = await scene.addAccount();
  const unready = await scene.addPerson({ accountId: strict, role: 'owner' });
  const later = await scene.addPerson({ accountId: strict, role: 'owner', hasSecondFactor: true });
  const halfway = await scene.signIn(later, { hasSecondFactor: false });
  const database = await scene.database();
  await database
    .insertInto('security_policies')
    .values({ account_id: strict, is_second_factor_required: 1, session_hours_max: null })
    .execute();
  const { accountId: fenced } = await scene.addAccount();
  const outside = await scene.addPerson({ accountId: fenced, role: 'owner' });
  const portalNetworks = JSON.stringify([{ entry: '203.0.113.0/24', label: 'Office' }]);
  await database
    .insertInto('security_policies')
    .values({
      account_id: fenced,
      is_second_factor_required: 0,
      session_hours_max: null,
      portal_networks: portalNetworks,
    })
    .execute();
  let names = 0;
  const base = {
    scene,
    operator,
    person,
    stale,
    unready,
    halfway,
    outside,
    manager,
    nobody,
    spareKey: lonePublicKey,
    newName: () => `name-${++names}`,
    inDays: (days: number) => new Date(scene.nowMs() + days * 86_400_000).toISOString(),
  };
  const play = {
    ...base,
    payerId: '',
    revokedPayerId: '',
    knownKey: '',
    requestId: '',
    explainedRequestId: '',
    eventId: '',
  } as Play;
  const payers = [1, 2].map(() => newClient(play, { roles: ['payments-operator'] }));
  const [payer, revokedPayer] = await Promise.all(payers);
  await revoke(play, revokedPayer!.clientId);
  const knownKey = lonePublicKey();
  const { clientId, keys } = await newClient(play, { publicKey: knownKey });
  await revoke(play, clientId);
  const events = await scene.succeed<Data<{ eventId: string }>>(operator, 'listAuditEvents');
  return {
    ...base,
    payerId: payer!.clientId,
    revokedPayerId: revokedPayer!.clientId,
    revoked: { clientId, keyId: keys[0]!.keyId },
    knownKey,
    requestId: await someRequest(scene, operator),
    explainedRequestId: await explainedRequest(scene, operator),
    eventId: events.data[0]!.eventId,
  };
}

/** How an operation is made to answer with a code; fails when nothing here provokes it. */
export function provocationOf(id: OperationId, code: ProblemCode): (play: Play) => Promise<Answer> {
  const own = ofOperations[code]?.[id];
  if (own !== undefined) {
    return async (play) => {
      const { by = callerOf(play, id), ...call } = await own(play);
      return play.scene.call(by, id, call);
    };
  }
  const general = ofAll[code];
  if (general === undefined) throw new Error(`nothing here makes ${id} answer ${code}`);
  return async (play) => general(play, id, await goodCalls[id]!(play));
}

/** Who may call an operation. */
export function callerOf({ operator, person }: Play, id: OperationId): Caller | Person {
  return operations[id].callers === 'people' ? person : operator;
}

/** What is provoked in the same way whatever the operation is, from a call that would succeed. */
const ofAll: Partial<
  Record<ProblemCode, (play: Play, id: OperationId, call: ManagementCall) => Promise<Answer>>
> = {
  permission_denied: ({ scene, nobody }, id, call) => scene.call(nobody, id, call),
  not_found: (play, id, call) => {
    const { scene, operator, person } = play;
    const unknown = (text: string): string => text.replace(/.{20}$/, '0'.repeat(20));
    if (operationSchemas[id].query?.['accountId'])
      return scene.call(operator, id, { ...call, query: `accountId=${unknown(operator.accountId)}` });
    if (id === 'streamEvents')
      return scene.call(person, id, { query: `account=${unknown(person.accountId)}` });
    if (!operations[id].path.includes('{'))
      return scene.call({ ...person, accountId: unknown(person.accountId) }, id, call);
    const path = Object.entries(call.path ?? {}).map(([name, value]) => [name, unknown(value)]);
    const named = { ...call, path: Object.fromEntries(path) as Record<string, string> };
    return scene.call(callerOf(play, id), id, named);
  },
  session_required: ({ scene, person }, id, call) =>
    scene.call({ ...person, cookie: person.cookie.replace(/.{20}$/, 'A'.repeat(20)) }, id, call),
  cross_site_request: ({ scene, person }, id, call) =>
    scene.call(person, id, { ...call, headers: { ...call.headers, 'Sec-Fetch-Site': 'cross-site' } }),
  portal_network_not_allowed: ({ scene, outside }, id, call) =>
    scene.call(outside, id, id === 'streamEvents' ? { query: `account=${outside.accountId}` } : call),
  second_factor_required: ({ scene, unready }, id, call) =>
    scene.call(unready, id, id === 'streamEvents' ? { query: `account=${unready.accountId}` } : call),
  step_up_required: ({ scene, stale, halfway }, id, call) =>
    operations[id].needsStepUp === true
      ? scene.call(stale, id, call)
      : scene.call(halfway, id, id === 'streamEvents' ? { query: `account=${halfway.accountId}` } : call),
  second_person_required: (play, id) =>
    whileRequired(play, async () => play.scene.call(play.operator, id, await guardedCalls[id]!(play))),
  pending_changes_too_many: (play, id) =>
    whileRequired(play, async () => {
      const call = await guardedCalls[id]!(play);
      const database = await play.scene.database();
      await fillPendingChanges(database, play);
      const answer = await play.scene.call(play.person, id, call);
      await database.deleteFrom('pending_changes').execute();
      return answer;
    }),
  content_type_unsupported: (play, id, call) =>
    play.scene.call(callerOf(play, id), id, {
      body: {},
      ...call,
      headers: { ...call.headers, 'Content-Type': 'text/plain' },
    }),
  body_invalid: (play, id, call) =>
    play.scene.call(callerOf(play, id), id, {
      ...call,
      body: operationSchemas[id].body ? { colour: 'green' } : {},
    }),
  query_invalid: (play, id, call) =>
    play.scene.call(callerOf(play, id), id, {
      ...call,
      query: [call.query, 'colour=green'].filter((part) => part !== undefined).join('&'),
    }),
  cursor_invalid: (play, id, call) => play.scene.call(callerOf(play, id), id, { ...call, query: 'cursor=x' }),
  private_key_refused: (play, id, call) =>
    play.scene.call(callerOf(play, id), id, { ...call, body: { name: testKey(0).privateKey } }),
  precondition_required: (play, id, call) =>
    play.scene.call(callerOf(play, id), id, { ...call, headers: {} }),
  precondition_failed: (play, id, call) =>
    play.scene.call(callerOf(play, id), id, { ...call, headers: { 'If-Match': '"0"' } }),
  idempotency_key_malformed: (play, id, call) =>
    play.scene.call(callerOf(play, id), id, { ...call, headers: { 'Idempotency-Key': 'a b' } }),
  idempotency_key_reused: async (play, id, call) => {
    const headers = { 'Idempotency-Key': `reused-${id}` };
    await play.scene.succeed(callerOf(play, id), id, { ...call, headers });
    return play.scene.call(callerOf(play, id), id, {
      ...call,
      headers,
      body: `${JSON.stringify(call.body)} `,
    });
  },
  idempotency_key_in_use: async (play, id, call) => {
    const options = { ...call, headers: { 'Idempotency-Key': `in-use-${id}` } };
    let both: Promise<Answer>[] = [];
    let first: Answer | undefined;
    const by = callerOf(play, id);
    if (!('signer' in by)) {
      // The sessions are looked up before the lock is taken: SQLite looks at one thing at a time.
      const begun = await Promise.all([1, 2].map(() => beginRequest(play.scene, by, id, options)));
      await play.scene.whileLocked(async () => {
        both = begun.map((one) => one.finish());
        first = await Promise.race(both);
      });
      await Promise.all(both);
      return first!;
    }
    await play.scene.whileLocked(async () => {
      // The first one waits for the lock; the other one gets its response at once.
      both = [
        play.scene.call(callerOf(play, id), id, options),
        play.scene.call(callerOf(play, id), id, options),
      ];
      first = await Promise.race(both);
    });
    await Promise.all(both);
    return first!;
  },
};

type Provocation = (play: Play) => Promise<ManagementCall & { readonly by?: Caller | Person }>;

const any = { 'If-Match': '*' };
const more = ['payments:read', 'payments:write'];
const onRevoked =
  (rest: (play: Play) => ManagementCall = () => ({})): Provocation =>
  async (play) => ({ path: { clientId: play.revoked.clientId }, ...rest(play) });
const asManager =
  (rest: (play: Play) => ManagementCall = () => ({})): Provocation =>
  async (play) => ({ by: play.manager, path: { clientId: play.payerId }, ...rest(play) });

/** Returns a person who manages members and roles, and may do nothing else. */
async function leadOf({ scene, person, newName }: Play): Promise<Person> {
  const permissions = ['members:read', 'members:write', 'roles:read', 'roles:write'];
  const body = { name: newName(), holders: 'members', permissions };
  const { roleId } = await scene.succeed<{ roleId: string }>(person, 'addRole', { body });
  return scene.addPerson({ accountId: person.accountId, role: roleId });
}

async function onViewer(play: Play): Promise<ManagementCall & { readonly by: Person }> {
  const { accountId } = play.person;
  const { userId } = await play.scene.addPerson({ accountId, role: 'viewer' });
  return { by: await leadOf(play), path: { userId } };
}

/** The operator's own account is always active. */
const onOwnAccount: Provocation = async ({ operator: { accountId } }) => ({
  path: { accountId },
  body: { reason: 'The account of the operator' },
});

/** What only some operations can answer, each in its own way. */
const ofOperations: Partial<Record<ProblemCode, Partial<Record<OperationId, Provocation>>>> = {
  permission_not_held: {
    addClient: async ({ manager }) => ({
      by: manager,
      body: { name: 'Client', networkWhitelist: anywhere, roles: ['payments-operator'] },
    }),
    updateClient: asManager(() => ({ headers: any, body: { acceptWithoutDate: true } })),
    enableClient: asManager(),
    restoreClient: asManager(({ revokedPayerId }) => ({ path: { clientId: revokedPayerId } })),
    addNetworkEntry: asManager(() => ({ body: { entry: '10.0.0.1' } })),
    replaceNetworkWhitelist: asManager(() => ({ headers: any, body: { entries: anywhere } })),
    addKey: asManager(({ spareKey }) => ({ body: { publicKey: spareKey() } })),
    extendKey: async (play) => {
      const path = { clientId: play.payerId };
      const body = { publicKey: play.spareKey() };
      const { keyId } = await play.scene.succeed<Key>(play.operator, 'addKey', { path, body });
      return { by: play.manager, path: { ...path, keyId }, body: { endsAt: play.inDays(10) } };
    },
    addRole: async ({ manager, newName }) => ({ by: manager, body: { name: newName(), permissions: more } }),
    addWebhook: async ({ manager }) => ({
      by: manager,
      body: { url: 'https://hooks.example.com/', eventTypes: ['client.added'] },
    }),
    addWebhookListener: async ({ manager }) => ({ by: manager, body: { eventTypes: ['client.added'] } }),
    pullWebhookEvents: async (play) => {
      const { listenerId } = await play.scene.succeed<{ listenerId: string }>(
        play.operator,
        'addWebhookListener',
        { body: { eventTypes: ['client.added'] } },
      );
      return { by: play.manager, path: { listenerId } };
    },
    updateWebhook: async (play) => ({
      by: play.manager,
      ...(await onWebhook(play)),
      headers: any,
      body: { url: 'https://other.example.com/' },
    }),
    recoverWebhook: async (play) => {
      const { path } = await onWebhook(play);
      await newClient(play);
      const database = await play.scene.database();
      await database
        .updateTable('webhook_deliveries')
        .set({ state: 'delivered', next_attempt_at_ms: null })
        .execute();
      return { by: play.manager, path, body: { since: play.inDays(-1), include: 'all' } };
    },
    resendWebhookDelivery: async (play) => {
      const { path } = await onWebhook(play);
      await newClient(play);
      const { data } = await play.scene.succeed<Data<WebhookDelivery>>(
        play.operator,
        'listWebhookDeliveries',
        { path, query: 'eventType=client.added' },
      );
      return { by: play.manager, path: { ...path, deliveryId: data[0]?.deliveryId ?? '' } };
    },
    updateRole: async (play) => ({
      by: play.manager,
      path: { roleId: (await newRole(play)).roleId },
      headers: any,
      body: { permissions: more },
    }),
    removeRole: async (play) => {
      const body = { name: play.newName(), holders: 'members', permissions: ['payments:read'] };
      const { roleId } = await play.scene.succeed<{ roleId: string }>(play.person, 'addRole', { body });
      return { by: await leadOf(play), path: { roleId }, headers: any };
    },
    changeMember: async (play) => ({ ...(await onViewer(play)), body: { role: 'account-manager' } }),
    removeMember: onViewer,
    inviteMember: async (play) => ({
      by: await leadOf(play),
      body: { email: 'lead@example.com', role: 'viewer' },
    }),
    resendInvitation: async (play) => ({ by: await leadOf(play), ...(await onInvitation(play)) }),
  },
  own_address_excluded: {
    updateSecurityPolicy: async () => ({
      headers: any,
      body: { portalNetworks: [{ entry: '203.0.113.7' }] },
    }),
  },
  client_id_taken: {
    addClient: async ({ payerId }) => ({
      body: { name: 'Client', networkWhitelist: anywhere, clientId: payerId },
    }),
  },
  client_state_conflict: {
    updateClient: onRevoked(() => ({ headers: any, body: { name: 'Renamed' } })),
    disableClient: onRevoked(),
    enableClient: onRevoked(),
    restoreClient: async ({ payerId }) => ({ path: { clientId: payerId } }),
    addNetworkEntry: onRevoked(() => ({ body: { entry: '10.0.0.1' } })),
    replaceNetworkWhitelist: onRevoked(() => ({ headers: any, body: { entries: anywhere } })),
    removeNetworkEntry: onRevoked(({ revoked }) => ({
      path: { clientId: revoked.clientId, entry: '0.0.0.0' },
    })),
    addKey: onRevoked(({ spareKey }) => ({ body: { publicKey: spareKey() } })),
    retireKey: onRevoked(({ revoked }) => ({ path: revoked })),
    extendKey: onRevoked(({ revoked, inDays }) => ({ path: revoked, body: { endsAt: inDays(10) } })),
    revokeKey: onRevoked(({ revoked }) => ({ path: revoked, body: { reason: 'superseded' } })),
    refreshDirectory: async ({ payerId: clientId }) => ({ path: { clientId } }),
  },
  account_state_conflict: {
    suspendAccount: onOwnAccount,
    resumeAccount: onOwnAccount,
    closeAccount: onOwnAccount,
  },
  key_registered: {
    addClient: async ({ knownKey: publicKey }) => ({
      body: { name: 'Client', networkWhitelist: anywhere, publicKey },
    }),
    addKey: async ({ payerId: clientId, knownKey: publicKey }) => ({
      path: { clientId },
      body: { publicKey },
    }),
  },
  keys_too_many: {
    addKey: async (play) => {
      const { clientId } = await newClient(play, { publicKey: play.spareKey() });
      const call = (): ManagementCall => ({ path: { clientId }, body: { publicKey: play.spareKey() } });
      await play.scene.succeed(play.operator, 'addKey', call());
      return call();
    },
  },
  // Keys of RSA, for a profile that signs with Ed25519 alone.
  key_not_for_profile: {
    addClient: async ({ spareKey }) => ({
      body: { name: 'Client', networkWhitelist: anywhere, profile: 'curl-8.22', publicKey: spareKey() },
    }),
    updateClient: async (play) => {
      const { clientId } = await newClient(play, { publicKey: play.spareKey() });
      return { path: { clientId }, headers: any, body: { profile: 'curl-8.22' } };
    },
    addKey: async (play) => {
      const { clientId } = await newClient(play, { profile: 'curl-8.22' });
      return { path: { clientId }, body: { publicKey: play.spareKey() } };
    },
  },
  directory_url_not_allowed: {
    addClient: async () => ({
      body: {
        name: 'Client',
        networkWhitelist: anywhere,
        profile: 'curl-8.22',
        directoryUrl: 'http://a.example',
      },
    }),
    updateClient: async ({ payerId: clientId }) => ({
      path: { clientId },
      headers: any,
      body: { profile: 'curl-8.22', directoryUrl: 'http://a.example' },
    }),
  },
  key_state_conflict: {
    retireKey: async (play) => ({ path: await revokedKey(play) }),
    extendKey: async (play) => ({ path: await revokedKey(play), body: { endsAt: play.inDays(10) } }),
    revokeKey: async ({ scene }) => {
      const by = await scene.addCaller(['key-rotator']);
      const { clientId } = by;
      const { data } = await scene.succeed<Data<Key>>(by, 'listKeys', { path: { clientId } });
      return { by, path: { clientId, keyId: data[0]!.keyId }, body: { reason: 'superseded' } };
    },
  },
  network_entry_taken: {
    addNetworkEntry: async ({ payerId: clientId }) => ({ path: { clientId }, body: { entry: '0.0.0.0' } }),
  },
  network_whitelist_full: {
    addNetworkEntry: async (play) => {
      const networkWhitelist = Array.from({ length: 1000 }, (_, index) => ({
        entry: `10.0.${index >> 8}.${index & 255}`,
      }));
      const { clientId } = await newClient(play, { networkWhitelist });
      return { path: { clientId }, body: { entry: '192.0.2.1' } };
    },
  },
  network_entry_last: {
    removeNetworkEntry: async ({ payerId: clientId }) => ({ path: { clientId, entry: '0.0.0.0' } }),
  },
  alert_rules_too_many: {
    addAlertRule: async (play) => {
      const { path } = await onAlertRule(play);
      const database = await play.scene.database();
      const row = await database
        .selectFrom('alert_rules')
        .selectAll()
        .where('alert_rule_id', '=', path.alertRuleId)
        .executeTakeFirstOrThrow();
      const rows = Array.from({ length: 49 }, () => ({ ...row, alert_rule_id: newId('alertrule') }));
      await database.insertInto('alert_rules').values(rows).execute();
      return { body: { name: 'One more', condition: { kind: 'new_address' } } };
    },
  },
  webhooks_too_many: {
    addWebhookListener: async ({ scene, operator }) => {
      const body = { eventTypes: ['client.added'] };
      for (let added = 0; added < 5; added += 1) {
        const { status } = await scene.call(operator, 'addWebhookListener', { body });
        if (status === 409) break;
      }
      return { body };
    },
    addWebhook: async (play) => {
      const { path } = await onWebhook(play);
      const database = await play.scene.database();
      const row = await database
        .selectFrom('webhooks')
        .selectAll()
        .where('webhook_id', '=', path.webhookId)
        .executeTakeFirstOrThrow();
      const rows = Array.from({ length: 19 }, (_, index) => ({ ...row, webhook_id: `webhook_${index}` }));
      await database.insertInto('webhooks').values(rows).execute();
      return { body: { url: 'https://hooks.example.com/' } };
    },
  },
  idempotency_key_reused: {
    testWebhook: async (play) => {
      const headers = { 'Idempotency-Key': 'reused-test' };
      const first = await onWebhook(play);
      await play.scene.succeed(play.operator, 'testWebhook', { ...first, headers });
      const { webhookId } = await play.scene.succeed<Webhook>(play.operator, 'addWebhook', {
        body: { url: 'https://hooks.example.com/', isPaused: true },
      });
      return { path: { webhookId }, headers };
    },
  },
  role_name_taken: {
    addRole: async () => ({ body: { name: 'manager', permissions: ['payments:read'] } }),
    updateRole: async (play) => ({
      path: { roleId: (await newRole(play)).roleId },
      headers: any,
      body: { name: 'manager' },
    }),
  },
  role_built_in: {
    updateRole: async () => ({ path: { roleId: 'auditor' }, headers: any, body: { summary: 'Other' } }),
    removeRole: async () => ({ path: { roleId: 'auditor' }, headers: any }),
  },
  second_person_missing: {
    updateSecurityPolicy: async () => ({ headers: any, body: { isSecondPersonRequired: true } }),
  },
  second_person_required: {
    approvePendingChange: (play) => onPendingChange(play, { isOwn: true }),
    rejectPendingChange: async (play) => ({
      ...(await onPendingChange(play, { isOwn: true })),
      body: { reason: 'No' },
    }),
  },
  pending_change_decided: {
    approvePendingChange: onRejected,
    rejectPendingChange: async (play) => ({ ...(await onRejected(play)), body: { reason: 'No' } }),
    withdrawPendingChange: async (play) => {
      const call = await onPendingChange(play, { isOwn: true });
      await play.scene.succeed(play.person, 'withdrawPendingChange', call);
      return call;
    },
  },
  pending_change_failed: {
    approvePendingChange: async (play) => {
      const call = await onPendingChange(play);
      const { target } = await play.scene.succeed<PendingChange>(play.person, 'getPendingChange', call);
      await play.scene.succeed(play.operator, 'disableClient', { path: { clientId: target.id } });
      return call;
    },
  },
  last_owner: {
    changeMember: async ({ person: { userId } }) => ({ path: { userId }, body: { role: 'viewer' } }),
    removeMember: async ({ person: { userId } }) => ({ path: { userId } }),
  },
  member_exists: {
    inviteMember: async ({ person: { email } }) => ({ body: { email, role: 'viewer' } }),
  },
  invitation_pending: {
    inviteMember: async (play) => {
      const body = { email: `${play.newName()}@example.test`, role: 'viewer' };
      await play.scene.succeed(play.person, 'inviteMember', { body });
      return { body: { ...body, email: body.email.toUpperCase() } };
    },
  },
  invitations_too_many: {
    inviteMember: async ({ scene, newName }) => {
      const { accountId } = await scene.addAccount();
      const by = await scene.addPerson({ accountId, role: 'owner' });
      await fillInvitations(scene, by);
      return { by, body: { email: `${newName()}@example.test`, role: 'viewer' } };
    },
  },
  too_many_attempts: {
    resendInvitation: onInvitation,
    inviteMember: onInvitedOften,
    addAccount: async (play) => {
      const { email: ownerEmail } = (await onInvitedOften(play)).body;
      return { by: play.person, body: { name: play.newName(), ownerEmail } };
    },
    approvePendingChange: async (play) => {
      const { scene, person } = play;
      const { body } = await onInvitedOften(play);
      const { accountId } = person;
      const requester = await scene.addPerson({ accountId, role: 'operator', hasSecondFactor: true });
      const { pendingChangeId } = await whileRequired(play, () =>
        scene.succeed<PendingChange>(requester, 'inviteMember', { body: { ...body, role: 'operator' } }),
      );
      return { path: { pendingChangeId } };
    },
  },
  role_in_use: {
    removeRole: async (play) => {
      const { roleId, name } = await newRole(play);
      await newClient(play, { roles: [name] });
      return { path: { roleId }, headers: any };
    },
  },
};

/** The body of an invitation of someone who was invited too often. */
async function onInvitedOften({ scene, person, newName }: Play): Promise<{ body: Record<string, string> }> {
  const body = { email: `${newName()}@example.test`, role: 'viewer' };
  for (let count = 0; count < 5; count += 1) {
    const { invitationId } = await scene.succeed<Invitation>(person, 'inviteMember', { body });
    await scene.succeed(person, 'revokeInvitation', { path: { invitationId } });
  }
  return { body };
}

/** As many invitations as an account may have. */
async function fillInvitations(scene: ManagementScene, { accountId, userId }: Person): Promise<void> {
  const database = await scene.database();
  const rows = Array.from({ length: 100 }, (_, index) => ({
    invitation_id: newId('invitation', scene.nowMs()),
    account_id: accountId,
    email: `invited-${index}@example.test`,
    role: 'viewer' as const,
    token_hash: `${accountId} ${index}`,
    invited_by: userId,
    created_at_ms: scene.nowMs(),
    expires_at_ms: scene.nowMs() + 86_400_000,
    accepted_at_ms: null,
  }));
  await database.insertInto('invitations').values(rows).execute();
}

async function revoke({ scene, operator }: Play, clientId: string): Promise<void> {
  await scene.succeed(operator, 'revokeClient', { path: { clientId } });
}

async function revokedKey(play: Play): Promise<{ clientId: string; keyId: string }> {
  const { clientId, keys } = await newClient(play, { publicKey: play.spareKey() });
  const path = { clientId, keyId: keys[0]!.keyId };
  await play.scene.succeed(play.operator, 'revokeKey', { path, body: { reason: 'superseded' } });
  return path;
}

/** The request log is written after the answers. */
function someRequest(scene: ManagementScene, by: Caller): Promise<string> {
  return waitFor(async () => {
    const { data } = await scene.succeed<Data<{ requestId: string }>>(by, 'listRequests');
    return data[0]?.requestId;
  }, 'a request in the log');
}

async function onRejected(play: Play): Promise<ManagementCall> {
  const call = await onPendingChange(play);
  await play.scene.succeed(play.person, 'rejectPendingChange', { ...call, body: { reason: 'No' } });
  return call;
}

/** As many changes wait as an account can have. */
async function fillPendingChanges(database: Database, { operator, scene }: Play): Promise<void> {
  const nowMs = scene.nowMs();
  const rows = Array.from({ length: pendingChangeLimits.waitingMax }, () => ({
    pending_change_id: newId('change', nowMs),
    account_id: operator.accountId,
    operation: 'revokeClient',
    request: JSON.stringify({ parameters: {} }),
    description: JSON.stringify({ accountId: '', target: { type: 'client', id: '', name: '' } }),
    requested_by: 'nobody',
    requester: JSON.stringify({ userId: 'nobody', name: 'Nobody' }),
    requested_at_ms: nowMs,
    expires_at_ms: nowMs + 86_400_000,
    status: 'waiting' as const,
    decided_by: null,
    decider_name: null,
    decided_at_ms: null,
    reason: null,
  }));
  await database.insertInto('pending_changes').values(rows).execute();
}
