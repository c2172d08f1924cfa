import {
  formatAddress,
  type NetworkAddressTest,
  networkEntryRequestSchema,
  networkTestParameters,
  NetworkWhitelist,
  type NetworkWhitelistContent,
  networkWhitelistRequestSchema,
  parseAddress,
} from '@countersign/contract';
import {
  addNetworkEntry,
  type ClientRecord,
  readWhitelist,
  removeNetworkEntry,
  setClientNetwork,
} from '../../registry/store.ts';
import { type Database, inTransaction } from '../../storage/transaction.ts';
import { entityTag } from '../entity-tag.ts';
import { refuseBody } from '../request-body.ts';
import { queryInvalid, readQuery, readQueryAs } from '../request-query.ts';
import type { Answer } from '@countersign/gate';
import type { Handler } from '../handler.ts';
import { changeContext } from './caller-scope.ts';
import { clientIdOf, readVisibleClient } from './clients.ts';
import { readManagementBody } from './management-body.ts';
import type { ManagementParts } from './parts.ts';

/** `GET /v1/clients/{clientId}/network-whitelist` */
export function getWhitelist({ database }: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    readQuery(request.query, []);
    return whitelistAnswer(database, await readVisibleClient(database, request));
  };
}

/** `POST /v1/clients/{clientId}/network-whitelist` */
export function addEntry(parts: ManagementParts): Handler {
  return (request) => {
    readQuery(request.query, []);
    const entry = readManagementBody(request, networkEntryRequestSchema);
    const context = changeContext(request, parts);
    return parts.idempotency.run(request, async (transaction) => {
      const record = await addNetworkEntry(transaction, clientIdOf(request), entry, context);
      return whitelistAnswer(transaction, record, 201);
    });
  };
}

/** `PUT /v1/clients/{clientId}/network-whitelist` */
export function replaceWhitelist(parts: ManagementParts): Handler {
  return async (request) => {
    readQuery(request.query, []);
    const { entries } = readManagementBody(request, networkWhitelistRequestSchema);
    const context = changeContext(request, parts);
    return inTransaction(parts.database, async (transaction) => {
      const record = await setClientNetwork(transaction, clientIdOf(request), entries, context);
      return whitelistAnswer(transaction, record);
    });
  };
}

/** `DELETE /v1/clients/{clientId}/network-whitelist/{entry}` */
export function removeEntry(parts: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    readQuery(request.query, []);
    const context = changeContext(request, parts);
    const entry = request.parameters['entry'] ?? '';
    return inTransaction(parts.database, async (transaction) => {
      const record = await removeNetworkEntry(transaction, clientIdOf(request), entry, context);
      return whitelistAnswer(transaction, record);
    });
  };
}

/** `GET /v1/clients/{clientId}/network-whitelist/test` */
export function testAddress({ database }: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    const { address: text } = readQueryAs(request.query, networkTestParameters);
    const record = await readVisibleClient(database, request);
    const address = text === undefined ? undefined : parseAddress(text);
    if (address === undefined) throw queryInvalid('address is an IPv4 or IPv6 address, such as 203.0.113.7');
    const whitelist = NetworkWhitelist.fromTexts(record.network.map(({ entry }) => entry));
    const body: NetworkAddressTest = {
      address: formatAddress(address),
      isAllowed: whitelist.allows(address),
      entries: whitelist.entriesFor(address),
    };
    return { status: 200, body };
  };
}

/** Read in the transaction of a change: when it cannot be read, the change is not made either. */
async function whitelistAnswer(
  database: Database,
  record: ClientRecord,
  status: 200 | 201 = 200,
): Promise<Answer> {
  const body: NetworkWhitelistContent = { entries: await readWhitelist(database, record.clientId) };
  return { status, headers: { ETag: entityTag(record.version) }, body };
}
