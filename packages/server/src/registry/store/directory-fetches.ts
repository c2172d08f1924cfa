import type { DirectoryContents } from '../../directories/directory-key.ts';
import type { DirectoryLocation } from '../../directories/directory-location.ts';
import type { Database } from '../../storage/transaction.ts';
import { changeRegistry } from './changes.ts';
import { recordClientEvent } from './client-change.ts';
import { type ClientRecord, readClients } from './client-records.ts';
import type { ChangeContext } from './context.ts';
import { deleteOldestDeadKeys } from './dead-keys.ts';
import { endKeys, replaceKeys } from './directory-keys.ts';
import { type DueSelection, readDueDirectories } from './due-directories.ts';

/** A directory that this node has claimed to fetch. */
export interface DirectoryAttempt extends DirectoryLocation {
  readonly clientId: string;
  readonly origin: string;
  /** Identifies the attempt. */
  readonly atMs: number;
  /** When the directory is due again, unless the attempt succeeds. */
  readonly untilMs: number;
}

/**
 * Claims directories whose turn it is: no other node fetches them before they are due again.
 *
 * @param pauseAfter returns how long a directory is left alone after so many failures, in milliseconds
 */
export async function claimDirectories(
  database: Database,
  selection: DueSelection,
  pauseAfter: (failures: number) => number,
): Promise<readonly DirectoryAttempt[]> {
  const { nowMs } = selection;
  const claimed: DirectoryAttempt[] = [];
  for (const { clientId, form, url, origin, failures, dueAtMs } of await readDueDirectories(
    database,
    selection,
  )) {
    const untilMs = nowMs + pauseAfter(failures);
    const { numUpdatedRows } = await database
      .updateTable('client_directories')
      .set({ next_fetch_at_ms: untilMs, last_attempt_at_ms: nowMs })
      .where('client_id', '=', clientId)
      .where('url', '=', url)
      .where('next_fetch_at_ms', '=', dueAtMs)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 1n) claimed.push({ clientId, form, url, origin, atMs: nowMs, untilMs });
  }
  return claimed;
}

/** Lets any node fetch a directory at once, because this one stops before it has an answer. */
export async function releaseDirectory(database: Database, attempt: DirectoryAttempt): Promise<void> {
  await ofAttempt(database, attempt).set({ next_fetch_at_ms: attempt.atMs }).execute();
}

/** Records why an attempt failed, so that the pause after the next failure is longer. */
export async function failDirectory(
  database: Database,
  attempt: DirectoryAttempt,
  problem: string,
): Promise<void> {
  await ofAttempt(database, attempt)
    .set((column) => ({ problem, failures: column('failures', '+', 1) }))
    .execute();
}

const noKeys = 'The directory has no key that counts. The registered keys work until it has one.';

/**
 * Gives the client what its directory was served with. Does nothing if the client has another directory by now, or if there
 * was a later attempt.
 *
 * @returns true if the client changed
 */
export async function succeedDirectory(
  database: Database,
  attempt: DirectoryAttempt,
  { contents, freshForMs }: { readonly contents: DirectoryContents; readonly freshForMs: number },
  context: ChangeContext,
): Promise<boolean> {
  return changeRegistry(database, async (transaction) => {
    const [client] = await readClients(transaction, [attempt.clientId]);
    if (client === undefined || (client.status !== 'active' && client.status !== 'disabled')) return false;
    const { directory } = client;
    if (directory?.url !== attempt.url || directory.lastAttemptAtMs !== attempt.atMs) return false;
    const isFirst = directory.lastSuccessAtMs === undefined;
    const replaced = await replaceKeys(transaction, client, contents, context, isFirst);
    const { changes, keyCount, skipped } = replaced;
    // Registered keys work until the directory has given some.
    if (isFirst && keyCount === 0) {
      await ofAttempt(transaction, attempt)
        .set({ problem: noKeys, failures: 0, skipped: JSON.stringify(skipped) })
        .execute();
      return false;
    }
    // Not if someone has asked for another fetch meanwhile.
    await ofAttempt(transaction, attempt)
      .where('next_fetch_at_ms', '=', attempt.untilMs)
      .set({ next_fetch_at_ms: context.nowMs + freshForMs })
      .execute();
    await ofAttempt(transaction, attempt)
      .set({
        failures: 0,
        // As of the beginning: what was served may be as old as that.
        last_success_at_ms: attempt.atMs,
        problem: null,
        key_count: keyCount,
        skipped: JSON.stringify(skipped),
      })
      .execute();
    await deleteOldestDeadKeys(transaction, client);
    // From the first success on, requests must name the directory.
    if (changes === undefined && !isFirst) return false;
    await recordKeys(transaction, client, changes, context);
    return true;
  });
}

/**
 * Ends the keys of directories that could not be read since a time, because nobody knows what they would say.
 *
 * @returns the clients, at most `limit`
 */
export async function endUnreadDirectories(
  database: Database,
  { sinceMs, limit, problem }: { readonly sinceMs: number; readonly limit: number; readonly problem: string },
  context: ChangeContext,
): Promise<readonly string[]> {
  const rows = await database
    .selectFrom('client_directories')
    .innerJoin('clients', 'clients.client_id', 'client_directories.client_id')
    .select('client_directories.client_id as client_id')
    .where('clients.status', 'in', ['active', 'disabled'])
    .where('last_success_at_ms', '<=', sinceMs)
    .where('key_count', '>', 0)
    .limit(limit)
    .execute();
  const ended: string[] = [];
  for (const { client_id: clientId } of rows) {
    const isEnded = await changeRegistry(database, async (transaction) => {
      const [client] = await readClients(transaction, [clientId]);
      const { directory } = client ?? {};
      if (client === undefined || (directory?.lastSuccessAtMs ?? Infinity) > sinceMs) return false;
      if (directory!.keyCount === 0) return false;
      const changes = await endKeys(transaction, client, context.nowMs);
      await transaction
        .updateTable('client_directories')
        .set({ key_count: 0, problem: [directory!.problem, problem].filter(Boolean).join(' ') })
        .where('client_id', '=', clientId)
        .execute();
      await recordKeys(transaction, client, changes, context);
      return true;
    });
    if (isEnded) ended.push(clientId);
  }
  return ended;
}

type Transaction = Parameters<Parameters<typeof changeRegistry>[1]>[0];

async function recordKeys(
  transaction: Transaction,
  client: ClientRecord,
  changes: Awaited<ReturnType<typeof endKeys>>,
  context: ChangeContext,
): Promise<void> {
  const version = await recordClientEvent(
    transaction,
    client,
    { action: 'client.updated', ...changes },
    context,
  );
  await transaction
    .updateTable('clients')
    .set({ version, updated_at_ms: context.nowMs })
    .where('client_id', '=', client.clientId)
    .execute();
}

function ofAttempt(database: Database, { clientId, url, atMs }: DirectoryAttempt) {
  return database
    .updateTable('client_directories')
    .where('client_id', '=', clientId)
    .where('url', '=', url)
    .where('last_attempt_at_ms', '=', atMs);
}
