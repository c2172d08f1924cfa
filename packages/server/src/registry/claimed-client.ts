import type { RegisteredClient, Registry } from '@countersign/gate';

/** What finding a claimed client takes. */
export type ClaimedClients = Pick<Registry, 'clientById' | 'clientByKeyName'>;

/**
 * Returns the client that a request names without proof: by its ID, or by the name of a key that it alone has. Anyone can name
 * any client, so only its owner may see what follows from it, and only after the response.
 */
export function claimedClient(registry: ClaimedClients, keyid: string): RegisteredClient | undefined {
  return registry.clientById(keyid) ?? registry.clientByKeyName?.(keyid);
}
