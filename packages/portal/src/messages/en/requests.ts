import type { Features } from '@countersign/contract';
import { formatNumber, plural } from './plural.ts';

/** Says how long requests are kept: `Requests are kept for 30 days, up to 1,000,000.` */
export function requestsKept({ days, max }: Features['requestsKept']): string {
  if (days > 0) {
    const limit = max > 0 ? `, up to ${formatNumber(max)}` : '';
    return `Requests are kept for ${plural(days, 'day', 'days')}${limit}.`;
  }
  return max > 0
    ? `The newest ${plural(max, 'request', 'requests')} are kept.`
    : 'Requests are kept for good.';
}

export const requests = {
  title: 'Requests',
  description: (kept: Features['requestsKept']): string =>
    `What clients sent, and why requests that failed a check did. ${requestsKept(kept)} Bodies and signatures are never kept.`,
  client: 'Client',
  anyClient: 'All clients',
  noClientFound: 'No client of this name',
  outcome: 'Outcome',
  anyOutcome: 'All outcomes',
  accepted: 'Accepted',
  refused: 'Refused',
  observed: 'Let through by routes that observe',
  outcomesByCode: 'Refused with',
  newEntries: (count: number): string => `Show ${plural(count, 'new request', 'new requests')}`,
  newAnnounced: (count: number): string => `${plural(count, 'new request has', 'new requests have')} come in`,
  list: 'Requests, newest first',
  request: 'Request',
  sourceAddress: 'From',
  time: 'Time',
  emptyTitle: 'No requests yet',
  emptyText:
    'As soon as a client sends its first signed request, it appears here, whether it is accepted or not.',
  noneTitle: 'No requests with these filters',
  noneText: 'Choose a longer time, or clear the filters.',

  failures: 'What fails',
  failuresText: 'Requests of the last 24 hours that failed, grouped by client and cause.',
  failuresPart: 'There were so many requests that only the newest were looked at.',
  failureCount: (count: number): string => `${formatNumber(count)} times`,
  failureOnce: 'once',
  fromAddresses: (addresses: readonly string[]): string => `from ${addresses.join(', ')}`,
  showThese: 'Show these',
  showTheseOf: (title: string, client: string): string => `Show these: ${title}, ${client}`,
  lookAtLast: 'Look at the last',
  lookAtLastOf: (title: string, client: string): string => `Look at the last: ${title}, ${client}`,
  showAllGroups: (count: number): string => `Show all ${formatNumber(count)}`,
  showFewerGroups: 'Show fewer',

  detail: 'Request',
  back: 'All requests',
  receivedAt: 'Received',
  clientNamed: 'Client',
  notProved: 'named by the request, not proved',
  key: 'Key',
  clock: 'Clock of the client',
  clockAhead: (seconds: number): string => `${formatNumber(Math.abs(seconds))} s ahead`,
  clockBehind: (seconds: number): string => `${formatNumber(Math.abs(seconds))} s behind`,
  clockRight: 'right to the second',
  durationMs: (milliseconds: number): string => `${formatNumber(Math.round(milliseconds * 10) / 10)} ms`,
  status: 'Answer',
  requestId: 'Request ID',
  whyRefused: 'Why it was refused',
  whyNotReady: 'Why it would have been refused',
  letThrough: 'This request was not refused',
  letThroughText: 'Its route only observes. Once the route enforces, such a request is refused with the code',
  allPassed: 'What was checked',
  trueReason: 'The true reason',
  trueReasonNote:
    'The caller was not told this. For an unknown client, a key that has ended and a wrong signature the answer is the same, so that strangers cannot find out who your clients are.',
  toldCaller: 'The caller was told',
  openClient: 'Open the client',
  openDebugger: 'Open in the debugger',
  gone: 'This request is not there',
  goneText: (kept: Features['requestsKept']): string =>
    `It belongs to another account, or is no longer kept. ${requestsKept(kept)}`,
} as const;
