import { plural } from './plural.ts';

export const palette = {
  open: 'Search',
  title: 'Search the portal',
  close: 'Close search',
  placeholder: 'Page, client, request ID or topic',
  hint: 'Type the name of a page, client or webhook, an ID, an IP address, or a documentation topic.',
  results: 'Results',
  recent: 'Recent',
  pages: 'Pages',
  clients: 'Clients',
  webhooks: 'Webhooks',
  requests: 'Requests',
  documents: 'Documentation',
  inRequests: (text: string): string => `Search requests for “${text}”`,
  count: (count: number): string => plural(count, 'result', 'results'),
  searching: 'Searching…',
  nothing: 'No matches',
  failed: 'Part of the search failed. Try again.',
} as const;
