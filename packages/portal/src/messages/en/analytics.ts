import { pageTitles } from './page-titles.ts';
import { formatNumber } from './plural.ts';

export const analytics = {
  title: pageTitles.analytics,
  description: 'Requests by operation, status, cause, key and address, and the service’s own time',
  client: 'Client',
  allClients: 'All clients',
  noClient: 'No client found',
  exportCsv: 'Export CSV',
  exported: 'Analytics saved',
  since: (time: string): string => `Counted since ${time}. Requests before that have no figures here.`,
  empty: 'No requests',
  emptyText: (range: string): string =>
    `Nothing was counted in the last ${range}. Choose a longer range, or send a request.`,
  emptyAction: 'Open Requests',
  times: {
    title: 'Response time',
    description: 'The service’s own time, without the wait for your API. Accurate to 10 percent.',
    chart: (range: string): string => `Response times in the last ${range}`,
    share: { p50Ms: 'p50', p95Ms: 'p95', p99Ms: 'p99' },
    before: (time: string): string => `${time} in the period before`,
    noneBefore: 'None in the period before',
  },
  facts: {
    operation: 'Operations',
    status: 'Statuses',
    cause: 'Rejections by cause',
    key: 'Keys',
    address: 'Addresses',
  },
  names: {
    operation: 'Operation',
    status: 'Status',
    cause: 'Cause',
    key: 'Key',
    address: 'Address',
  },
  requests: 'Requests',
  rejected: 'Rejected',
  others: {
    operation: 'Other operations, or none',
    status: 'Other statuses',
    cause: 'Other causes',
    key: 'Other keys',
    address: 'Other addresses',
  },
  none: {
    operation: 'No requests.',
    status: 'No requests.',
    cause: 'No requests were rejected.',
    key: 'No key verified a request.',
    address: 'No requests.',
  },
  showAll: (count: number): string => `Show all ${formatNumber(count)}`,
  showFewer: 'Show fewer',
} as const;
