import { formatNumber, plural } from './plural.ts';

export const components = {
  copy: (label: string): string => `Copy ${label}`,
  copied: (label: string): string => `${label} copied`,
  clear: (label: string): string => `Clear ${label}`,
  copyFailed: (label: string): string =>
    `${label} could not be copied. Select the text and copy it manually.`,
  tryAgain: 'Try again',
  toPendingChanges: 'See pending changes',
  requestId: 'Request',
  tryAgainIn: (seconds: number): string =>
    seconds < 90
      ? `Try again in ${plural(seconds, 'second', 'seconds')}.`
      : `Try again in ${plural(Math.ceil(seconds / 60), 'minute', 'minutes')}.`,
  unexpectedTitle: 'Something went wrong on this page',
  unexpectedDetail: 'Reload the page. If this happens again, contact support and say what you were doing.',
  loading: 'Loading',
  selectRow: (name: string): string => `Select ${name}`,
  selection: 'Selection',
  selectAllRows: 'Select all shown',
  cancel: 'Cancel',
  close: 'Close',
  showPassword: 'Show password',
  justNow: 'just now',
  typeToConfirm: (text: string): string => `Type ${text} to confirm`,
  conflictTitle: 'Someone else changed this',
  conflictText:
    'Your changes haven’t been saved. Compare them with the current version and choose which to keep.',
  conflictField: 'Field',
  conflictMine: 'Your version',
  conflictTheirs: 'Current version',
  conflictDiffers: 'different',
  keepMine: 'Save my version',
  takeTheirs: 'Discard my changes',
  nothing: 'nothing',
  sparkline: (label: string, total: number, max: number): string =>
    `${label}: ${formatNumber(total)} in total, peak ${formatNumber(max)}`,
  accepted: 'Accepted',
  observed: 'Let through',
  refused: 'Rejected',
  time: 'Time',
  showTable: 'Show as table',
  showChart: 'Show as chart',
  chartTotal: (accepted: number, observed: number, refused: number): string =>
    [
      `${plural(accepted, 'request', 'requests')} accepted`,
      ...(observed === 0 ? [] : [`${formatNumber(observed)} let through`]),
      `${formatNumber(refused)} rejected`,
    ].join(', '),
  noRequests: 'No requests in this period',
  permission: 'Permission',
  allowed: 'allowed',
  notAllowed: 'not allowed',
  loadMore: 'Show more',
  mayNot: (permission: string): string =>
    `Your role doesn’t allow this (${permission}). An owner or admin can change your role.`,
  formErrors: (count: number): string =>
    count === 1 ? 'One field needs attention' : `${formatNumber(count)} fields need attention`,
} as const;
