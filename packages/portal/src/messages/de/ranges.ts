/** Stretches of time that end now. */
export const ranges = {
  label: 'Zeitraum',
  '24h': '24 Stunden',
  '7d': '7 Tage',
  '30d': '30 Tage',
} as const;
