import { plural } from './plural.ts';

export const securityPolicy = {
  title: 'Security policies',
  description: 'What this account demands of its people and its keys.',
  people: 'People',
  secondFactor: 'Everybody needs a second factor',
  secondFactorText:
    'An authenticator app or a passkey. Without one, a person can do nothing here but set it up.',
  everybodyHas: 'Everybody in the account has one.',
  lacking: (count: number): string =>
    `${plural(count, 'person has', 'people have')} none yet and must set one up at the next visit:`,
  andMore: (count: number): string => `and ${plural(count, 'other', 'others')}`,
  ownFirst: 'You have no second factor yourself. Set one up first, so that you do not lock yourself out.',
  toProfile: 'Go to my profile',
  sessionHours: 'Sign in again after',
  sessionHoursText: 'So many hours after signing in, people must sign in again.',
  hours: 'hours',
  sessionUnlimited: 'No limit of this account',
  keys: 'Keys',
  keyAge: 'Keys stop verifying after',
  keyAgeText:
    'A key that is older is refused, whoever uses it. Rotating about every 90 days is good practice.',
  days: 'days',
  keyUnlimited: 'Age alone ends no key',
  keysEnding: (count: number): string =>
    `${plural(count, 'key is', 'keys are')} older than that already, and will be refused as soon as this is saved:`,
  keysEndingSome: 'Only the first 100 clients were looked at.',
  keyOf: (client: string, days: number): string => `${client}, ${plural(days, 'day', 'days')} old`,
  hoursInvalid: 'Write whole hours from 1 to 720.',
  daysInvalid: 'Write whole days from 1 to 3,650.',
  save: 'Save',
  discard: 'Discard changes',
  saved: 'The policies were saved',
  noPermission: 'Your role lets you look at the policies. Owners and admins change them.',
  on: 'required',
  off: 'not required',
  noLimit: 'no limit',
  hoursOf: (hours: number): string => plural(hours, 'hour', 'hours'),
  daysOf: (days: number): string => plural(days, 'day', 'days'),
} as const;
