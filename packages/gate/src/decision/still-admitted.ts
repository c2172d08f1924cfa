import type { Requirement } from '@countersign/contract/permissions';
import type { RequestHead } from '../door.ts';
import { type ClientMeans, isFreshNow, isRead, type ProvedClient } from './admit-client.ts';
import { checkActive, checkNetwork, checkPermission, checkProfile } from './standing.ts';

/**
 * Decides again whether the client of an accepted request may still make it: runs checks 9 to 11, and checks
 * that the key which verified it is still usable, and that the client still has the profile which it followed. Resolves with false if the registry cannot be read.
 *
 * @param profiles those that its base URL and its route accept now; undefined for all
 */
export async function isStillAdmitted(
  { client: { clientId, profile }, key: { keyId } }: ProvedClient,
  { source }: RequestHead,
  requirement: Requirement,
  { registry }: ClientMeans,
  profiles: readonly string[] | undefined,
): Promise<boolean> {
  if (!(await isFreshNow(registry))) return false;
  if (registry.isUnread(clientId) && !(await isRead(registry, clientId))) return false;
  const client = registry.clientById(clientId);
  if (client === undefined || client.profile !== profile) return false;
  if (!client.keys.some((key) => key.keyId === keyId)) return false;
  const attempt = {
    sourceAddress: source.text,
    isSourceAllowed: () => client.network.allows(source.address),
    requirement,
    parameters: {},
    profiles,
  };
  const refusal =
    checkProfile(client, attempt) ??
    checkActive(client) ??
    checkNetwork(client, attempt) ??
    checkPermission(client, attempt);
  return refusal === undefined;
}
