import type { Client, ClientDirectory } from '@countersign/contract';
import { openEntries } from '../../registry/store/checklist.ts';
import { restorableMs } from '../../registry/store/client-change.ts';
import type { DirectoryRecord } from '../../registry/store/client-directories.ts';
import { acceptsWithoutDate } from '../../registry/store/client-profile.ts';
import type { ClientRecord } from '../../registry/store/client-records.ts';
import { isCurrentKey } from '../../registry/store/key-state.ts';
import { readClientUses, readLastUses } from '../../registry/store/last-uses.ts';
import type { Database } from '../../storage/transaction.ts';
import { timestamp, timestampIfAny } from '../timestamp.ts';
import { showKey } from './key-view.ts';

/** Returns clients as the API shows them, as of a time. */
export async function showClients(
  database: Database,
  records: readonly ClientRecord[],
  nowMs: number,
): Promise<Client[]> {
  const clientUses = await readClientUses(
    database,
    records.map(({ clientId }) => clientId),
  );
  const shown = records.map((record) => ({
    record,
    keys: record.keys.filter((key) => isCurrentKey(key, record.keyAgeDaysMax, nowMs)),
  }));
  const keyUses = await readLastUses(
    database,
    'key',
    shown.flatMap(({ keys }) => keys.map(({ keyId }) => keyId)),
  );
  return shown.map(({ record, keys }) => ({
    clientId: record.clientId,
    accountId: record.accountId,
    name: record.name,
    // Archived clients are never shown.
    status: record.status === 'archived' ? 'revoked' : record.status,
    roles: record.roles,
    tags: record.tags,
    metadata: record.metadata,
    profile: record.profile,
    acceptWithoutDate: acceptsWithoutDate(record.profile),
    allowExplanations: record.allowExplanations,
    requestsPerMinuteMax: record.requestsPerMinuteMax ?? null,
    requestsBurstMax: record.requestsBurstMax ?? null,
    keys: keys.map((key) => showKey(key, record, keyUses.get(key.keyId), nowMs)),
    directory: record.directory === undefined ? null : showDirectory(record.directory),
    createdAt: timestamp(record.createdAtMs),
    updatedAt: timestamp(record.updatedAtMs),
    network: {
      entries: record.network.length,
      isEveryone: record.network.some(({ entry }) => openEntries.includes(entry)),
    },
    lastUsedAt: timestampIfAny(clientUses.get(record.clientId)?.usedAtMs),
    lastUsedFrom: clientUses.get(record.clientId)?.sourceAddress,
    expiresAt: timestampIfAny(record.expiresAtMs),
    revokedAt: timestampIfAny(record.revokedAtMs),
    restorableUntil: timestampIfAny(restorableUntilMs(record)),
  }));
}

/** A temporary client can only be restored until it expires. */
function restorableUntilMs({ revokedAtMs, expiresAtMs }: ClientRecord): number | undefined {
  return revokedAtMs === undefined
    ? undefined
    : Math.min(revokedAtMs + restorableMs, expiresAtMs ?? Infinity);
}

/** Returns a directory as the API shows it. */
export function showDirectory(directory: DirectoryRecord): ClientDirectory {
  const { url, lastAttemptAtMs, nextFetchAtMs, lastSuccessAtMs } = directory;
  const { problem = null, keyCount, skipped } = directory;
  return {
    url,
    lastAttemptAt: timestampIfAny(lastAttemptAtMs) ?? null,
    nextAttemptAt: timestamp(nextFetchAtMs),
    lastSuccessAt: timestampIfAny(lastSuccessAtMs) ?? null,
    problem,
    keys: keyCount,
    skipped,
  };
}

/** Returns one client as the API shows it. */
export async function showClient(database: Database, record: ClientRecord, nowMs: number): Promise<Client> {
  const [client] = await showClients(database, [record], nowMs);
  return client!;
}
