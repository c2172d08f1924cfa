import { isThumbprint } from '@countersign/signature/profile';
import { thumbprintOfPem } from '../../directories/directory-key.ts';
import type { Database } from '../../storage/transaction.ts';

/**
 * Returns the account's client of another profile than the closed ones that has, or had, a key with this name: its JWK thumbprint
 * (RFC 7638), or the URL that the client's actor gives it. Looks at the newest keys only. Undefined for none.
 *
 * Other accounts can have the same key, so the service may take nobody for this client.
 */
export async function readKeyNameOwner(
  database: Database,
  accountId: string,
  keyName: string,
): Promise<string | undefined> {
  const isByThumbprint = isThumbprint(keyName);
  if (!isByThumbprint && !/^https?:/.test(keyName)) return undefined;
  const keys = database
    .selectFrom('client_keys')
    .innerJoin('clients', 'clients.client_id', 'client_keys.client_id')
    .select(['client_keys.client_id', 'client_keys.spki_pem'])
    .where('client_keys.account_id', '=', accountId)
    .where('clients.status', '!=', 'archived')
    // The column is empty for the closed profiles, whose clients are named by their IDs.
    .where('clients.profile', 'is not', null)
    .orderBy('client_keys.key_id', 'desc');
  if (!isByThumbprint) {
    const row = await keys.where('client_keys.published_id', '=', keyName).limit(1).executeTakeFirst();
    return row?.client_id;
  }
  const rows = await keys.limit(keysMax).execute();
  return rows.find(({ spki_pem }) => thumbprintOfPem(spki_pem) === keyName)?.client_id;
}

/** Their thumbprints take about 20 ms. */
const keysMax = 500;
