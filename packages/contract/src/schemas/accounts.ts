import { z } from 'zod';
import { accountStatuses } from '../account-status.ts';
import { isReadableText, plainPatterns } from '../readable-text.ts';
import {
  body,
  createdAt,
  keyAgeDaysMax,
  name,
  nameInput,
  page,
  requestsBurstMax,
  requestsPerMinuteMax,
  type Shape,
  timestamp,
  updatedAt,
} from './parts.ts';
import { invitation, invitedEmail } from './people.ts';
import { oneOf, pageParameters, text } from './query-parameters.ts';

const requestsText =
  "Average limit of requests per minute for each of its clients; null for the service's limit.";
const burstText = "How many of them can arrive in a burst; null for the service's limit.";

const account = z
  .strictObject({
    accountId: z.string().describe("The account's ID."),
    name,
    isOperator: z
      .boolean()
      .describe(
        "Whether it is the operator's account, the only one in which the `accounts:` permissions have an effect.",
      ),
    keyAgeDaysMax: z.nullable(z.int()).describe(keyAgeDaysMax.description ?? ''),
    requestsPerMinuteMax: z.nullable(z.int()).describe(requestsText),
    requestsBurstMax: z.nullable(z.int()).describe(burstText),
    status: z
      .enum(accountStatuses)
      .describe(
        'Whether its clients can call the API. A suspended account can be resumed, a closed one cannot.',
      ),
    statusReason: z
      .nullable(z.string())
      .describe('Why it is suspended or closed; null for an active account.'),
    statusChangedAt: z.nullable(timestamp).describe('When the status last changed; null if never.'),
    createdAt,
    updatedAt,
  })
  .describe('An account: the customer that clients belong to.');

const accountLimits = {
  keyAgeDaysMax: z.optional(keyAgeDaysMax),
  requestsPerMinuteMax: z.optional(requestsPerMinuteMax).describe(requestsText),
  requestsBurstMax: z.optional(requestsBurstMax).describe(burstText),
};

const accountAdvice = 'Write the accountId of a customer.';
const reasonAdvice =
  'Write a reason of 10 to 500 characters, without control characters and without space at its start or end.';

const reasonInput = z
  .string({ error: reasonAdvice })
  .min(10, { error: reasonAdvice })
  .refine((value) => isReadableText(value, 500) && value.trim() === value, { error: reasonAdvice })
  .meta({ maxLength: 500, pattern: plainPatterns.name });

const traffic = z.strictObject({
  requests: z.int().describe('The number of requests, including rejected ones.'),
  refused: z.int().describe('How many of them were rejected.'),
});

const partNames = [
  'requests',
  'database',
  'guard',
  'requestLog',
  'explainer',
  'log',
  'mail',
  'upstream',
  'threads',
] as const;

const part = z
  .strictObject({
    name: z.enum(partNames).describe('The part.'),
    subject: z
      .optional(z.string())
      .describe('The name of an upstream, or the number of threads and of nodes.'),
    state: z.enum(['ok', 'warning', 'failing']).describe('Its state.'),
    reason: z.optional(z.string()).describe('Why, unless the state is `ok`.'),
    count: z.int().describe('The number of measured uses.'),
    failed: z.int().describe('How many of them failed.'),
    p50Ms: z.optional(z.number()).describe('Median duration, in milliseconds.'),
    p99Ms: z.optional(z.number()).describe('99th percentile of the duration, in milliseconds.'),
  })
  .describe('The health of one part of a node.');

const setting = z
  .strictObject({
    name: z.string().describe('Its name in the configuration file.'),
    environment: z.string().describe('Its environment variable.'),
    value: z.string().describe('The value in force; asterisks for a secret, empty for none.'),
    source: z.enum(['environment', 'file', 'default']).describe('Where it was set.'),
    help: z.string().describe('What it does.'),
  })
  .describe('A setting in force.');

const accountSorts = [
  'name',
  'created',
  'clients',
  'lastDay',
  'last30Days',
  'refused',
  'lastRequest',
] as const;

export const accountSchemas = {
  Account: account,
  AccountPage: page(account, 'A page of accounts.', 'The accounts, oldest first.'),
  AddedAccount: account
    .extend({
      ownerInvitation: z
        .optional(invitation)
        .describe('The invitation of its first owner; only if `ownerEmail` was given.'),
    })
    .describe('An account that was added.'),
  AccountRequest: body(
    {
      name: nameInput,
      ...accountLimits,
      ownerEmail: z
        .optional(invitedEmail)
        .describe(
          'The email address of its first owner, who is invited together with it or not at all. Only people can give it, with the permission `accounts:act`.',
        ),
    },
    'The account to add.',
    { name: 'Example Ltd' },
  ),
  AccountChange: body(
    { name: z.optional(nameInput), ...accountLimits },
    'The fields to change (JSON merge patch, RFC 7396).',
    { keyAgeDaysMax: 180 },
  ),

  AccountStateChange: body(
    { reason: reasonInput.describe('Why: 10 to 500 characters. The customer can read it.') },
    "Why the account's status changes.",
    { reason: 'Unpaid since September, case 4711' },
  ),
  AccountOverviews: page(
    z
      .strictObject({
        account,
        owner: z
          .nullable(
            z.strictObject({
              name: z.string().describe('Their name.'),
              email: z.string().describe('Their email address.'),
            }),
          )
          .describe('The longest-standing owner; null if it has none.'),
        owners: z.int().describe('The number of owners.'),
        clients: z.int().describe('The number of clients, without those revoked more than 7 days ago.'),
        lastDay: traffic.describe('Requests in the last 24 hours.'),
        last30Days: traffic.describe('Requests in the last 30 days.'),
        lastRequestAt: z.nullable(timestamp).describe('When the newest stored request arrived.'),
      })
      .describe('An account, as the operator sees it.'),
    'A page of accounts.',
    'The accounts, in the requested order.',
  ),

  Acting: z
    .strictObject({
      accountId: z.string().describe('The account.'),
      accountName: z.string().describe('Its name.'),
      reason: z.string().describe("Why; recorded in the account's audit log."),
      endsAt: timestamp.describe('When it ends automatically.'),
    })
    .describe("A member of the operator's staff is acting for an account in this session."),
  ActingRequest: body(
    {
      accountId: z
        .string({ error: accountAdvice })
        .max(64, { error: accountAdvice })
        .describe("The customer's account."),
      reason: reasonInput.describe('Why: 10 to 500 characters. The customer can read it.'),
    },
    'The account to act for, and why.',
    {
      accountId: 'account_01m7xp8vap0ece1swwccz1jnzr',
      reason: 'Help with the first client, ticket 4711',
    },
  ),

  ServiceSettings: z
    .strictObject({ data: z.array(setting).describe('All settings, in the order of the documentation.') })
    .describe('The settings in force on the responding node.'),

  ServiceHealth: z
    .strictObject({
      isReady: z.boolean().describe('Whether it can accept requests.'),
      reason: z.optional(z.string()).describe('Why it cannot, if it is not ready.'),
      version: z.string().describe('The version of the service.'),
      startedAt: timestamp.describe('When the node started.'),
      database: z.enum(['sqlite', 'postgresql']).describe('Where the registry is stored.'),
      guard: z.enum(['memory', 'redis', 'postgres']).describe('Where used signatures are stored.'),
      registry: z
        .strictObject({
          clients: z.int().describe('The number of clients.'),
          ageMs: z.int().describe('Time since they were last compared with the database, in milliseconds.'),
        })
        .describe('The clients in memory.'),
      mail: z.enum(['smtp', 'folder']).describe('Where emails are sent.'),
      requestLog: z
        .strictObject({
          dropped: z.int().describe('How many were dropped since the start.'),
          queued: z.int().describe('How many are waiting to be written.'),
        })
        .describe('The requests stored for their owners.'),
      explanations: z
        .strictObject({
          explained: z.int().describe('How many were explained since the start.'),
          skipped: z.int().describe('How many were skipped because of load.'),
        })
        .describe('The rejected requests that are explained in the background.'),
      parts: z.array(part).describe('Each part of the node, measured over the last five minutes.'),
    })
    .describe("The responding node's health."),
};

export const accountQueries = {
  AccountOverviewQuery: {
    ...pageParameters,
    search: text(
      'search',
      100,
      'Only accounts whose name contains this (in any case), or whose account ID starts with it',
    ),
    status: oneOf('status', accountStatuses, 'Only accounts with this status'),
    sort: oneOf(
      'sort',
      accountSorts,
      'Sort order: `name` and `created` ascending, all others descending. Default: `name`',
    ),
  },
  AccountQuery: {
    ...pageParameters,
    search: text(
      'search',
      100,
      'Only accounts whose name contains this (in any case), or whose account ID starts with it',
    ),
  },
};

export type Account = Shape<typeof account>;
export type AccountStateChange = Shape<typeof accountSchemas.AccountStateChange>;
export type AccountOverview = Shape<typeof accountSchemas.AccountOverviews>['data'][number];
export type AccountSort = (typeof accountSorts)[number];
export type AccountRequest = Shape<typeof accountSchemas.AccountRequest>;
export type AddedAccount = Shape<typeof accountSchemas.AddedAccount>;
export type AccountChange = Shape<typeof accountSchemas.AccountChange>;
export type Acting = Shape<typeof accountSchemas.Acting>;
export type ActingRequest = Shape<typeof accountSchemas.ActingRequest>;
export type PartHealth = ServiceHealth['parts'][number];
export type ServiceSetting = Shape<typeof accountSchemas.ServiceSettings>['data'][number];
export type ServiceHealth = Shape<typeof accountSchemas.ServiceHealth>;
