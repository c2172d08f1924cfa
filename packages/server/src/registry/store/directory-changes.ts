import type { Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import { RegistryError } from '../registry-error.ts';
import type { Difference } from './audit.ts';
import { notPermitted } from './caller.ts';
import {
  checkKeepsDirectory,
  insertDirectory,
  readDirectory,
  type WrittenDirectory,
} from './client-directories.ts';
import type { ClientRecord } from './client-records.ts';
import type { ChangeContext } from './context.ts';
import { endKeys } from './directory-keys.ts';

/**
 * Gives a client another directory, or none. The keys of the earlier directory end at once: they count only while the client
 * has it. Registered keys verify until the new directory has given keys.
 *
 * @param written null for none; undefined to leave it as it is
 * @param profile the profile that the client has afterwards
 * @returns the change for the audit log; undefined for none
 * @throws RegistryError `directory_invalid`, `caller_not_permitted`
 */
export async function changeDirectory(
  transaction: Transaction<Schema>,
  client: ClientRecord,
  written: WrittenDirectory | null | undefined,
  profile: string,
  { nowMs, grantable }: ChangeContext,
): Promise<Difference | undefined> {
  const { clientId, directory: present } = client;
  if (written === undefined && present !== undefined) checkKeepsDirectory(present, profile);
  const next = written ? readDirectory(written, profile) : undefined;
  if (next !== undefined && client.expiresAtMs !== undefined)
    throw new RegistryError('directory_invalid', 'Omit it: a temporary client has registered keys.', {
      member: ['directoryUrl'],
    });
  const isKept = next?.url === present?.url && next?.form === present?.form;
  if (written === undefined || isKept) {
    // Which of its keys count, and for which algorithm, depends on the profile.
    if (profile !== client.profile && present !== undefined)
      await transaction
        .updateTable('client_directories')
        .set({ next_fetch_at_ms: nowMs })
        .where('client_id', '=', clientId)
        .execute();
    return undefined;
  }
  // It adds and ends keys.
  if (grantable !== undefined && !grantable.has('keys:write'))
    throw notPermitted('Changing the directory of keys needs the permission keys:write, too.');
  const isFollowed = present?.lastSuccessAtMs !== undefined;
  const ended = isFollowed ? await endKeys(transaction, client, nowMs) : undefined;
  await transaction.deleteFrom('client_directories').where('client_id', '=', clientId).execute();
  if (next !== undefined) await insertDirectory(transaction, client, next, nowMs);
  return {
    before: { directoryUrl: present?.url ?? null, ...ended?.before },
    after: { directoryUrl: next?.url ?? null, ...ended?.after },
  };
}
