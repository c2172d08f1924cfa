import { pageTitles } from './page-titles.ts';
import { formatNumber, plural } from './plural.ts';

export const securityPolicy = {
  title: pageTitles.securityPolicy,
  description: 'Requirements for this account’s members, keys and requests.',
  people: 'Members',
  secondFactor: 'Require a second factor',
  secondFactorText:
    'An authenticator app or a passkey. Members without one can’t do anything in this account except set one up.',
  operatorsAlways: 'Everyone in this account needs a second factor, whatever you choose here.',
  everybodyHas: 'All members have one.',
  lacking: (count: number): string =>
    `${plural(count, 'member doesn’t', 'members don’t')} have one yet and must set one up at their next visit:`,
  andMore: (count: number): string => `and ${formatNumber(count)} more`,
  ownFirst: 'You don’t have a second factor yourself. Set one up first, or you will lock yourself out.',
  toProfile: 'Go to My profile',
  sessionHours: 'Maximum session length',
  sessionHoursText: 'Sign people out after this many hours.',
  hours: 'hours',
  sessionUnlimited: 'No account limit',
  networks: 'Allowed networks',
  networksText:
    'Members can use this account, in the portal and with a session, only from these addresses. Clients keep their own network whitelists.',
  everywhere: 'everywhere',
  ownAddress: (address: string): string =>
    `Your own address, ${address}, isn’t in this list. Add it, or you will lock yourself out.`,
  actingNetworks:
    'You act for this account, so this list does not apply to you, only to its members. You can empty it if they have locked themselves out.',
  keys: 'Keys',
  keyAge: 'Maximum key age',
  keyAgeText: 'Older keys are rejected. Rotating about every 90 days is good practice.',
  days: 'days',
  keyUnlimited: 'Keys never expire by age',
  keysEnding: (count: number): string =>
    `${plural(count, 'key is', 'keys are')} already older and will be rejected as soon as you save:`,
  keysEndingSome: 'Based on the first 100 clients only.',
  keyOf: (client: string, days: number): string => `${client}, ${plural(days, 'day', 'days')} old`,
  approval: 'Approval',
  secondPerson: 'Require a second person for risky changes',
  secondPersonText:
    'Very wide network whitelists, more permissions for clients, revoking clients and keys, and roles that can approve wait until someone else approves them. Disabling a client never waits.',
  secondPersonOn:
    'Pending invitations to roles that can approve are canceled when you save. Bulk changes, imports and signed requests can no longer make such changes.',
  secondPersonOff: 'Turning this off needs the approval of a second person, too.',
  hoursInvalid: 'Enter a whole number from 1 to 720.',
  daysInvalid: 'Enter a whole number from 1 to 3,650.',
  requests: 'Requests',
  requestsKept: 'Maximum age of requests',
  requestsKeptText:
    'Remove requests and their explanations after this many days. Counts and analytics stay, and so does the audit log.',
  requestsRemoved: (days: number): string =>
    `Requests older than ${plural(days, 'day', 'days')} are removed within minutes after you save. They can’t be restored.`,
  keptInvalid: (max: number): string => `Enter a whole number from 1 to ${formatNumber(max)}.`,
  save: 'Save',
  discard: 'Discard changes',
  saved: 'The policies were saved',
  noPermission: 'You can view the policies, but only owners and admins can change them.',
  on: 'required',
  off: 'not required',
  noLimit: 'no limit',
  hoursOf: (hours: number): string => plural(hours, 'hour', 'hours'),
  daysOf: (days: number): string => plural(days, 'day', 'days'),
} as const;
