import { formatNumber, plural } from './plural.ts';

export const components = {
  copy: (label: string): string => `Copy ${label}`,
  copied: (label: string): string => `${label} copied`,
  copyFailed: (label: string): string =>
    `${label} could not be copied. Select the text and copy it yourself.`,
  tryAgain: 'Try again',
  requestId: 'Request',
  tryAgainIn: (seconds: number): string =>
    seconds < 90
      ? `Try again in ${plural(seconds, 'second', 'seconds')}.`
      : `Try again in ${plural(Math.ceil(seconds / 60), 'minute', 'minutes')}.`,
  unexpectedTitle: 'Something went wrong in this page',
  unexpectedDetail: 'Load the page again. If it happens again, tell the operator what you did.',
  loading: 'Loading',
  cancel: 'Cancel',
  close: 'Close',
  showPassword: 'Show password',
  justNow: 'just now',
  typeToConfirm: (text: string): string => `Type ${text} to confirm`,
  conflictTitle: 'Somebody else changed this meanwhile',
  conflictText: 'Your changes are not saved yet. Compare them with what is there now, and choose.',
  conflictField: 'Field',
  conflictMine: 'Your version',
  conflictTheirs: 'What is there now',
  conflictDiffers: 'differs',
  keepMine: 'Save my version',
  takeTheirs: 'Discard my changes',
  nothing: 'nothing',
  sparkline: (label: string, total: number, max: number): string =>
    `${label}: ${formatNumber(total)} in all, ${formatNumber(max)} at most`,
  accepted: 'Accepted',
  observed: 'Let through',
  refused: 'Refused',
  time: 'Time',
  showTable: 'Show as table',
  showChart: 'Show as chart',
  chartTotal: (accepted: number, observed: number, refused: number): string =>
    [
      `${plural(accepted, 'request', 'requests')} accepted`,
      ...(observed === 0 ? [] : [`${formatNumber(observed)} let through`]),
      `${formatNumber(refused)} refused`,
    ].join(', '),
  noRequests: 'No requests in this time',
  permission: 'Permission',
  allowed: 'allowed',
  notAllowed: 'not allowed',
  loadMore: 'Show more',
  mayNot: (permission: string): string =>
    `Your role in this account does not permit this (${permission}). An owner or admin can change your role.`,
  formErrors: (count: number): string =>
    count === 1 ? 'One field needs your attention' : `${formatNumber(count)} fields need your attention`,
} as const;
