import { useLocation } from 'wouter';
import { clientIdOfPath } from './client-path.ts';

/**
 * The clientId in the address, as the account has it. It is read from the raw path: routers decode it too early for a
 * clientId that holds slashes or percent signs.
 */
export function useClientId(): string {
  // For a new look whenever the address changes.
  useLocation();
  return clientIdOfPath(globalThis.location.pathname);
}
