import { newId } from '@countersign/contract';
import type { PublicKeyPolicy, RsaPublicKey } from '@countersign/signature/node';
import type { Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import { type Database, inTransaction } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';
import { checkAccount } from './accounts.ts';
import { recordChange } from './changes.ts';
import { type ClientRecord, readClient } from './client-records.ts';
import { insertKey, readOfferedKey } from './keys.ts';
import { checkClientId, checkName } from './names.ts';
import { type NetworkInput, readNetwork, writeNetwork } from './networks.ts';
import { roleIdsByName, writeRoles } from './roles.ts';

/** What a client is made of. */
export interface NewClient {
  readonly accountId: string;
  readonly name: string;
  /** For a client that moves here from elsewhere; a new one is made when it is left out. */
  readonly clientId?: string | undefined;
  /** The text of its public key; without one the client cannot call until a key is added. */
  readonly publicKey?: string | undefined;
  readonly network: readonly NetworkInput[];
  /** Names of roles; with none the client may call only what needs no permission. */
  readonly roles: readonly string[];
  readonly acceptWithoutDate?: boolean | undefined;
}

/** What the store is told about its surroundings. */
export interface StoreContext {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  readonly keyPolicy: PublicKeyPolicy;
}

/**
 * Adds a client.
 *
 * @throws RegistryError; nothing is written then
 */
export async function addClient(
  database: Database,
  client: NewClient,
  context: StoreContext,
): Promise<ClientRecord> {
  const { nowMs } = context;
  checkName(client.name);
  if (client.clientId !== undefined) checkClientId(client.clientId);
  const clientId = client.clientId ?? newId('client', nowMs);
  const network = readNetwork(client.network);
  const key =
    client.publicKey === undefined ? undefined : readOfferedKey(client.publicKey, context.keyPolicy);
  return inTransaction(database, async (transaction) => {
    await checkAccount(transaction, client.accountId);
    const roleIds = await roleIdsByName(transaction, client.accountId, client.roles);
    await checkNotTaken(transaction, clientId);
    const version = await recordChange(transaction, 'client', clientId, nowMs);
    await transaction
      .insertInto('clients')
      .values({
        client_id: clientId,
        account_id: client.accountId,
        name: client.name,
        status: 'active',
        accept_without_date: client.acceptWithoutDate === true ? 1 : 0,
        created_at_ms: nowMs,
        updated_at_ms: nowMs,
        revoked_at_ms: null,
        version,
      })
      .execute();
    await writeNetwork(transaction, clientId, network, nowMs);
    await writeRoles(transaction, clientId, roleIds);
    if (key !== undefined)
      await insertKey(transaction, { accountId: client.accountId, clientId }, key, nowMs);
    return readClient(transaction, clientId);
  });
}

/** Disables or enables a client; one that is so already stays as it is. */
export async function setClientStatus(
  database: Database,
  clientId: string,
  status: 'active' | 'disabled',
  nowMs: number,
): Promise<ClientRecord> {
  return changeClient(database, clientId, nowMs, async (transaction, client) => {
    if (client.status === status) return false;
    await transaction.updateTable('clients').set({ status }).where('client_id', '=', clientId).execute();
    return true;
  });
}

/** Replaces the network whitelist of a client. */
export async function setClientNetwork(
  database: Database,
  clientId: string,
  network: readonly NetworkInput[],
  nowMs: number,
): Promise<ClientRecord> {
  const records = readNetwork(network);
  return changeClient(database, clientId, nowMs, async (transaction) => {
    await writeNetwork(transaction, clientId, records, nowMs);
    return true;
  });
}

/** Replaces the roles of a client. */
export async function setClientRoles(
  database: Database,
  clientId: string,
  roles: readonly string[],
  nowMs: number,
): Promise<ClientRecord> {
  return changeClient(database, clientId, nowMs, async (transaction, client) => {
    await writeRoles(transaction, clientId, await roleIdsByName(transaction, client.accountId, roles));
    return true;
  });
}

/** Adds a public key to a client. It verifies from now on, beside the keys that the client has. */
export async function addKey(
  database: Database,
  clientId: string,
  publicKey: string,
  context: StoreContext,
): Promise<ClientRecord> {
  const key: RsaPublicKey = readOfferedKey(publicKey, context.keyPolicy);
  return changeClient(database, clientId, context.nowMs, async (transaction, { accountId }) => {
    await insertKey(transaction, { accountId, clientId }, key, context.nowMs);
    return true;
  });
}

/**
 * Revokes a key of a client, for ever; one that is revoked already stays as it is.
 *
 * @param keyReference the keyId or the fingerprint
 */
export async function revokeKey(
  database: Database,
  clientId: string,
  keyReference: string,
  nowMs: number,
): Promise<ClientRecord> {
  return changeClient(database, clientId, nowMs, async (transaction, { keys }) => {
    const key = keys.find(({ keyId, fingerprint }) => keyId === keyReference || fingerprint === keyReference);
    if (key === undefined) {
      throw new RegistryError(
        'key_unknown',
        'The client has no such key: give the keyId or the whole fingerprint.',
      );
    }
    if (key.status === 'revoked') return false;
    await transaction
      .updateTable('client_keys')
      .set({ status: 'revoked', revoked_at_ms: nowMs })
      .where('key_id', '=', key.keyId)
      .execute();
    return true;
  });
}

/** Reads a client, changes it, and notes the change unless there was none: all in one transaction. */
async function changeClient(
  database: Database,
  clientId: string,
  nowMs: number,
  change: (transaction: Transaction<Schema>, client: ClientRecord) => Promise<boolean>,
): Promise<ClientRecord> {
  return inTransaction(database, async (transaction) => {
    // On PostgreSQL this takes the lock of the row, so that two changes of one client wait for each other; on SQLite
    // the transaction has the lock of the database already.
    await transaction
      .updateTable('clients')
      .set((column) => ({ updated_at_ms: column.ref('updated_at_ms') }))
      .where('client_id', '=', clientId)
      .execute();
    const client = await readClient(transaction, clientId);
    if (client.status === 'revoked') {
      throw new RegistryError(
        'client_revoked',
        'The client is revoked: restore it first, or add a new client.',
      );
    }
    if (!(await change(transaction, client))) return client;
    const version = await recordChange(transaction, 'client', clientId, nowMs);
    await transaction
      .updateTable('clients')
      .set({ version, updated_at_ms: nowMs })
      .where('client_id', '=', clientId)
      .execute();
    return readClient(transaction, clientId);
  });
}

async function checkNotTaken(transaction: Transaction<Schema>, clientId: string): Promise<void> {
  const taken = await transaction
    .selectFrom('clients')
    .select('client_id')
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  if (taken !== undefined) {
    throw new RegistryError(
      'client_id_taken',
      'This clientId is taken, and a clientId is never used again: give another one, or none to have one made.',
    );
  }
}
