import type { Requirement } from '@countersign/contract/permissions';
import type { RequestHead } from '../door.ts';
import { type ClientMeans, isFreshNow, isRead, type ProvedClient } from './admit-client.ts';
import { checkActive, checkNetwork, checkPermission } from './standing.ts';

/**
 * Decides again whether the client of an accepted request may still make it: runs checks 9 to 11, and checks
 * that the key which verified it is still usable. Resolves with false if the registry cannot be read.
 */
export async function isStillAdmitted(
  { client: { clientId }, key: { keyId } }: ProvedClient,
  { source }: RequestHead,
  requirement: Requirement,
  { registry }: ClientMeans,
): Promise<boolean> {
  if (!(await isFreshNow(registry))) return false;
  if (registry.isUnread(clientId) && !(await isRead(registry, clientId))) return false;
  const client = registry.clientById(clientId);
  if (client === undefined || !client.keys.some((key) => key.keyId === keyId)) return false;
  const attempt = {
    sourceAddress: source.text,
    isSourceAllowed: () => client.network.allows(source.address),
    requirement,
    parameters: {},
  };
  const refusal = checkActive(client) ?? checkNetwork(client, attempt) ?? checkPermission(client, attempt);
  return refusal === undefined;
}
