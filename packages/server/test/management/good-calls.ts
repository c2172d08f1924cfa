import type {
  AlertRule,
  Invitation,
  OperationId,
  SavedView,
  Webhook,
  WebhookDelivery,
  WebhookListener,
} from '@countersign/contract';
import { insertDirectory } from '../../src/registry/store/client-directories.ts';
import { pastedRequest } from './failed-request.ts';
import { addedNotice } from './added-notice.ts';
import { onPendingChange } from './guarded-calls.ts';
import type { Play } from './provocations.ts';
import { anywhere, type Client, type Key, type ManagementCall, type Role } from './scene.ts';

/** A call of each operation of the management API that succeeds, each time it is made, with things of its own. */
export const goodCalls: Readonly<Partial<Record<OperationId, (play: Play) => Promise<ManagementCall>>>> = {
  listClients: nothing,
  addClient: async (play) => ({ body: { name: play.newName(), networkWhitelist: anywhere } }),
  getClient: onClient,
  updateClient: async (play) => ({ ...(await onClient(play)), headers: any, body: { name: 'Renamed' } }),
  disableClient: onClient,
  enableClient: onClient,
  revokeClient: onClient,
  restoreClient: async (play) => {
    const call = await onClient(play);
    await play.scene.succeed(play.operator, 'revokeClient', call);
    return call;
  },
  changeClients: async (play) => {
    const { clientId } = await newClient(play);
    return { body: { clients: [{ clientId }], action: 'add_tags', tags: ['eu'] } };
  },
  importClients: async (play) => ({
    body: { clients: [{ name: play.newName(), networkWhitelist: anywhere }] },
  }),
  getRequestLimits: onClient,
  getNetworkWhitelist: onClient,
  addNetworkEntry: async (play) => ({ ...(await onClient(play)), body: { entry: '10.0.0.1' } }),
  replaceNetworkWhitelist: async (play) => ({
    ...(await onClient(play)),
    headers: any,
    body: { entries: [{ entry: '10.0.0.1' }] },
  }),
  testNetworkAddress: async (play) => ({ ...(await onClient(play)), query: 'address=127.0.0.1' }),
  removeNetworkEntry: async (play) => {
    const { clientId } = await newClient(play, { networkWhitelist: [...anywhere, { entry: '10.0.0.1' }] });
    return { path: { clientId, entry: '10.0.0.1' } };
  },
  listKeys: onClient,
  addKey: async (play) => ({ ...(await onClient(play)), body: { publicKey: play.spareKey() } }),
  getKey: onKey,
  retireKey: onKey,
  extendKey: async (play) => {
    const call = await onKey(play);
    await play.scene.succeed(play.operator, 'retireKey', call);
    return { ...call, body: { endsAt: play.inDays(10) } };
  },
  revokeKey: async (play) => ({ ...(await onKey(play)), body: { reason: 'superseded' } }),
  refreshDirectory: async (play) => {
    const { clientId } = await newClient(play);
    await insertDirectory(
      await play.scene.database(),
      { clientId, accountId: play.operator.accountId },
      { form: 'key-set', url: `https://${clientId.replace('_', '-')}.example/keys` },
      play.scene.nowMs(),
    );
    return { path: { clientId } };
  },
  getKeyRenewalInfo: onKey,
  inspectKey: async (play) => ({ body: { publicKey: play.knownKey } }),
  listRoles: nothing,
  addRole: async (play) => ({ body: { name: play.newName(), permissions: ['payments:read'] } }),
  getRole: onRole,
  updateRole: async (play) => ({ ...(await onRole(play)), headers: any, body: { summary: 'Changed' } }),
  removeRole: async (play) => ({ ...(await onRole(play)), headers: any }),
  listPermissions: nothing,
  listProfiles: nothing,
  listRequests: nothing,
  getRequestTotals: nothing,
  getRequest: async ({ requestId }) => ({ path: { requestId } }),
  getRequestExplanation: async ({ explainedRequestId: requestId }) => ({ path: { requestId } }),
  explainRequest: async () => ({ body: pastedRequest }),
  getRequestStatistics: nothing,
  getRequestAnalytics: nothing,
  listRequestFailures: nothing,
  listRefusedAddresses: nothing,
  listReadiness: nothing,
  listUnattributedRequests: nothing,
  getChecklist: nothing,
  getDemoData: nothing,
  removeDemoData: nothing,
  streamEvents: async ({ person }) => ({ query: `account=${person.accountId}` }),
  getSource: nothing,
  getServiceHealth: nothing,
  listServiceSettings: nothing,
  listSavedViews: nothing,
  addSavedView: async ({ newName }) => ({
    body: { name: newName(), query: 'outcome=refused', isShared: true },
  }),
  updateSavedView: async (play) => ({ ...(await onSavedView(play)), body: { query: 'status=4xx' } }),
  removeSavedView: onSavedView,
  listAuditEvents: nothing,
  listWebhooks: nothing,
  addWebhook: async (play) => {
    await makeWebhookRoom(play);
    return { body: { url: `https://hooks.example.com/${play.newName()}` } };
  },
  getWebhook: onWebhook,
  updateWebhook: async (play) => ({
    ...(await onWebhook(play)),
    headers: any,
    body: { description: 'Changed' },
  }),
  removeWebhook: async (play) => ({ ...(await onWebhook(play)), headers: any }),
  pauseWebhook: onWebhook,
  resumeWebhook: onWebhook,
  rotateWebhookSecret: async (play) => ({ ...(await onWebhook(play)), body: { overlapSeconds: 60 } }),
  listAlertRules: nothing,
  addAlertRule: async (play) => {
    await makeAlertRuleRoom(play);
    return { body: alertRule(play) };
  },
  previewAlertRule: async ({ payerId: clientId }) => ({
    body: { condition: { kind: 'new_address' }, clientId },
  }),
  getAlertRule: onAlertRule,
  updateAlertRule: async (play) => ({
    ...(await onAlertRule(play)),
    headers: any,
    body: { isEnabled: false },
  }),
  removeAlertRule: async (play) => ({ ...(await onAlertRule(play)), headers: any }),
  listWebhookEventTypes: nothing,
  testWebhook: onWebhook,
  recoverWebhook: async (play) => ({ ...(await onWebhook(play)), body: { since: play.inDays(-1) } }),
  listWebhookDeliveries: onWebhook,
  getWebhookDelivery: onDelivery,
  resendWebhookDelivery: onDelivery,
  addWebhookListener: async (play) => {
    await makeListenerRoom(play);
    return { body: { eventTypes: ['client.added'] } };
  },
  pullWebhookEvents: async (play) => ({ ...(await onListener(play)), body: { received: [] } }),
  removeWebhookListener: onListener,
  listNotices: nothing,
  readNotice: async (play) => ({ path: { noticeId: await newNotice(play) } }),
  readAllNotices: nothing,
  getNoticePreferences: nothing,
  updateNoticePreferences: async () => ({
    body: { preferences: [{ kind: 'key_due', inInbox: true, byMail: false }] },
  }),
  getAuditEvent: async ({ eventId }) => ({ path: { eventId } }),
  listAccounts: nothing,
  addAccount: async (play) => ({ body: { name: play.newName() } }),
  getAccount: async ({ operator: { accountId } }) => ({ path: { accountId } }),
  updateAccount: async ({ operator: { accountId } }) => ({
    path: { accountId },
    headers: any,
    body: { name: 'Renamed' },
  }),
  suspendAccount: async (play) => ({ ...(await onAccount(play)), body: why }),
  resumeAccount: async (play) => {
    const call = { ...(await onAccount(play)), body: why };
    await play.scene.succeed(play.operator, 'suspendAccount', call);
    return call;
  },
  closeAccount: async (play) => ({ ...(await onAccount(play)), body: why }),
  listAccountOverviews: nothing,
  listMembers: nothing,
  changeMember: async (play) => ({ ...(await onMember(play)), body: { role: 'account-manager' } }),
  removeMember: onMember,
  listInvitations: nothing,
  inviteMember: async (play) => ({ body: { email: `${play.newName()}@example.test`, role: 'viewer' } }),
  resendInvitation: async (play) => {
    const call = await onInvitation(play);
    const database = await play.scene.database();
    await database
      .updateTable('invitations')
      .set(({ eb }) => ({ expires_at_ms: eb('expires_at_ms', '-', 120_000) }))
      .where('invitation_id', '=', call.path.invitationId)
      .execute();
    return call;
  },
  revokeInvitation: onInvitation,
  getSecurityPolicy: nothing,
  updateSecurityPolicy: async () => ({ headers: any, body: { sessionHoursMax: 100 } }),
  listPendingChanges: nothing,
  getPendingChange: (play) => onPendingChange(play),
  approvePendingChange: (play) => onPendingChange(play),
  rejectPendingChange: async (play) => ({ ...(await onPendingChange(play)), body: { reason: 'No' } }),
  withdrawPendingChange: (play) => onPendingChange(play, { isOwn: true }),
  startActing: async ({ scene }) => ({
    body: { accountId: scene.accountId, reason: 'Help with the first client' },
  }),
  endActing: async (play) => {
    await play.scene.succeed(play.person, 'startActing', await goodCalls.startActing!(play));
    return {};
  },
};

const any = { 'If-Match': '*' };

const why = { reason: 'A test of the state of accounts' };

/** An account of a customer. */
async function onAccount(play: Play): Promise<{ path: { accountId: string } }> {
  const body = { name: play.newName() };
  const { accountId } = await play.scene.succeed<{ accountId: string }>(play.operator, 'addAccount', {
    body,
  });
  return { path: { accountId } };
}

/** A client of the operator's account. */
export function newClient(play: Play, body: object = {}): Promise<Client> {
  return play.scene.succeed<Client>(play.operator, 'addClient', {
    body: { name: play.newName(), networkWhitelist: anywhere, ...body },
  });
}

/** An own role of the operator's account. */
export function newRole(play: Play): Promise<Role> {
  return play.scene.succeed<Role>(play.operator, 'addRole', {
    body: { name: play.newName(), permissions: ['payments:read'] },
  });
}

/** A webhook of the operator's account, paused, so that nothing is sent anywhere. */
export async function onWebhook(play: Play): Promise<{ path: { webhookId: string } }> {
  await makeWebhookRoom(play);
  const { webhookId } = await play.scene.succeed<Webhook>(play.operator, 'addWebhook', {
    body: { url: `https://hooks.example.com/${play.newName()}`, isPaused: true },
  });
  return { path: { webhookId } };
}

/** An account has a limited number of webhooks. */
async function makeWebhookRoom({ scene }: Play): Promise<void> {
  const database = await scene.database();
  await database.deleteFrom('webhooks').execute();
}

async function onListener(play: Play): Promise<{ path: { listenerId: string } }> {
  await makeListenerRoom(play);
  const { listenerId } = await play.scene.succeed<WebhookListener>(play.operator, 'addWebhookListener', {
    body: { eventTypes: ['client.added'] },
  });
  return { path: { listenerId } };
}

export async function onAlertRule(play: Play): Promise<{ path: { alertRuleId: string } }> {
  await makeAlertRuleRoom(play);
  const { alertRuleId } = await play.scene.succeed<AlertRule>(play.operator, 'addAlertRule', {
    body: alertRule(play),
  });
  return { path: { alertRuleId } };
}

function alertRule(play: Play): object {
  return { name: play.newName(), condition: { kind: 'key_due', days: 7 } };
}

/** An account has a limited number of rules. */
async function makeAlertRuleRoom({ scene }: Play): Promise<void> {
  const database = await scene.database();
  await database.deleteFrom('alert_rules').execute();
}

/** An account has a limited number of listeners. */
async function makeListenerRoom({ scene }: Play): Promise<void> {
  const database = await scene.database();
  await database.deleteFrom('webhook_listeners').execute();
}

async function onDelivery(play: Play): Promise<{ path: { webhookId: string; deliveryId: string } }> {
  const { path } = await onWebhook(play);
  const { deliveryId } = await play.scene.succeed<WebhookDelivery>(play.operator, 'testWebhook', { path });
  return { path: { ...path, deliveryId } };
}

/** A shared view of the operator's account. */
async function onSavedView(play: Play): Promise<{ path: { savedViewId: string } }> {
  const database = await play.scene.database();
  await database.deleteFrom('saved_views').execute();
  const { savedViewId } = await play.scene.succeed<SavedView>(play.person, 'addSavedView', {
    body: { name: play.newName(), query: 'outcome=refused', isShared: true },
  });
  return { path: { savedViewId } };
}

/** A member of the operator's account. */
export async function onMember({
  scene,
  person: { accountId },
}: Play): Promise<{ path: { userId: string } }> {
  const { userId } = await scene.addPerson({ accountId, role: 'viewer' });
  return { path: { userId } };
}

/** An invitation to the operator's account. */
export async function onInvitation(play: Play): Promise<{ path: { invitationId: string } }> {
  const body = { email: `${play.newName()}@example.test`, role: 'viewer' };
  const { invitationId } = await play.scene.succeed<Invitation>(play.person, 'inviteMember', { body });
  return { path: { invitationId } };
}

/** A notice in the operator's account. */
async function newNotice({ scene, person, newName }: Play): Promise<string> {
  return addedNotice(await scene.database(), person.accountId, newName(), scene.nowMs());
}

async function nothing(): Promise<ManagementCall> {
  return {};
}

async function onClient(play: Play): Promise<ManagementCall> {
  const { clientId } = await newClient(play);
  return { path: { clientId } };
}

async function onKey(play: Play): Promise<ManagementCall> {
  const { clientId } = await newClient(play);
  const body = { publicKey: play.spareKey() };
  const { keyId } = await play.scene.succeed<Key>(play.operator, 'addKey', { path: { clientId }, body });
  return { path: { clientId, keyId } };
}

async function onRole(play: Play): Promise<ManagementCall> {
  const { roleId } = await newRole(play);
  return { path: { roleId } };
}
