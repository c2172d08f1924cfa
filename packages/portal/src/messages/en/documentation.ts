import { pageTitles } from './page-titles.ts';
import { plural } from './plural.ts';

export const documentation = {
  title: pageTitles.documentation,
  description: 'How to sign requests, what each error means, and the API reference.',
  language: 'Programming language',
  /** What is beyond the most read ones. */
  more: (count: number): string => `${count} more`,
  groups: {
    'Get started': {
      title: 'Get started',
      text: 'Send your first signed request in your language.',
    },
    'Sign requests': {
      title: 'Sign requests',
      text: 'Libraries, keys in key stores, and every rule of a signature.',
    },
    'Fix a rejected request': {
      title: 'Fix a rejected request',
      text: 'What each error means, and what to change.',
    },
    'Manage clients and keys': {
      title: 'Manage clients and keys',
      text: 'In the portal, by the API, and from your pipeline.',
    },
    'API reference': {
      title: 'API reference',
      text: 'Every operation with its fields, answers and errors.',
    },
    Packages: { title: 'Packages', text: 'Signers and clients to install, and the command line.' },
  },
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
