import { plural } from './plural.ts';

export const palette = {
  open: 'Search',
  title: 'Search the portal',
  close: 'Close search',
  placeholder: 'Page, client, or request ID',
  hint: 'Type the name of a page or client, a client ID, or a request ID.',
  results: 'Results',
  recent: 'Recent',
  pages: 'Pages',
  clients: 'Clients',
  requests: 'Requests',
  inRequests: (text: string): string => `Search requests for “${text}”`,
  count: (count: number): string => plural(count, 'result', 'results'),
  searching: 'Searching…',
  nothing: 'No matches',
  failed: 'Part of the search failed. Try again.',
} as const;
