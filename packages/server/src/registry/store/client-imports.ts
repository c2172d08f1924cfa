import { sql, type Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';
import { recordAudited } from './audit.ts';
import { changeFor } from './caller.ts';
import type { ClientRecord } from './client-records.ts';
import { addClient, type NewClient } from './clients.ts';
import type { StoreContext } from './context.ts';

/** The result for one client: the client, or the reason why it could not be added. */
export type ImportResult = ClientRecord | RegistryError;

/**
 * Adds many clients to one account, in one transaction. Each client is added as a whole or not at all, with its
 * own audit event; one more event summarizes the import.
 *
 * @throws RegistryError if the caller may not add clients; an error about a single client is its result
 */
export async function importClients(
  database: Database,
  accountId: string,
  clients: readonly Omit<NewClient, 'accountId' | 'clientId'>[],
  initialContext: StoreContext,
): Promise<readonly ImportResult[]> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const results: ImportResult[] = [];
    for (const client of clients) results.push(await addOne(transaction, { ...client, accountId }, context));
    const added = results.filter((result): result is ClientRecord => !(result instanceof RegistryError));
    const [first] = added;
    if (first === undefined) return results;
    await recordAudited(
      transaction,
      {
        // Every record needs a part of the registry to reload. Use one of the clients, which is reloaded
        // anyway.
        subject: 'client',
        subjectId: first.clientId,
        accountId,
        action: 'clients.imported',
        targets: [{ type: 'account', id: accountId }],
        after: { clients: added.length, failed: results.length - added.length },
      },
      context,
    );
    return results;
  });
}

async function addOne(
  transaction: Transaction<Schema>,
  client: NewClient,
  context: StoreContext,
): Promise<ImportResult> {
  await sql`savepoint one_import`.execute(transaction);
  try {
    const added = await addClient(transaction, client, context);
    await sql`release savepoint one_import`.execute(transaction);
    return added;
  } catch (error) {
    // An error about the caller affects every client.
    if (!(error instanceof RegistryError) || error.code.startsWith('caller_')) throw error;
    await sql`rollback to savepoint one_import`.execute(transaction);
    await sql`release savepoint one_import`.execute(transaction);
    return error;
  }
}

/** Returns which of some names are already used by the account's clients. */
export async function takenNames(
  database: Database,
  accountId: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const rows = await database
    .selectFrom('clients')
    .select('name')
    .where('account_id', '=', accountId)
    .where('status', '!=', 'archived')
    .where('name', 'in', names)
    .execute();
  return new Set(rows.map(({ name }) => name));
}
