import { formatNumber } from './plural.ts';

/** A client's request limits. */
export const clientLimits = {
  perMinute: 'Requests per minute',
  burst: 'Burst size',
  unlimited: 'No limit',
  inForce: (value: number, source: string): string => `${formatNumber(value)} (${source})`,
  sources: {
    client: 'set for this client',
    account: 'set for the account',
    service: 'service default',
  },
  own: {
    requestsPerMinuteMax: 'Limit per minute for this client',
    requestsBurstMax: 'Burst limit for this client',
  },
  hint: (max: number): string => `Optional: up to ${formatNumber(max)}, the default if empty.`,
  hintNew: 'Optional: the account’s limit if empty.',
  hintUnlimited: 'Optional: no limit if empty.',
  notANumber: 'Enter a whole number from 1 to 10,000,000, or leave the field empty.',
  tooHigh: (max: number): string =>
    `Enter at most ${formatNumber(max)}. The account doesn’t allow more for a single client.`,
} as const;
