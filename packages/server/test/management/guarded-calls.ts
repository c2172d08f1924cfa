import type { OperationId, PendingChange } from '@countersign/contract';
import type { Database } from '../../src/storage/transaction.ts';
import { onMember } from './good-calls.ts';
import type { Play } from './provocations.ts';
import type { Client, Key, ManagementCall, Role } from './scene.ts';

/** Switches on or off that the changes of an account wait for a second person, whatever the policy allows. */
export async function requireSecondPerson(
  database: Database,
  accountId: string,
  isRequired = true,
): Promise<void> {
  const row = { is_second_person_required: isRequired ? 1 : 0 } as const;
  await database
    .insertInto('security_policies')
    .values({ account_id: accountId, is_second_factor_required: 0, session_hours_max: null, ...row })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(row))
    .execute();
}

/** Runs a step while the changes of the operator's account wait for a second person. */
export async function whileRequired<Result>(play: Play, step: () => Promise<Result>): Promise<Result> {
  const database = await play.scene.database();
  const { accountId } = play.operator;
  await requireSecondPerson(database, accountId);
  try {
    return await step();
  } finally {
    await requireSecondPerson(database, accountId, false);
  }
}

const any = { 'If-Match': '*' };
const narrow = [{ entry: '192.0.2.1' }];

/** A call of each operation that may wait for a second person, which does so where one is required. */
export const guardedCalls: Readonly<Partial<Record<OperationId, (play: Play) => Promise<ManagementCall>>>> = {
  addClient: async ({ newName }) => ({ body: { name: newName(), networkWhitelist: [{ entry: '0.0.0.0' }] } }),
  updateClient: async (play) => ({ ...(await onClient(play)), headers: any, body: { roles: ['auditor'] } }),
  revokeClient: onClient,
  addNetworkEntry: async (play) => ({ ...(await onClient(play)), body: { entry: '0.0.0.0/0' } }),
  replaceNetworkWhitelist: async (play) => ({
    ...(await onClient(play)),
    headers: any,
    body: { entries: [{ entry: '::/0' }] },
  }),
  retireKey: async (play) => ({ ...(await onKey(play)), body: { endsAt: play.inDays(0.01) } }),
  revokeKey: async (play) => ({ ...(await onKey(play)), body: { reason: 'superseded' } }),
  updateRole: async (play) => {
    const body = { name: play.newName(), permissions: ['payments:read'] };
    const { roleId } = await play.scene.succeed<Role>(play.operator, 'addRole', { body });
    const permissions = ['payments:read', 'payments:write'];
    return { path: { roleId }, headers: any, body: { permissions } };
  },
  changeMember: async (play) => ({ ...(await onMember(play)), body: { role: 'account-manager' } }),
  inviteMember: async ({ newName }) => ({ body: { email: `${newName()}@example.test`, role: 'operator' } }),
  updateSecurityPolicy: async () => ({ headers: any, body: { isSecondPersonRequired: false } }),
};

async function onClient({ scene, operator, newName }: Play): Promise<{ path: { clientId: string } }> {
  const body = { name: newName(), networkWhitelist: narrow };
  const { clientId } = await scene.succeed<Client>(operator, 'addClient', { body });
  return { path: { clientId } };
}

async function onKey(play: Play): Promise<ManagementCall> {
  const { path } = await onClient(play);
  const body = { publicKey: play.spareKey() };
  const { keyId } = await play.scene.succeed<Key>(play.operator, 'addKey', { path, body });
  return { path: { ...path, keyId } };
}

/** A change of the operator's account that waits for a second person, asked for by someone else unless said otherwise. */
export async function onPendingChange(
  play: Play,
  { isOwn = false } = {},
): Promise<{ path: { pendingChangeId: string } }> {
  const { scene, person } = play;
  const { accountId } = person;
  const requester = isOwn
    ? person
    : await scene.addPerson({ accountId, role: 'operator', hasSecondFactor: true });
  const call = await onClient(play);
  const { pendingChangeId } = await whileRequired(play, () =>
    scene.succeed<PendingChange>(requester, 'revokeClient', call),
  );
  return { path: { pendingChangeId } };
}
