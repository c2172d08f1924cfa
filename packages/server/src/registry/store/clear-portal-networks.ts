import type { Database } from '../../storage/transaction.ts';
import { readAccount, recordOfAccount } from './accounts.ts';
import { changeRegistry } from './changes.ts';
import type { ChangeContext } from './context.ts';
import type { NetworkRecord } from './networks.ts';
import { readPortalNetworks } from './portal-networks.ts';

/**
 * Lets an account's people use the portal from everywhere, as the operator does on the machine.
 *
 * @returns the networks that were allowed before
 * @throws RegistryError `account_unknown`
 */
export async function clearPortalNetworks(
  database: Database,
  accountId: string,
  context: ChangeContext,
): Promise<readonly NetworkRecord[]> {
  return changeRegistry(database, async (transaction) => {
    await readAccount(transaction, accountId);
    const row = await transaction
      .selectFrom('security_policies')
      .select('portal_networks')
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    const networks = readPortalNetworks(row?.portal_networks);
    if (networks.length === 0) return networks;
    await transaction
      .updateTable('security_policies')
      .set({ portal_networks: null })
      .where('account_id', '=', accountId)
      .execute();
    const change = {
      action: 'policy.updated',
      before: { portalNetworks: networks },
      after: { portalNetworks: [] },
    } as const;
    await recordOfAccount(transaction, accountId, change, context);
    return networks;
  });
}
