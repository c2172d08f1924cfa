import { type AuditAction, type AuditTarget, restorableDays } from '@countersign/contract';
import type { Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { ClientStatus } from '../tables.ts';
import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';
import { recordAudited } from './audit.ts';
import { changeFor } from './caller.ts';
import { type ClientRecord, readClient } from './client-records.ts';
import type { ChangeContext } from './context.ts';
import { checkGrant, permissionsOfRoles } from './roles.ts';

/** One action on a client, for its audit event. */
export interface ClientEvent {
  readonly action: AuditAction;
  /** The part of the client that was changed, if not the client itself. */
  readonly target?: AuditTarget;
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
}

export interface ClientChangeRules {
  /** The states that allow the change. Default active and disabled. */
  readonly from?: readonly ClientStatus[];
  /**
   * True if the change may let a caller do more in the client's name than before. Then the caller must hold
   * every permission of the client; otherwise a new key would be a way to gain permissions.
   */
  readonly widens: boolean;
}

/**
 * Changes a client and everything that belongs to it, in one transaction with the audit events and the version.
 *
 * @param change makes the change and returns its events, or none if nothing needed changing; its context has
 *   the current ceiling
 * @throws RegistryError `client_unknown`, `version_changed`, `client_revoked`, `client_not_revoked`,
 *   `permission_not_held`
 */
export async function changeClient(
  database: Database,
  clientId: string,
  initialContext: ChangeContext,
  rules: ClientChangeRules,
  change: (
    transaction: Transaction<Schema>,
    client: ClientRecord,
    context: ChangeContext,
  ) => Promise<readonly ClientEvent[]>,
): Promise<ClientRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const client = await readClient(transaction, clientId);
    checkVisible(client, context);
    checkVersion(client.version, context);
    checkState(client, rules.from ?? ['active', 'disabled']);
    if (rules.widens && context.grantable !== undefined)
      checkGrant(
        await permissionsOfRoles(transaction, client.roleIds, context.addedPermissions ?? {}),
        context.grantable,
      );
    const events = await change(transaction, client, context);
    if (events.length === 0) return client;
    let version = client.version;
    for (const event of events) version = await recordClientEvent(transaction, client, event, context);
    await transaction
      .updateTable('clients')
      .set({ version, updated_at_ms: context.nowMs })
      .where('client_id', '=', clientId)
      .execute();
    return readClient(transaction, clientId);
  });
}

/** Records an action on a client, and returns the registry's new version. */
export async function recordClientEvent(
  transaction: Transaction<Schema>,
  { clientId, accountId }: Pick<ClientRecord, 'clientId' | 'accountId'>,
  { action, target, before, after }: ClientEvent,
  context: ChangeContext,
): Promise<number> {
  const client: AuditTarget = { type: 'client', id: clientId };
  const targets = target === undefined ? [client] : [target, client];
  return recordAudited(
    transaction,
    { subject: 'client', subjectId: clientId, accountId, action, targets, before, after },
    context,
  );
}

/** Returns true if a client is gone: it was revoked too long ago, is a temporary one that has expired, or is already archived. */
export function isArchived(
  { status, revokedAtMs, expiresAtMs }: Pick<ClientRecord, 'status' | 'revokedAtMs' | 'expiresAtMs'>,
  nowMs: number,
): boolean {
  if (status === 'archived' || nowMs >= (expiresAtMs ?? Infinity)) return true;
  return status === 'revoked' && nowMs >= (revokedAtMs ?? 0) + restorableMs;
}

/** A revoked client can be restored for this long, in milliseconds. */
export const restorableMs: number = restorableDays * 86_400_000;

/**
 * Throws unless the caller may see the client: an archived client, or one of another account, appears not to
 * exist.
 */
function checkVisible(client: ClientRecord, { accountId, nowMs }: ChangeContext): void {
  if ((accountId === undefined || accountId === client.accountId) && !isArchived(client, nowMs)) return;
  throw new RegistryError('client_unknown', 'There is no such client: check the clientId.');
}

/** Throws RegistryError `version_changed` if the caller has seen a version other than the current one. */
export function checkVersion(version: number, { isExpected }: ChangeContext): void {
  if (isExpected === undefined || isExpected(version)) return;
  throw new RegistryError(
    'version_changed',
    'It has changed since you read it: read it again, then decide.',
    {
      version,
    },
  );
}

function checkState({ status }: ClientRecord, from: readonly ClientStatus[]): void {
  if (from.includes(status)) return;
  if (status === 'revoked') {
    throw new RegistryError(
      'client_revoked',
      'The client is revoked: restore it first, or add a new client.',
    );
  }
  throw new RegistryError(
    'client_not_revoked',
    `Only a revoked client can be restored, and this one is ${status}.`,
  );
}
