import { type Address, formatAddress, NetworkWhitelist } from '@countersign/contract';
import type { NetworkRecord } from './networks.ts';

/*
 * The networks from which an account's people may use the portal. They are one text in the row of the account's
 * policy, because every request with a session needs all of them.
 */

/** Reads the stored networks, in canonical form; none if the portal may be used from everywhere. */
export function readPortalNetworks(stored: string | null | undefined): readonly NetworkRecord[] {
  return stored === null || stored === undefined ? [] : (JSON.parse(stored) as readonly NetworkRecord[]);
}

/** Writes networks as they are stored. */
export function writePortalNetworks(networks: readonly NetworkRecord[]): string | null {
  return networks.length === 0 ? null : JSON.stringify(networks);
}

/** Returns true if people may use an account from this address. No list allows an unknown one. */
export function isAllowedFrom(networks: readonly NetworkRecord[], address: Address | undefined): boolean {
  if (networks.length === 0) return true;
  return NetworkWhitelist.fromTexts(networks.map(({ entry }) => entry)).allows(address);
}

/** Returns the words for an address that is not allowed. */
export function addressInWords(address: Address | undefined): string {
  return address === undefined ? 'an unknown address' : `the address ${formatAddress(address)}`;
}
