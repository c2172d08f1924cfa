import {
  failureLimits,
  failureParameters,
  NetworkWhitelist,
  parseAddress,
  type RefusedAddress,
  type RefusedAddresses,
  refusedAddressParameters,
  type RequestFailures,
} from '@countersign/contract';
import {
  type ClientRecord,
  groupFailures,
  listRefusedAddresses as readRefusedAddresses,
  readClients,
} from '../../registry/store.ts';
import type { Database } from '../../storage/transaction.ts';
import { refuseBody } from '../request-body.ts';
import { queryInvalid, readQueryAs } from '../request-query.ts';
import type { Handler } from '../handler.ts';
import { timestamp } from './key-view.ts';
import type { ManagementParts } from './parts.ts';

const dayMs = 86_400_000;

/** `GET /v1/request-failures`: of the account of the caller, those that happened last first. */
export function listRequestFailures({ database }: Pick<ManagementParts, 'database'>): Handler {
  return async (request) => {
    refuseBody(request);
    const { nowMs, caller } = request;
    const { groupsMax, sourceAddressesMax, failureDaysMax } = failureLimits;
    const { clientId, from = nowMs - dayMs } = readQueryAs(request.query, failureParameters);
    if (from < nowMs - failureDaysMax * dayMs - toleranceMs)
      throw queryInvalid(`from is at most ${failureDaysMax} days ago`);
    const { groups, isComplete } = await groupFailures(database, {
      accountId: caller.accountId,
      clientId,
      fromMs: from,
      groupsMax,
      sourceAddressesMax,
    });
    const body: RequestFailures = { items: groups, isComplete };
    return { status: 200, body };
  };
}

/** The clock of who asks may be some minutes behind. */
const toleranceMs = 600_000;

/** `GET /v1/refused-addresses`: of the account of the caller, those that were refused last first. */
export function listRefusedAddresses({ database }: Pick<ManagementParts, 'database'>): Handler {
  return async (request) => {
    refuseBody(request);
    const { clientId } = readQueryAs(request.query, refusedAddressParameters);
    const groups = await readRefusedAddresses(database, {
      accountId: request.caller.accountId,
      clientId,
      fromMs: request.nowMs - failureLimits.addressDays * dayMs,
      groupsMax: failureLimits.groupsMax,
    });
    const clients = await readInPages(database, [...new Set(groups.map((group) => group.clientId))]);
    const items = groups.flatMap(({ lastAtMs, ...group }): RefusedAddress[] => {
      const client = clients.get(group.clientId);
      const isStillRefused = client?.whitelist.allows(parseAddress(group.sourceAddress)) === false;
      return isStillRefused ? [{ ...group, clientName: client.name, lastAt: timestamp(lastAtMs) }] : [];
    });
    const body: RefusedAddresses = { items };
    return { status: 200, body };
  };
}

interface KnownClient {
  readonly name: string;
  readonly whitelist: NetworkWhitelist;
}

/** The clients that can still be given another whitelist. Each may have a thousand entries: not all are read at once. */
async function readInPages(
  database: Database,
  clientIds: readonly string[],
): Promise<ReadonlyMap<string, KnownClient>> {
  const clients = new Map<string, KnownClient>();
  for (let start = 0; start < clientIds.length; start += clientsPerQuery) {
    for (const client of await readClients(database, clientIds.slice(start, start + clientsPerQuery)))
      if (isOpen(client)) clients.set(client.clientId, { name: client.name, whitelist: whitelistOf(client) });
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
