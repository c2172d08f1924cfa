import type { DeliveryState, WebhookActivity, WebhookFailure } from '@countersign/contract';
import { pageTitles } from './page-titles.ts';
import { formatNumber, plural } from './plural.ts';

/** What to do about each kind of failure. */
const advice: Readonly<Record<WebhookFailure, string>> = {
  url_not_allowed: 'Change the URL to an https URL with a public host name and no port.',
  secret_unreadable:
    'Contact support to have the setting restored. Otherwise rotate the secret and enter the custom headers again.',
  address_not_public:
    'Check the host name in your DNS. It must exist, and each of its A and AAAA records must be a public address: events are never sent to private ones.',
  connection_failed:
    'Check that the server is running and that its firewall lets in connections to port 443 from the internet.',
  tls_failed:
    'Renew the certificate, or install one that is valid for this host name, with all intermediate certificates.',
  timed_out: 'Answer with status 204 as soon as the event is stored, and do the work afterwards.',
  answer_malformed:
    'Look for a crash in the receiver’s log, and check that this address speaks HTTP over TLS, not another protocol.',
  redirected: 'Change the webhook’s URL to the one that the receiver redirects to.',
  gone: 'Status 410 disables the webhook. If the receiver should still get events, fix it and resume the webhook.',
  rate_limited:
    'Events wait as long as the receiver’s Retry-After says. Raise its limit if this happens often.',
  client_error:
    'Check the path in the URL, how the receiver verifies signatures, and that it needs no sign-in. Its response may say more.',
  server_error: 'Look in its log for an error at this time. The event is sent again.',
  status_unexpected: 'Answer with a status from 200 to 299 to confirm an event.',
};

export const webhooks = {
  title: pageTitles.webhooks,
  description: 'URLs that this account’s events are sent to, such as keys to rotate and failing requests.',
  add: 'Add webhook',
  list: 'Webhooks',
  empty: {
    title: 'No webhooks yet',
    text: 'Add a URL of your own, and the service sends it a signed request for each event, such as a key to rotate or a client whose requests begin to fail.',
    mayNot: 'There are no webhooks yet. An owner or admin can add one.',
  },
  full: (max: number): string => `An account has at most ${formatNumber(max)} webhooks.`,

  webhook: 'Webhook',
  events: 'Events',
  allTypes: 'All events',
  typeCount: (count: number): string => plural(count, 'type', 'types'),
  everyAccount: 'All accounts',
  state: 'State',
  states: { active: 'Active', failing: 'Failing', paused: 'Paused', disabled: 'Disabled' },
  since: 'began',
  lastDelivery: 'Last event',
  never: 'None yet',
  lastDay: 'Delivered, 24 hours',
  share: ({ delivered, failing, isComplete }: WebhookActivity['lastDay']): string => {
    const tried = delivered + failing;
    const percent = Math.floor((delivered / tried) * 100);
    return `${percent}% of ${isComplete ? '' : 'the last '}${formatNumber(tried)}`;
  },
  noShare: '–',

  form: {
    addTitle: 'Add webhook',
    addDescription: 'Events are sent from the moment you add it.',
    updateTitle: 'Update webhook',
    back: 'Webhooks',
    mayNotTitle: 'Your role can’t add or change webhooks',
    receiver: 'Receiver',
    url: 'URL',
    urlHint: 'Must start with https:// and have a public host name, without a port.',
    urlMissing: 'Enter the URL that events are sent to.',
    urlWrong: 'Enter a complete URL, such as https://hooks.example.com/countersign.',
    urlTooLong: (max: number): string => `Enter a URL of at most ${formatNumber(max)} characters.`,
    description: 'Description',
    descriptionHint: 'Optional. For example, the team or system that receives the events.',
    descriptionTooLong: (max: number): string => `Enter at most ${formatNumber(max)} characters.`,
    events: 'Events',
    scope: 'Which events',
    all: 'All events',
    allHint: 'Also types that are added later.',
    some: 'Selected types',
    someHint: 'Only the types that you select.',
    typesMissing: 'Select at least one type.',
    selected: (count: number, total: number): string =>
      count === 0
        ? plural(total, 'type', 'types')
        : `${formatNumber(count)} of ${formatNumber(total)} selected`,
    selectGroup: (group: string): string => `All types about ${group.toLowerCase()}`,
    notHeld: 'You can’t select it, because your role lacks',
    delivery: 'Delivery',
    isOrdered: 'Send each client’s events in order',
    isOrderedHint:
      'A failing event holds back the client’s later events until it is delivered or has failed for good.',
    isForAllAccounts: 'Send the events of all accounts',
    isForAllAccountsHint:
      'Operator only. Each event names its account in accountId. Otherwise only the events of the operator’s own account are sent.',
    attemptsPerMinute: 'Maximum attempts per minute',
    attemptsPerMinuteHint: 'Optional. Events beyond this limit wait until they can be sent.',
    attemptsPerMinuteWrong: (max: number): string => `Enter a whole number from 1 to ${formatNumber(max)}.`,
    headers: 'Custom headers',
    headersHint:
      'Optional. Sent with each event, such as the API key of your gateway. Values are stored as secrets and never shown again: leave one empty to keep it.',
    headerName: 'Name',
    headerValue: 'Value',
    headerOf: (label: string, position: number): string => `${label} of header ${formatNumber(position)}`,
    headerStored: 'Stored',
    addHeader: 'Add header',
    removeHeader: (name: string, position: number): string =>
      `Remove ${name === '' ? `header ${formatNumber(position)}` : name}`,
    headerNameWrong: (name: string, detail: string): string =>
      `${name === '' ? 'A header' : name}: ${detail}`,
    headerValueMissing: (name: string): string => `Enter a value for ${name}.`,
    headerValueWrong: (name: string, max: number): string =>
      `Enter a value for ${name} with at most ${formatNumber(max)} visible ASCII characters, and spaces only between them.`,
    headerElsewhere: (name: string): string =>
      `Enter the value of ${name} again, or remove the header, because the URL leads to another server.`,
    yes: 'Yes',
    no: 'No',
    add: 'Add webhook',
    update: 'Update',
    nothingChanged: 'Nothing has changed.',
    updated: 'The webhook was updated',
  },

  groups: {
    clients: 'Clients',
    keys: 'Keys',
    roles: 'Roles',
    team: 'Team',
    account: 'Account',
    alerts: 'Alerts',
    webhooks: 'Webhooks',
    streams: 'Streams',
  },

  added: {
    title: 'Webhook added',
    description: 'Save its secret, then send a test event.',
    secretTitle: 'Secret',
    secretText: 'Your receiver uses it to verify that events come from this service. It is shown only now.',
    secret: 'Secret',
    stored: 'I have stored the secret',
    verifyTitle: 'Verify events',
    verifyText:
      'Reject requests that this function returns false for. It follows Standard Webhooks, so any of its libraries works too.',
    moreAbout: 'All about receiving events',
    languages: 'Language',
    program: (language: string): string => `verification in ${language}`,
    open: 'Open webhook',
  },

  test: {
    title: 'Test',
    text: 'Sends an event of the type webhook.test to this webhook, and shows what the receiver answers.',
    send: 'Send test event',
    sendAgain: 'Send another',
    paused: 'Resume the webhook to send a test event.',
    disabled: 'Resume the webhook to send a test event.',
    waiting: 'Waiting for the receiver’s answer…',
    stillWaiting: 'Not attempted yet',
    stillWaitingText:
      'Other events may be ahead of it, the attempts of this minute may be used up, or the receiver has asked for a pause. The delivery shows when it is sent.',
    delivered: (status: number, milliseconds: number): string =>
      `Delivered: the receiver answered with status ${status} after ${formatNumber(milliseconds)} ms`,
    failed: 'The test event was not delivered',
    open: 'Show delivery',
  },

  page: {
    loadingTitle: 'Webhook',
    back: 'Webhooks',
    goneTitle: 'Webhook not found',
    gone: 'It may have been deleted, or may belong to another account.',
    update: 'Update',
    more: 'More actions',
    pause: 'Pause',
    resume: 'Resume',
    remove: 'Delete',
    recover: 'Resend events…',
    rotate: 'Rotate secret…',
    paused: 'The webhook was paused',
    resumed: 'The webhook was resumed',
    removed: 'The webhook was deleted',
    details: 'Details',
    webhookId: 'Webhook ID',
    eventTypes: 'Event types',
    order: 'Order',
    ordered: 'Each client’s events in order',
    unordered: 'Any order',
    attemptsPerMinute: 'Maximum attempts per minute',
    unlimited: 'No limit',
    headers: 'Custom headers',
    noHeaders: 'None',
    accounts: 'Accounts',
    ownAccount: 'Only the operator’s account',
    createdAt: 'Created',
    updatedAt: 'Last change',
    secret: 'Secret',
    secretText: 'Shown once, when it was created. Rotate it if it may be known to others.',
    previousSecret: 'Old secret expires',
  },

  notices: {
    disabledTitle: 'This webhook is disabled',
    disabled:
      'Its events are not sent. Once the receiver works again, resume the webhook, then resend the events that failed.',
    pausedTitle: 'This webhook is paused',
    paused: (days: number): string =>
      `Its events wait for up to ${days} days, and are sent when you resume it.`,
    failing: (days: number): string =>
      `The receiver has not confirmed an event since then. After ${days} days without a success, the webhook is disabled.`,
    failingSince: 'Deliveries began to fail',
  },

  rotating: {
    title: 'Rotate the secret?',
    text: 'The webhook gets a new secret. Until the old one ends, every request is signed with both, so receivers can change over without losing an event.',
    overlap: 'The old secret also signs for',
    day: 'A day',
    dayHint: 'Enough if you can change the receiver today.',
    week: 'A week',
    none: 'No time: end it now',
    noneHint: 'If the old secret is known to others. Receivers reject events until they have the new one.',
    confirm: 'Rotate secret',
    shownTitle: 'New secret',
    done: 'Done',
  },

  removing: {
    title: 'Delete this webhook?',
    text: 'Events that still wait are not sent, and its deliveries are deleted. This can’t be undone.',
  },

  recovering: {
    title: 'Resend events',
    text: 'Sends events of a time again, oldest first. They keep their IDs. A paused webhook gets them when it is resumed.',
    since: 'Since',
    sinceMissing: 'Enter a date and time.',
    until: 'Until (optional)',
    untilEarlier: 'Enter a later time than the first one.',
    include: 'Events',
    includes: { failed: 'Failed ones', all: 'Also delivered ones' },
    types: 'Event types',
    allTypes: 'All types',
    noType: 'No matches',
    confirm: 'Resend',
    none: 'No such events',
    done: (count: number): string => `${plural(count, 'event is', 'events are')} sent again`,
  },

  deliveries: {
    title: 'Deliveries',
    text: (days: number): string => `What was sent, newest first. Kept for ${days} days.`,
    state: 'State',
    anyState: 'Any state',
    type: 'Event type',
    anyType: 'All types',
    noType: 'No matches',
    event: 'Event',
    attempts: 'Attempts',
    next: 'Next attempt',
    none: '–',
    time: 'Time',
    states: { waiting: 'Waiting', delivered: 'Delivered', failed: 'Failed' } satisfies Record<
      DeliveryState,
      string
    >,
    retrying: 'Retrying',
    emptyTitle: 'No events yet',
    emptyText: 'Events appear here as they happen. Send a test event to try the receiver.',
    noneTitle: 'No deliveries match these filters',
    noneText: 'Choose a longer period or clear the filters.',
  },

  delivery: {
    title: 'Delivery',
    back: 'All deliveries',
    goneTitle: 'Delivery not found',
    gone: (days: number): string => `Deliveries are kept for ${days} days.`,
    resend: 'Resend',
    resent: 'The event is sent again',
    resentPaused: 'The event is sent again once the webhook is resumed',
    happenedAt: 'Event time',
    next: 'Next attempt',
    client: 'Client',
    eventId: 'Event ID',
    deliveryId: 'Delivery ID',
    whatToDo: 'What to do',
    neverSent: 'Not sent',
    neverSentText: 'The webhook was disabled when this happened. Resume it, then resend the event.',
    body: 'Request body',
    bodyText: 'The same bytes in each attempt, shown here with line breaks.',
    bodyLabel: 'request body',
    attempts: 'Attempts',
    noAttempts: 'Not attempted yet.',
    attemptsMax: (count: number): string => `The newest ${formatNumber(count)} attempts.`,
    status: (status: number): string => `Status ${status}`,
    noAnswer: 'No answer',
    durationMs: (milliseconds: number): string => `${formatNumber(milliseconds)} ms`,
    nextDue: 'Next attempt due',
    request: 'Request headers',
    requestLabel: 'request headers',
    answer: 'Response',
    answerLabel: 'response',
    answerText: 'The first 4 KiB of what the receiver sent.',
    answerEmpty: 'The response had no body.',
  },

  advice,
} as const;
