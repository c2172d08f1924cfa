import type { Alert, AlertCondition } from '@countersign/contract';
import { formatNumber, formatPercent, plural } from './plural.ts';

type Shown = Pick<Alert, 'value' | 'requests' | 'sourceAddress'> & { readonly condition: AlertCondition };

/** Sentences about alert rules, for the rules and the inbox. */
export const alertWords = {
  /** Reads a rule back. */
  rule: ({ kind, ...limits }: AlertCondition, client: string | undefined): string => {
    const { percentAbove = 0, timesAbove = 0, requestsMin = 0, minutes = 0, days = 0 } = limits;
    const time = minutesText(minutes);
    switch (kind) {
      case 'failure_rate':
        return `Tell us when more than ${formatPercent(percentAbove / 100)} of at least ${plural(requestsMin, 'request', 'requests')} of ${client ?? 'all clients'} ${requestsMin === 1 ? 'fails' : 'fail'} within ${time}.`;
      case 'no_requests':
        return `Tell us when ${client ?? 'no client'} ${client === undefined ? 'has an accepted request' : 'has no accepted request'} for ${time}.`;
      case 'key_due':
        return `Tell us when a key of ${client ?? 'any client'} expires or reaches the maximum age within ${plural(days, 'day', 'days')}, and no other key takes over.`;
      case 'new_address':
        return `Tell us when a request of ${client ?? 'any client'} is accepted from an address that the client has not used for 90 days.`;
      case 'rate_limited':
        return `Tell us when ${client === undefined ? 'the clients reach' : `${client} reaches`} the rate limit more than ${plural(timesAbove, 'time', 'times')} within ${time}.`;
    }
  },
  /** What was found when it fired. */
  found: ({ condition: { kind, minutes = 0 }, value, requests = 0, sourceAddress = '' }: Shown): string => {
    const count = value ?? 0;
    switch (kind) {
      case 'failure_rate':
        return `${formatPercent(count / 100)} of ${plural(requests, 'request', 'requests')} failed within ${minutesText(minutes)}`;
      case 'no_requests':
        return `No accepted request for ${minutesText(count)}`;
      case 'key_due':
        return `A key expires in ${plural(count, 'day', 'days')}`;
      case 'new_address':
        return `A request came from the new address ${sourceAddress}`;
      case 'rate_limited':
        return `The rate limit was reached ${plural(count, 'time', 'times')} within ${minutesText(minutes)}`;
    }
  },
} as const;

/** Says a number of minutes in the largest unit that fits: `2 hours`. */
function minutesText(minutes: number): string {
  if (minutes >= 1440 && minutes % 1440 === 0) return plural(minutes / 1440, 'day', 'days');
  if (minutes >= 60 && minutes % 60 === 0) return plural(minutes / 60, 'hour', 'hours');
  if (minutes > 2880) return plural(Math.floor(minutes / 1440), 'day', 'days');
  if (minutes > 120) return plural(Math.floor(minutes / 60), 'hour', 'hours');
  return `${formatNumber(minutes)} ${minutes === 1 ? 'minute' : 'minutes'}`;
}
