import { useLocation, useSearch } from 'wouter';
import { clientPath } from './client-path.ts';

/** The parts of a client, as they stand in the address after `?tab=`. */
export const clientTabs = [
  'overview',
  'keys',
  'network',
  'roles',
  'requests',
  'snippets',
  'history',
] as const;

/** A part of a client. */
export type ClientTab = (typeof clientTabs)[number];

/** The part that the address names, and how to go to another one: a step back in the browser leads back to it. */
export function useTab(clientId: string): [ClientTab, (tab: ClientTab) => void] {
  const [, navigate] = useLocation();
  const named = new URLSearchParams(useSearch()).get('tab');
  const tab = clientTabs.find((one) => one === named) ?? 'overview';
  return [tab, (next) => navigate(clientPath(clientId, next === 'overview' ? '' : `?tab=${next}`))];
}
