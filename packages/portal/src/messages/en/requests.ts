import { type Features, requestsCountedMax, type RequestTotals } from '@countersign/contract';
import { pageTitles } from './page-titles.ts';
import { type CountSoFar, formatNumber, plural, pluralSoFar } from './plural.ts';

/** Says how long requests are kept: `Requests are kept for 30 days, up to 1,000,000.` */
export function requestsKept({ days, max }: Features['requestsKept']): string {
  if (days > 0) {
    const limit = max > 0 ? `, up to ${formatNumber(max)}` : '';
    return `Requests are kept for ${plural(days, 'day', 'days')}${limit}.`;
  }
  return max > 0
    ? `The newest ${plural(max, 'request', 'requests')} are kept.`
    : 'Requests are kept forever.';
}

export const requests = {
  title: pageTitles.requests,
  kept: (kept: Features['requestsKept']): string =>
    `${requestsKept(kept)} Bodies and signatures are never stored.`,
  client: 'Client',
  clientAndAddress: 'Client and address',
  anyClient: 'All clients',
  noClientFound: 'No matches',
  outcome: 'Outcome',
  anyOutcome: 'All outcomes',
  accepted: 'Accepted',
  refused: 'Rejected',
  observed: 'Let through (observing routes)',
  outcomesByCode: 'Rejected with',
  newEntries: (count: CountSoFar): string => `Show ${pluralSoFar(count, 'new request', 'new requests')}`,
  newAnnounced: (count: CountSoFar): string =>
    `${pluralSoFar(count, 'new request', 'new requests')} received`,
  list: 'All requests',
  counting: 'Counting…',
  totals: ({ count, accepted, observed, refused, isComplete }: RequestTotals): string => {
    const parts = [`${formatNumber(accepted)} accepted`, `${formatNumber(refused)} rejected`];
    if (observed > 0) parts.push(`${formatNumber(observed)} let through`);
    const all = isComplete ? plural(count, 'request', 'requests') : ofNewest(count);
    return `${all}: ${parts.join(', ')}`;
  },
  watch: 'Watch live',
  pause: 'Pause',
  views: 'Views',
  viewUsed: (name: string): string => `Views: ${name}`,
  viewChanged: (name: string): string => `Views: ${name}, changed`,
  anyStatus: 'Any status',
  statusFilter: 'Status',
  statusClasses: {
    '2xx': '2xx success',
    '3xx': '3xx redirect',
    '4xx': '4xx client error',
    '5xx': '5xx server error',
  },
  noStatus: 'none',
  duration: 'Duration',
  durationUnknown: 'unknown',
  request: 'Request',
  unknownAddress: 'unknown',
  sourceAddress: 'From',
  time: 'Time',
  emptyTitle: 'No requests yet',
  emptyText: 'A client’s first signed request appears here, whether it is accepted or not.',
  noneTitle: 'No requests match these filters',
  noneText: 'Choose a longer period or clear the filters.',

  histogram: 'Requests over time. Arrow keys choose a bar, Shift extends, Enter filters the list',
  histogramEmpty: 'No requests',
  histogramFailed: 'The requests could not be counted',
  histogramWithout: 'Counts ignore the search and the status',
  histogramChosen: (span: string): string => `Showing requests of ${span}`,
  /** `mistakes` are the callers’, `faults` are the service’s own. */
  histogramCounts: (counts: Record<'accepted' | 'observed' | 'mistakes' | 'faults', number>): string => {
    const parts = [`${formatNumber(counts.accepted)} accepted`, `${formatNumber(counts.mistakes)} rejected`];
    if (counts.observed > 0) parts.push(`${formatNumber(counts.observed)} let through`);
    if (counts.faults > 0) parts.push(`${formatNumber(counts.faults)} failed in the service`);
    return parts.join(', ');
  },
  timeRange: 'Time range',
  clearTimeRange: 'Clear time range',
  since: (time: string): string => `since ${time}`,
  until: (time: string): string => `until ${time}`,
  failures: 'Failures by cause',
  failuresPart: '(newest only)',
  noFailures: (period: string): string => `None in the ${period.toLowerCase()}`,
  causeOf: (outcome: string, clients: readonly string[]): string => `${outcome}: ${clients.join(', ')}`,
  lookAtLastOf: (title: string): string => `View latest: ${title}`,
  showMore: (count: number): string => `${formatNumber(count)} more`,
  showFewer: 'Fewer',

  detail: 'Request',
  back: 'All requests',
  receivedAt: 'Received',
  clientNamed: 'Client',
  notProved: 'claimed by the request, not verified',
  key: 'Key',
  clock: 'Client clock',
  clockAhead: (seconds: number): string => `${formatNumber(Math.abs(seconds))} s ahead`,
  clockBehind: (seconds: number): string => `${formatNumber(Math.abs(seconds))} s behind`,
  clockRight: 'in sync',
  durationMs: (milliseconds: number): string => `${formatNumber(Math.round(milliseconds * 10) / 10)} ms`,
  status: 'Status',
  requestId: 'Request ID',
  whyRefused: 'Why it was rejected',
  whyNotReady: 'Why it would have been rejected',
  letThrough: 'This request was let through',
  letThroughText:
    'Its route is in observe mode. Once the route enforces, requests like this are rejected with the code',
  allPassed: 'Checks',
  trueReason: 'Actual cause',
  trueReasonNote:
    'The caller was not told this. Unknown clients, expired or revoked keys and wrong signatures all get the same response, so that strangers can’t find out who your clients are.',
  toldCaller: 'Response to the caller',
  openClient: 'Open client',
  openDebugger: 'Open in debugger',
  unattributed: 'This request named no client',
  unattributedText: (time: string): string =>
    `It arrived on ${time} without a known client ID, so it is in no account’s log. Only the service’s response is known.`,
  gone: 'Request not found',
  goneText: (kept: Features['requestsKept']): string =>
    `It may belong to another account, or may have been deleted. Requests that name no client can be found only for a short time. ${requestsKept(kept)}`,
} as const;

/** One line of a page that is 1,440 px wide holds it. */
function ofNewest(count: number): string {
  const newest = formatNumber(requestsCountedMax);
  return count >= requestsCountedMax
    ? `The newest ${newest} requests`
    : `${formatNumber(count)} of the newest ${newest} requests`;
}
