export const lists = {
  filters: 'Filter',
  period: 'Zeitraum',
  periods: {
    '1h': 'Letzte Stunde',
    '24h': 'Letzte 24 Stunden',
    '7d': 'Letzte 7 Tage',
    '30d': 'Letzte 30 Tage',
    custom: 'Eigener Zeitraum',
  },
  from: 'Von',
  to: 'Bis',
  searchingOn: 'Ältere Einträge werden durchsucht …',
  clearFilters: 'Filter zurücksetzen',
} as const;
