import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';
import { changeClient } from './client-change.ts';
import type { ClientRecord } from './client-records.ts';
import type { ChangeContext } from './context.ts';

/** A directory can be refreshed once in this time, so that nobody makes the service send more requests than that. */
const refreshEveryMs = 60_000;

/**
 * Makes a client's directory due at once. It is fetched in the background, like every other.
 *
 * @throws RegistryError like `changeClient`, and `directory_missing`, `directory_just_refreshed`
 */
export async function refreshDirectory(
  database: Database,
  clientId: string,
  initialContext: ChangeContext,
): Promise<ClientRecord> {
  return changeClient(
    database,
    clientId,
    initialContext,
    { widens: false },
    async (transaction, client, { nowMs }) => {
      const { directory } = client;
      if (directory === undefined)
        throw new RegistryError(
          'directory_missing',
          'The keys of this client are registered: it has no directory to fetch.',
        );
      const waitMs = (directory.refreshedAtMs ?? -Infinity) + refreshEveryMs - nowMs;
      // A longer wait than that: the clock was set back.
      if (waitMs > 0 && waitMs <= refreshEveryMs)
        throw new RegistryError(
          'directory_just_refreshed',
          'the directory was refreshed within the last minute',
          { retryAfterSeconds: Math.ceil(waitMs / 1000) },
        );
      await transaction
        .updateTable('client_directories')
        .set({ next_fetch_at_ms: nowMs, refreshed_at_ms: nowMs })
        .where('client_id', '=', clientId)
        .execute();
      return [{ action: 'client.directory_refreshed', after: { directoryUrl: directory.url } }];
    },
  );
}
