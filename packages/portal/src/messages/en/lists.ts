export const lists = {
  filters: 'Filters',
  period: 'Period',
  periods: {
    '1h': 'Last hour',
    '24h': 'Last 24 hours',
    '7d': 'Last 7 days',
    '30d': 'Last 30 days',
    custom: 'Custom range',
  },
  from: 'From',
  to: 'To',
  searchingOn: 'Searching older entries…',
  clearFilters: 'Clear filters',
} as const;
