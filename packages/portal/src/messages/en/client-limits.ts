import { formatNumber } from './plural.ts';

/** The request limits on a client's page. */
export const clientLimits = {
  title: 'Request limits',
  description: 'Requests above the limits are rejected with 429 and can be retried later.',
  perMinute: 'Requests per minute',
  burst: 'Requests at once',
  unlimited: 'No limit',
  inForce: (value: number, source: string): string => `${formatNumber(value)} (${source})`,
  sources: {
    client: 'set for this client',
    account: 'set for the account',
    service: 'default of the service',
  },
  ownPerMinute: 'Limit this client to requests per minute',
  ownBurst: 'Limit this client to requests at once',
  hint: (max: number): string => `Optional: up to ${formatNumber(max)}, which applies if this is empty.`,
  hintUnlimited: 'Optional: no limit applies if this is empty.',
  notANumber: 'Enter a whole number from 1 to 10,000,000, or nothing.',
  tooHigh: (max: number): string =>
    `Enter at most ${formatNumber(max)}: this account doesn’t allow more for one client.`,
  save: 'Save limits',
  saved: (name: string): string => `The limits of ${name} were saved`,
} as const;
