/** Addresses and network whitelists, without the schema library. */
export { formatAddress, parseAddress, type Address, type AddressWords } from './network/address.ts';
export { addressOwner } from './network/address-owner.ts';
export {
  allowsEveryone,
  entryTextsFor,
  readNetworkEntry,
  readPortalNetworkEntry,
  type NetworkEntry,
  type NetworkEntryReading,
} from './network/network-entry.ts';
export { NetworkWhitelist } from './network/network-whitelist.ts';
export { sourceAddress } from './network/source-address.ts';
export { opensWide } from './network/network-width.ts';
