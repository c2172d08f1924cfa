import { formatNumber } from './plural.ts';

/** The request limits on a client's page. */
export const clientLimits = {
  title: 'Request limits',
  description: 'Requests above the limits are rejected with 429 and can be retried later.',
  perMinute: 'Requests per minute',
  burst: 'Burst size',
  unlimited: 'No limit',
  inForce: (value: number, source: string): string => `${formatNumber(value)} (${source})`,
  sources: {
    client: 'set for this client',
    account: 'set for the account',
    service: 'service default',
  },
  ownPerMinute: 'Limit per minute for this client',
  ownBurst: 'Burst limit for this client',
  hint: (max: number): string => `Optional: up to ${formatNumber(max)}, the default if empty.`,
  hintUnlimited: 'Optional: no limit if empty.',
  notANumber: 'Enter a whole number from 1 to 10,000,000, or leave the field empty.',
  tooHigh: (max: number): string =>
    `Enter at most ${formatNumber(max)}. The account doesn’t allow more for a single client.`,
  save: 'Save limits',
  saved: (name: string): string => `The limits for ${name} were saved`,
} as const;
