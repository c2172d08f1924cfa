import type { AlertConditionKind, AlertValue } from '@countersign/contract';
import { pageTitles } from './page-titles.ts';
import { formatNumber, formatPercent, plural } from './plural.ts';

/** What a condition measures, in a few words. */
function valueWords(
  kind: AlertConditionKind,
  { value, requests = 0 }: Pick<AlertValue, 'value' | 'requests'>,
): string {
  if (kind === 'failure_rate')
    return value === null
      ? 'no requests'
      : `${formatPercent(value / 100)} of ${plural(requests, 'request', 'requests')}`;
  if (value === null) return 'no request yet';
  switch (kind) {
    case 'no_requests':
      return value < 120
        ? plural(value, 'minute', 'minutes')
        : plural(Math.floor(value / 60), 'hour', 'hours');
    case 'key_due':
      return plural(value, 'key', 'keys');
    case 'new_address':
      return plural(value, 'new address', 'new addresses');
    case 'rate_limited':
      return plural(value, 'time', 'times');
  }
}

export const alerts = {
  title: pageTitles.alertRules,
  description: 'Decide when you are told that something in this account needs attention, and how.',
  list: 'Alert rules',
  add: 'Add rule',
  toNotices: 'Notices',
  full: (max: number): string => `An account has at most ${formatNumber(max)} alert rules.`,
  empty: {
    title: 'No alert rules yet',
    text: 'Add a rule to be told when requests fail, stop, come from a new address or reach the rate limit, or when a key is due.',
    mayNot: 'There are no alert rules yet. An owner, admin or developer can add one.',
  },
  rule: 'Rule',
  state: 'State',
  states: { firing: 'Firing', ok: 'OK', off: 'Off', inactive: 'Client inactive' },
  more: (count: number): string => `and ${formatNumber(count)} more`,
  keyEnds: (client: string, day: string): string => `${client}: ${day}`,
  addressOf: (client: string, address: string): string => `${client}: ${address}`,
  now: 'Now',
  value: valueWords,
  lastFired: 'Last fired',
  never: 'Never',
  channels: 'Told by',
  channelNames: { inInbox: 'Inbox', byMail: 'Email', byWebhook: 'Webhooks' },
  kinds: {
    failure_rate: 'Failed requests',
    no_requests: 'No requests',
    key_due: 'Key due',
    new_address: 'New address',
    rate_limited: 'Rate limit reached',
  },
  form: {
    addTitle: 'Add alert rule',
    updateTitle: 'Change alert rule',
    back: pageTitles.alertRules,
    mayNotTitle: 'Your role can’t add or change alert rules',
    watch: 'What to watch',
    name: 'Name',
    nameHint: 'Shown in its alerts. For example: Payouts fail.',
    nameWrong: 'Enter a name of 1 to 100 characters.',
    kind: 'Condition',
    client: 'Client',
    allClients: 'All clients',
    noClientFound: 'No matches',
    percentAbove: 'More than (percent)',
    timesAbove: 'More often than (times)',
    requestsMin: 'Of at least (requests)',
    minutes: 'Within (minutes)',
    silentFor: 'For',
    unit: 'Unit',
    units: { minutes: 'Minutes', hours: 'Hours', days: 'Days' },
    days: 'Within (days)',
    wrong: (min: number, max: number): string =>
      `Enter a whole number from ${formatNumber(min)} to ${formatNumber(max)}.`,
    durationWrong: 'Enter a whole number, from 5 minutes to 30 days.',
    incomplete: 'Complete the condition to see the rule as a sentence.',
    sentence: 'The rule',
    preview: (value: string, isMet: boolean): string =>
      isMet ? `Now: ${value}. This rule would fire.` : `Now: ${value}. This rule would not fire.`,
    previewLoading: 'Measuring…',
    ends: {
      failure_rate: 'It ends when the condition has not held for 10 minutes.',
      no_requests: 'It ends with the next accepted request.',
      key_due: 'It ends when another key takes over, or the key expires.',
      new_address:
        'It ends after a day. A client’s addresses of its first day are learned, and cause no alert.',
      rate_limited: 'It ends when the condition has not held for 10 minutes.',
    },
    tell: 'How to tell people',
    channelHints: {
      inInbox: 'Members see it under Notices, unless they turned alerts off in their profile.',
      byMail: 'Members get an email, unless they turned alerts off in their profile.',
      byWebhook: 'Sends alert.fired and alert.resolved to the webhooks that want them.',
    },
    noChannel: 'Choose at least one way.',
    isEnabled: 'Switched on',
    isEnabledHint: 'A rule that is switched off finds nothing, and its alerts end.',
    add: 'Add rule',
    update: 'Save',
    nothingChanged: 'Nothing has changed.',
    added: 'The rule was added',
    updated: 'The rule was changed',
    yes: 'Yes',
    no: 'No',
  },
  remove: {
    action: 'Delete rule',
    title: 'Delete this rule?',
    text: 'Its alerts end, and nobody is told any more. Notices from before stay.',
    done: 'The rule was deleted',
  },
} as const;
