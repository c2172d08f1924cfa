import {
  formatAddress,
  NetworkWhitelist,
  type NetworkWhitelistContent,
  parseAddress,
} from '@countersign/contract';
import type { Answer } from '@countersign/gate';
import type { ClientRecord } from '../../registry/store/client-records.ts';
import {
  addNetworkEntry,
  readWhitelist,
  removeNetworkEntry,
  setClientNetwork,
} from '../../registry/store/networks.ts';
import type { Database } from '../../storage/transaction.ts';
import { entityTag } from '../entity-tag.ts';
import { defineHandlers } from '../handlers.ts';
import { queryInvalid } from '../request-query.ts';
import { clientIdOf, readVisibleClient } from './clients.ts';

export const networkWhitelistHandlers = defineHandlers(({ database, change }) => ({
  getNetworkWhitelist: async (_input, request) =>
    whitelistAnswer(database, await readVisibleClient(database, request)),

  addNetworkEntry: ({ body }, request) =>
    change(request, async (transaction, context) => {
      const record = await addNetworkEntry(transaction, clientIdOf(request), body, context);
      return whitelistAnswer(transaction, record, 201);
    }),

  replaceNetworkWhitelist: ({ body: { entries } }, request) =>
    change(request, async (transaction, context) => {
      const record = await setClientNetwork(transaction, clientIdOf(request), entries, context);
      return whitelistAnswer(transaction, record);
    }),

  removeNetworkEntry: (_input, request) =>
    change(request, async (transaction, context) => {
      const entry = request.parameters['entry'] ?? '';
      const record = await removeNetworkEntry(transaction, clientIdOf(request), entry, context);
      return whitelistAnswer(transaction, record);
    }),

  testNetworkAddress: async ({ query }, request) => {
    const record = await readVisibleClient(database, request);
    const address = query.address === undefined ? undefined : parseAddress(query.address);
    if (address === undefined) throw queryInvalid('address is an IPv4 or IPv6 address, such as 203.0.113.7');
    const whitelist = NetworkWhitelist.fromTexts(record.network.map(({ entry }) => entry));
    return {
      status: 200,
      body: {
        address: formatAddress(address),
        isAllowed: whitelist.allows(address),
        entries: whitelist.entriesFor(address),
      },
    };
  },
}));

/** Reads within the change's transaction: if reading fails, the change is rolled back too. */
async function whitelistAnswer(
  database: Database,
  record: ClientRecord,
  status: 200 | 201 = 200,
): Promise<Answer<NetworkWhitelistContent>> {
  const body = { entries: await readWhitelist(database, record.clientId) };
  return { status, headers: { ETag: entityTag(record.version) }, body };
}
