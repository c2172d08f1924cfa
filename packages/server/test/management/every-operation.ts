import {
  type AlertRule,
  type OperationId,
  operations,
  operationSchemas,
  type Webhook,
  type WebhookDelivery,
} from '@countersign/contract';
import { explainedRequest, pastedRequest } from './failed-request.ts';
import {
  anywhere,
  type Caller,
  type Client,
  type Key,
  type ManagementCall,
  type ManagementScene,
  type Role,
} from './scene.ts';

/** One of each thing of an account, to be named in paths. */
export interface Things {
  readonly accountId: string;
  readonly clientId: string;
  readonly keyId: string;
  readonly roleId: string;
  readonly eventId: string;
  /** A request that was rejected, and is explained. */
  readonly requestId: string;
  readonly paymentId: string;
  /** Paused, so that nothing is sent anywhere. */
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly alertRuleId: string;
}

/** Makes one of each thing in the account of an administrator. */
export async function makeThings(scene: ManagementScene, administrator: Caller): Promise<Things> {
  const body = { name: 'Thing', networkWhitelist: anywhere, publicKey: scene.freshKey().publicKey };
  const client = await scene.succeed<Client>(administrator, 'addClient', { body });
  const role = await scene.succeed<Role>(administrator, 'addRole', {
    body: { name: 'thing', permissions: ['payments:read'] },
  });
  const payment = await scene.succeed<{ paymentId: string }>(administrator, 'createPayment', {
    body: { amount: 1, currency: 'EUR', reference: 'thing' },
  });
  const { webhookId } = await scene.succeed<Webhook>(administrator, 'addWebhook', {
    body: { url: 'https://hooks.example.com/thing', isPaused: true },
  });
  const { deliveryId } = await scene.succeed<WebhookDelivery>(administrator, 'testWebhook', {
    path: { webhookId },
  });
  const { alertRuleId } = await scene.succeed<AlertRule>(administrator, 'addAlertRule', {
    body: alertRule,
  });
  const events = await scene.succeed<{ data: { eventId: string }[] }>(administrator, 'listAuditEvents');
  return {
    accountId: client.accountId,
    clientId: client.clientId,
    keyId: client.keys[0]!.keyId,
    roleId: role.roleId,
    eventId: events.data[0]!.eventId,
    requestId: await explainedRequest(scene, administrator),
    paymentId: payment.paymentId,
    webhookId,
    deliveryId,
    alertRuleId,
  };
}

/** A call of each operation on some things: with everything that it needs to get as far as it can. */
export function callOf(scene: ManagementScene, id: OperationId, things: Things): ManagementCall {
  const names = [...operations[id].path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  const values: Record<string, string> = { ...nobody, ...things, entry: '0.0.0.0' };
  // The account is still needed afterwards.
  if (id === 'suspendAccount' || id === 'resumeAccount' || id === 'closeAccount')
    values['accountId'] = nobodysAccount;
  const headers = operations[id].ifMatch === undefined ? {} : { 'If-Match': '*' };
  const path = Object.fromEntries(names.map((name) => [name, values[name]!]));
  const body = bodies(scene)[id] ?? exampleOf(id);
  return { path, headers, ...(body !== undefined && { body }), ...(queries[id] && { query: queries[id] }) };
}

/** The example in the OpenAPI document; undefined where no body is taken, or none is needed. */
function exampleOf(id: OperationId): object | undefined {
  const { examples } = operationSchemas[id].body?.meta() ?? {};
  return Array.isArray(examples) && !operations[id].isBodyOptional ? (examples[0] as object) : undefined;
}

/** No person, no invitation, no notice and no listener. */
const nobody = {
  userId: `person_${'0'.repeat(26)}`,
  invitationId: `invitation_${'0'.repeat(26)}`,
  noticeId: `notice_${'0'.repeat(26)}`,
  savedViewId: `view_${'0'.repeat(26)}`,
  listenerId: `listener_${'0'.repeat(26)}`,
  pendingChangeId: `change_${'0'.repeat(26)}`,
};

const alertRule = { name: 'Keys end', condition: { kind: 'key_due', days: 7 } };

const queries: Partial<Record<OperationId, string>> = { testNetworkAddress: 'address=127.0.0.1' };

function bodies(scene: ManagementScene): Partial<Record<OperationId, object>> {
  const endsAt = new Date(scene.nowMs() + 3_600_000).toISOString();
  const key = (): { publicKey: string } => ({ publicKey: publishable });
  return {
    createPayment: { amount: 1, currency: 'EUR', reference: 'call' },
    addClient: { name: 'Called', networkWhitelist: anywhere },
    updateClient: { name: 'Renamed' },
    changeClients: { filter: { search: 'nobody is called so' }, action: 'disable' },
    importClients: { clients: [{ name: 'Called', networkWhitelist: anywhere }], dryRun: true },
    addNetworkEntry: { entry: '10.0.0.1' },
    replaceNetworkWhitelist: { entries: anywhere },
    // Text that is no key: nothing is to be left behind that the next caller would meet.
    addKey: { publicKey: 'no key' },
    extendKey: { endsAt },
    revokeKey: { reason: 'superseded' },
    inspectKey: key(),
    explainRequest: pastedRequest,
    addAlertRule: alertRule,
    addRole: { name: 'called', permissions: ['payments:read'] },
    updateRole: { summary: 'Called' },
    addAccount: { name: 'Called' },
    updateAccount: { name: 'Renamed' },
    changeMember: { role: 'viewer' },
    inviteMember: { email: 'called@example.test', role: 'viewer' },
    updateSecurityPolicy: { sessionHoursMax: 100 },
    updateNoticePreferences: { preferences: [{ kind: 'key_due', inInbox: true, byMail: true }] },
    startActing: { accountId: nobodysAccount, reason: 'To see whether it works' },
  };
}

const publishable = 'AAAA';
const nobodysAccount = `account_${'0'.repeat(26)}`;
export type { Key };
