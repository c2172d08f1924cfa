import {
  type Address,
  countsIn,
  type DeploymentPermissions,
  NetworkWhitelist,
  type Permission,
} from '@countersign/contract';
import type { Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';
import { readAccountRules } from './account-rules.ts';
import { changeRegistry } from './changes.ts';
import { type ClientRecord, readClients } from './client-records.ts';
import { type AccountAccess, readAccess } from './account-access.ts';
import type { ChangeContext } from './context.ts';
import { isCurrentKey } from './key-state.ts';
import { addressInWords } from './portal-networks.ts';
import { permissionsOfRoles } from './roles.ts';

/** The client whose signed request makes a change. It is checked again when the change is made. */
export interface ChangingClient {
  readonly kind: 'client';
  readonly clientId: string;
  /** The key that signed. */
  readonly keyId: string;
  readonly address: Address | undefined;
  /** Returns true if these permissions are enough for the request. */
  readonly isPermitted: (permissions: ReadonlySet<Permission>) => boolean;
}

/** The person whose session makes a change. They are checked again when the change is made. */
export interface ChangingPerson {
  readonly kind: 'person';
  readonly userId: string;
  /** Undefined if someone else has approved what the person asked for: their session may have ended since. */
  readonly sessionId: string | undefined;
  /** Only without a session: the reason why the person acted for the account. */
  readonly actingReason?: string | undefined;
  readonly accountId: string;
  readonly address: Address | undefined;
  /** Returns true if these permissions are enough for the request. */
  readonly isPermitted: (permissions: ReadonlySet<Permission>) => boolean;
}

/**
 * Runs a registry change for a caller, as `changeRegistry` does.
 *
 * Checks the caller again inside the transaction. The first check used what this node knew at the time. While
 * the change waited for others, a client may have been disabled or may have lost a key, a network or a role,
 * and a person may have been signed out, removed or given another role. The change's effects would outlast
 * that, so it is rejected as the request would be now, and the current permissions limit it.
 *
 * @param change receives the context with the current account, ceiling and role
 * @throws RegistryError `caller_ended`, `caller_disabled`, `caller_suspended`, `caller_elsewhere`,
 *   `caller_not_permitted`, `caller_signed_out`, `caller_not_member`, `portal_network_not_allowed`
 */
export async function changeFor<Result, Context extends ChangeContext>(
  database: Database,
  context: Context,
  change: (transaction: Transaction<Schema>, context: Context) => Promise<Result>,
): Promise<Result> {
  return changeRegistry(database, async (transaction) => {
    const { caller, nowMs, addedPermissions = {} } = context;
    if (caller === undefined) return change(transaction, context);
    if (caller.kind === 'person') {
      const { role, permissions } = await personNow(transaction, caller, nowMs, addedPermissions);
      const { accountId } = caller;
      return change(transaction, { ...context, accountId, grantable: permissions, memberRole: role });
    }
    const [client] = await readClients(transaction, [caller.clientId]);
    checkCaller(client, caller, nowMs);
    await checkAccountActive(transaction, client.accountId);
    const permissions = await permissionsNow(transaction, client, addedPermissions);
    if (!caller.isPermitted(permissions)) throw notPermitted();
    const accountId = permissions.has('accounts:write') ? undefined : client.accountId;
    return change(transaction, { ...context, accountId, grantable: permissions });
  });
}

/** Returns the error for a caller that lost a permission after its request was accepted. */
export function notPermitted(
  message = 'The caller lost a required permission while the request was waiting.',
): RegistryError {
  return new RegistryError('caller_not_permitted', message);
}

async function personNow(
  transaction: Transaction<Schema>,
  caller: ChangingPerson,
  nowMs: number,
  added: DeploymentPermissions,
): Promise<AccountAccess> {
  if (caller.sessionId !== undefined && !(await isSignedIn(transaction, caller, nowMs)))
    throw new RegistryError('caller_signed_out', 'The session ended while the request was waiting.');
  const access = await readAccess(transaction, caller, nowMs, added);
  if (access === undefined)
    throw new RegistryError(
      'caller_not_member',
      'The person left the account while the request was waiting.',
    );
  if (!access.isAllowedFrom(caller.address)) {
    throw new RegistryError(
      'portal_network_not_allowed',
      `the account no longer allows its people ${addressInWords(caller.address)}`,
    );
  }
  if (!caller.isPermitted(access.permissions)) throw notPermitted();
  return access;
}

async function isSignedIn(
  transaction: Transaction<Schema>,
  { userId, sessionId = '' }: ChangingPerson,
  nowMs: number,
): Promise<boolean> {
  const session = await transaction
    .selectFrom('person_sessions')
    .select('session_id')
    .where('session_id', '=', sessionId)
    .where('user_id', '=', userId)
    .where('expires_at_ms', '>', nowMs)
    .executeTakeFirst();
  return session !== undefined;
}

function checkCaller(
  client: ClientRecord | undefined,
  { keyId, address }: ChangingClient,
  nowMs: number,
): asserts client is ClientRecord {
  const key = client?.keys.find((one) => one.keyId === keyId);
  const isThere = client?.status === 'active' || client?.status === 'disabled';
  if (!isThere || key === undefined || !isCurrentKey(key, client.keyAgeDaysMax, nowMs)) {
    throw new RegistryError(
      'caller_ended',
      'The client or its key was disabled, revoked or expired while the request was waiting.',
    );
  }
  if (client.status === 'disabled')
    throw new RegistryError('caller_disabled', 'The client was disabled while the request was waiting.');
  const network = NetworkWhitelist.fromTexts(client.network.map(({ entry }) => entry));
  if (address === undefined || !network.allows(address)) {
    throw new RegistryError(
      'caller_elsewhere',
      'The source address was removed from the network whitelist while the request was waiting.',
    );
  }
}

async function checkAccountActive(transaction: Transaction<Schema>, accountId: string): Promise<void> {
  if ((await readAccountRules(transaction)).get(accountId)?.isSuspended !== true) return;
  throw new RegistryError(
    'caller_suspended',
    "The client's account was suspended while the request was waiting.",
  );
}

async function permissionsNow(
  transaction: Transaction<Schema>,
  { accountId, roleIds }: ClientRecord,
  added: DeploymentPermissions,
): Promise<ReadonlySet<Permission>> {
  const permissions = await permissionsOfRoles(transaction, roleIds, added);
  const account = (await readAccountRules(transaction)).get(accountId) ?? { isOperator: false };
  return new Set([...permissions].filter((permission) => countsIn(account, permission)));
}
