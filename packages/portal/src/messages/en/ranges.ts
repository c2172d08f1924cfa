/** Stretches of time that end now. */
export const ranges = {
  label: 'Time range',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
} as const;
