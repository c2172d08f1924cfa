import { pageTitles } from './page-titles.ts';
import { plural } from './plural.ts';

export const documentation = {
  title: pageTitles.documentation,
  description: 'How to sign requests, what each error means, and the API reference.',
  search: 'Search the documentation',
  searchPlaceholder: 'Search: signature_invalid, Python, rotate…',
  searchPage: 'Search this page',
  searchPagePlaceholder: 'Search this page',
  searchAll: 'Search all documents',
  hits: (count: number): string =>
    count === 0 ? 'No matches on this page' : `${plural(count, 'match', 'matches')} on this page`,
  results: (count: number): string => (count === 0 ? 'No matches' : plural(count, 'result', 'results')),
  resultsMax: (count: number): string => `Top ${count} results`,
  noResultsText: 'Try fewer or shorter words. Codes and header names match exactly as written.',
  contents: 'Contents',
  onThisPage: 'On this page',
  previous: 'Previous',
  next: 'Next',
  around: 'Previous and next document',
  client: 'Client ID in the examples',
  clientPlaceholder: 'Choose a client',
  clientNothingFound: 'No matches',
  notFoundTitle: 'Page not found',
  notFoundText: 'This document doesn’t exist or has moved.',
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'The browser did not allow copying. Select the code and copy it manually.',
} as const;
