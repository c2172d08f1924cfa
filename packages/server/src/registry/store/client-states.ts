import type { AuditAction } from '@countersign/contract';
import { sql, type Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { ClientStatus } from '../tables.ts';
import type { Database } from '../../storage/transaction.ts';
import { changeRegistry } from './changes.ts';
import { changeClient, isArchived, recordClientEvent, restorableMs } from './client-change.ts';
import { type ClientRecord, readClients } from './client-records.ts';
import type { ChangeContext } from './context.ts';
import { requireSecondPerson } from './second-person.ts';

/** A transition from one client state to another. */
interface Transition {
  readonly from: readonly ClientStatus[];
  readonly to: 'active' | 'disabled' | 'revoked';
  readonly action: AuditAction;
  /** True if the client can do more afterwards. */
  readonly widens: boolean;
}

export type ClientTransition = 'disable' | 'enable' | 'revoke' | 'restore';

/** Every allowed transition; all others are rejected. A client that is already in the target state stays unchanged. */
const transitions: Readonly<Record<ClientTransition, Transition>> = {
  disable: { from: ['active', 'disabled'], to: 'disabled', action: 'client.disabled', widens: false },
  enable: { from: ['active', 'disabled'], to: 'active', action: 'client.enabled', widens: true },
  revoke: { from: ['active', 'disabled', 'revoked'], to: 'revoked', action: 'client.revoked', widens: false },
  restore: { from: ['revoked'], to: 'disabled', action: 'client.restored', widens: true },
};

/**
 * Disables, enables, revokes or restores a client.
 *
 * Revoking a client also revokes its keys permanently: a restored client is disabled and needs a new key.
 *
 * @throws RegistryError like `changeClient`
 */
export async function moveClient(
  database: Database,
  clientId: string,
  transition: ClientTransition,
  context: ChangeContext,
): Promise<ClientRecord> {
  const { from, to, action, widens } = transitions[transition];
  return changeClient(database, clientId, context, { from, widens }, async (transaction, client) => {
    if (client.status === to) return [];
    if (to === 'revoked') {
      const { accountId, name, status } = client;
      const target = { type: 'client', id: clientId, name } as const;
      const revocation = { accountId, target, before: { status }, after: { status: to } };
      await requireSecondPerson(transaction, revocation, context);
    }
    await transaction
      .updateTable('clients')
      .set({ status: to, revoked_at_ms: to === 'revoked' ? context.nowMs : null })
      .where('client_id', '=', clientId)
      .execute();
    if (to === 'revoked') await revokeAllKeys(transaction, clientId, context.nowMs);
    return [{ action, before: { status: client.status }, after: { status: to } }];
  });
}

async function revokeAllKeys(
  transaction: Transaction<Schema>,
  clientId: string,
  nowMs: number,
): Promise<void> {
  await transaction
    .updateTable('client_keys')
    .set({ status: 'revoked', revoked_at_ms: nowMs, revocation_reason: 'unspecified' })
    .where('client_id', '=', clientId)
    .where('status', 'in', ['pending', 'active', 'retiring'])
    .execute();
}

async function expireAllKeys(transaction: Transaction<Schema>, clientId: string): Promise<void> {
  await transaction
    .updateTable('client_keys')
    .set({ status: 'expired' })
    .where('client_id', '=', clientId)
    .where('status', 'in', ['pending', 'active', 'retiring'])
    .execute();
}

/**
 * Archives clients that can no longer be restored. The clientId and the keys' fingerprints stay reserved forever;
 * networks, roles, tags, metadata and the directory are removed.
 *
 * @returns the number of archived clients, at most `limit`
 */
export async function archiveClients(
  database: Database,
  limit: number,
  context: ChangeContext,
): Promise<number> {
  const due = await database
    .selectFrom('clients')
    .select('client_id')
    // A literal, not a parameter, so that the index of revoked clients is used.
    .where(sql<boolean>`status = 'revoked'`)
    .where('revoked_at_ms', '<=', context.nowMs - restorableMs)
    .orderBy('revoked_at_ms')
    .limit(limit)
    .execute();
  for (const { client_id: clientId } of due) await archiveClient(database, clientId, context);
  return due.length;
}

/**
 * Archives temporary clients that have expired. Their keys had ended with them; none can be restored.
 *
 * @returns the number of clients, at most `limit`
 */
export async function archiveExpiredClients(
  database: Database,
  limit: number,
  context: ChangeContext,
): Promise<number> {
  const due = await database
    .selectFrom('clients')
    .select('client_id')
    .where('expires_at_ms', '<=', context.nowMs)
    // A literal, not a parameter, so that the index of temporary clients is used.
    .where(sql<boolean>`status in ('active', 'disabled', 'revoked')`)
    .orderBy('expires_at_ms')
    .limit(limit)
    .execute();
  for (const { client_id: clientId } of due) await archiveClient(database, clientId, context);
  return due.length;
}

async function archiveClient(database: Database, clientId: string, context: ChangeContext): Promise<void> {
  await changeRegistry(database, async (transaction) => {
    const [client] = await readClients(transaction, [clientId]);
    // Another node was faster.
    if (client === undefined || client.status === 'archived' || !isArchived(client, context.nowMs)) return;
    await archive(transaction, client, context);
  });
}

/** Revokes and archives all clients of a closed account, so that none can be restored. */
export async function endClients(
  transaction: Transaction<Schema>,
  accountId: string,
  context: ChangeContext,
): Promise<void> {
  const rows = await transaction
    .selectFrom('clients')
    .select(['client_id', 'status'])
    .where('account_id', '=', accountId)
    .where('status', '!=', 'archived')
    .execute();
  for (const { client_id: clientId, status } of rows) {
    const [present] = await readClients(transaction, [clientId]);
    const isGone = present === undefined || isArchived(present, context.nowMs);
    if (status !== 'revoked' && !isGone) await moveClient(transaction, clientId, 'revoke', context);
    const [client] = await readClients(transaction, [clientId]);
    if (client !== undefined) await archive(transaction, client, context);
  }
}

async function archive(
  transaction: Transaction<Schema>,
  client: ClientRecord,
  context: ChangeContext,
): Promise<void> {
  const { clientId, status } = client;
  // Only a temporary client goes away before it was revoked.
  const isExpired = status !== 'revoked';
  if (isExpired) await expireAllKeys(transaction, clientId);
  await transaction.deleteFrom('network_entries').where('client_id', '=', clientId).execute();
  await transaction.deleteFrom('client_roles').where('client_id', '=', clientId).execute();
  await transaction.deleteFrom('client_tags').where('client_id', '=', clientId).execute();
  await transaction.deleteFrom('client_directories').where('client_id', '=', clientId).execute();
  const event = {
    action: isExpired ? ('client.expired' as const) : ('client.archived' as const),
    before: { status },
    after: { status: 'archived' },
  };
  const version = await recordClientEvent(transaction, client, event, context);
  await transaction
    .updateTable('clients')
    .set({
      status: 'archived',
      revoked_at_ms: client.revokedAtMs ?? context.nowMs,
      metadata: '{}',
      version,
      updated_at_ms: context.nowMs,
    })
    .where('client_id', '=', clientId)
    .execute();
}
