import { pageTitles } from './page-titles.ts';

export const operatorSettings = {
  title: pageTitles.operatorSettings,
  description: 'The settings in force on the node that serves this page. Secrets are never shown.',
  list: 'Settings in force',
  search: 'Search',
  searchPlaceholder: 'Name, variable or description',
  changedOnly: 'Configured settings only',
  name: 'Setting',
  value: 'Value',
  empty: 'Not set',
  source: 'From',
  sources: { environment: 'Environment', file: 'Configuration file', default: 'Default' },
  help: 'Description',
  noneTitle: 'No matching settings',
  noneText: 'Search for part of a name or description.',
} as const;
