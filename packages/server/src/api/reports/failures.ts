import { failureLimits, NetworkWhitelist, parseAddress, type RefusedAddress } from '@countersign/contract';
import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { type ClientRecord, readClients } from '../../registry/store/client-records.ts';
import { groupFailures, listRefusedAddresses } from '../../request-log/records/request-failures.ts';
import type { Database } from '../../storage/transaction.ts';
import { queryInvalid } from '../request-query.ts';
import { timestamp } from '../timestamp.ts';
import { defineReports } from './report-handlers.ts';

const dayMs = 86_400_000;
/** The caller's clock may be a few minutes behind. */
const toleranceMs = 600_000;

export const failureReports = defineReports((database) => ({
  listRequestFailures: async ({ query }, { nowMs, caller }) => {
    const { groupsMax, sourceAddressesMax, failureDaysMax } = failureLimits;
    const { clientId, from = nowMs - dayMs } = query;
    if (from < nowMs - failureDaysMax * dayMs - toleranceMs)
      throw queryInvalid(`from is at most ${failureDaysMax} days ago`);
    const { groups, isComplete } = await groupFailures(database, {
      accountId: caller.accountId,
      clientId,
      fromMs: from,
      groupsMax,
      sourceAddressesMax,
    });
    return { status: 200, body: { items: groups, isComplete } };
  },

  listRefusedAddresses: async ({ query: { clientId } }, { caller, nowMs }) => {
    const groups = await listRefusedAddresses(database, {
      accountId: caller.accountId,
      clientId,
      fromMs: nowMs - failureLimits.addressDays * dayMs,
      groupsMax: failureLimits.groupsMax,
    });
    const clients = await readInPages(database, [...new Set(groups.map((group) => group.clientId))]);
    const items = groups.flatMap(({ lastAtMs, ...group }): RefusedAddress[] => {
      const client = clients.get(group.clientId);
      const isStillRefused = client?.whitelist.allows(parseAddress(group.sourceAddress)) === false;
      return isStillRefused ? [{ ...group, clientName: client.name, lastAt: timestamp(lastAtMs) }] : [];
    });
    return { status: 200, body: { items } };
  },
}));

interface KnownClient {
  readonly name: string;
  readonly whitelist: NetworkWhitelist;
}

/**
 * Lists the clients whose whitelist can still be changed. Each whitelist may have a thousand entries, so they
 * are read in pages.
 */
async function readInPages(
  database: Database,
  clientIds: readonly string[],
): Promise<ReadonlyMap<string, KnownClient>> {
  const clients = new Map<string, KnownClient>();
  for (let start = 0; start < clientIds.length; start += clientsPerQuery) {
    for (const client of await readClients(database, clientIds.slice(start, start + clientsPerQuery)))
      if (isOpen(client)) clients.set(client.clientId, { name: client.name, whitelist: whitelistOf(client) });
    // Lets requests be served in between.
    await nextLoopTurn('reports');
  }
  return clients;
}

const clientsPerQuery = 10;

function isOpen({ status }: ClientRecord): boolean {
  return status === 'active' || status === 'disabled';
}

function whitelistOf({ network }: ClientRecord): NetworkWhitelist {
  return NetworkWhitelist.fromTexts(network.map(({ entry }) => entry));
}
