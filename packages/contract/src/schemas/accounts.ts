import { z } from 'zod';
import { accountStatuses } from '../account-status.ts';
import { isReadableText } from '../readable-text.ts';
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
import { oneOf, pageParameters, text } from './query-parameters.ts';

const requestsText =
  'How many requests a minute each of its clients may make, on average; null for the limit of the service.';
const burstText = 'How many of these may come at once; null for the limit of the service.';

const account = z
  .strictObject({
    accountId: z.string().describe('The id of the account.'),
    name,
    isOperator: z
      .boolean()
      .describe("Whether it is the operator's: only there the permissions for accounts count."),
    keyAgeDaysMax: z.nullable(z.int()).describe(keyAgeDaysMax.description ?? ''),
    requestsPerMinuteMax: z.nullable(z.int()).describe(requestsText),
    requestsBurstMax: z.nullable(z.int()).describe(burstText),
    status: z
      .enum(accountStatuses)
      .describe('Whether its clients are let in: a suspended account can be resumed, a closed one cannot.'),
    statusReason: z
      .nullable(z.string())
      .describe('Why it is suspended or closed; null for an active account.'),
    statusChangedAt: z.nullable(timestamp).describe('When that last changed; null for never.'),
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
  .refine((value) => isReadableText(value, 500) && value.trim() === value, { error: reasonAdvice });

const traffic = z.strictObject({
  requests: z.int().describe('How many there were, refused ones too.'),
  refused: z.int().describe('How many of them were refused.'),
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
    name: z.enum(partNames).describe('Which part it is.'),
    subject: z
      .optional(z.string())
      .describe('Of upstreams the name; of threads their number and that of nodes.'),
    state: z.enum(['ok', 'warning', 'failing']).describe('How it is doing.'),
    reason: z.optional(z.string()).describe('Why, unless all is well.'),
    count: z.int().describe('How often it was used and measured.'),
    failed: z.int().describe('How often that failed.'),
    p50Ms: z.optional(z.number()).describe('Half of all took at most this long, in milliseconds.'),
    p99Ms: z.optional(z.number()).describe('99 of 100 took at most this long, in milliseconds.'),
  })
  .describe('How one part of a node is doing.');

const setting = z
  .strictObject({
    name: z.string().describe('Its name in the configuration file.'),
    environment: z.string().describe('Its environment variable.'),
    value: z.string().describe('The value in force; asterisks for a secret, empty for none.'),
    source: z.enum(['environment', 'file', 'default']).describe('Where it came from.'),
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
  AccountRequest: body({ name: nameInput, ...accountLimits }, 'The account to add.', { name: 'Example Ltd' }),
  AccountChange: body(
    { name: z.optional(nameInput), ...accountLimits },
    'What to change of an account; what is left out stays as it is (RFC 7396).',
    { keyAgeDaysMax: 180 },
  ),

  AccountStateChange: body(
    { reason: reasonInput.describe('Why: 10 to 500 characters. The customer can read it.') },
    'Why the state of an account changes.',
    { reason: 'Unpaid since September, case 4711' },
  ),
  AccountOverviews: page(
    z
      .strictObject({
        account,
        owner: z
          .nullable(
            z.strictObject({
              name: z.string().describe('What people call them.'),
              email: z.string().describe('Their address.'),
            }),
          )
          .describe('The person who leads it longest; null for nobody.'),
        owners: z.int().describe('How many people lead it.'),
        clients: z.int().describe('How many clients it has, without archived ones.'),
        lastDay: traffic.describe('Its requests of the last 24 hours.'),
        last30Days: traffic.describe('Its requests of the last 30 days.'),
        lastRequestAt: z.nullable(timestamp).describe('When the newest request that is kept came.'),
      })
      .describe('An account, as its operator sees it.'),
    'A page of accounts.',
    'The accounts, in the order that was asked for.',
  ),

  Acting: z
    .strictObject({
      accountId: z.string().describe('The account.'),
      accountName: z.string().describe('What people call it.'),
      reason: z.string().describe("Why; recorded in the account's audit log."),
      endsAt: timestamp.describe('When it ends by itself.'),
    })
    .describe("A member of the operator's staff is acting for an account in this session."),
  ActingRequest: body(
    {
      accountId: z
        .string({ error: accountAdvice })
        .max(64, { error: accountAdvice })
        .describe('The account of a customer.'),
      reason: reasonInput.describe('Why: 10 to 500 characters. The customer can read it.'),
    },
    'For which account to act, and why.',
    {
      accountId: 'account_01m7xp8vap0ece1swwccz1jnzr',
      reason: 'Help with the first client, ticket 4711',
    },
  ),

  ServiceSettings: z
    .strictObject({ data: z.array(setting).describe('All settings, as the documentation lists them.') })
    .describe('The settings in force on the node that answers.'),

  ServiceHealth: z
    .strictObject({
      isReady: z.boolean().describe('Whether it can decide requests.'),
      reason: z.optional(z.string()).describe('Why not, when it is not.'),
      version: z.string().describe('The version of the service.'),
      startedAt: timestamp.describe('When the node started.'),
      database: z.enum(['sqlite', 'postgresql']).describe('Where the registry is stored.'),
      guard: z.enum(['memory', 'redis', 'postgres']).describe('Where used signatures are kept.'),
      registry: z
        .strictObject({
          clients: z.int().describe('How many.'),
          ageMs: z.int().describe('How long ago they were last compared with the database, in milliseconds.'),
        })
        .describe('The clients in memory.'),
      mail: z.enum(['smtp', 'folder']).describe('Where mails go.'),
      requestLog: z
        .strictObject({
          dropped: z.int().describe('How many could not be kept since the start.'),
          queued: z.int().describe('How many wait to be written.'),
        })
        .describe('The requests that are kept for their owners.'),
      explanations: z
        .strictObject({
          explained: z.int().describe('How many were since the start.'),
          skipped: z.int().describe('For how many there was no time.'),
        })
        .describe('The refused requests that are explained in the background.'),
      parts: z.array(part).describe('Each part of the node, measured over the last five minutes.'),
    })
    .describe('How the node that answers is doing.'),
};

export const accountQueries = {
  AccountOverviewQuery: {
    ...pageParameters,
    search: text(
      'search',
      100,
      'Only accounts whose name contains this, in any case, or whose accountId begins with it',
    ),
    status: oneOf('status', accountStatuses, 'Only accounts in this state'),
    sort: oneOf(
      'sort',
      accountSorts,
      'What to sort by: names and times of creation from the first, everything else from the most; `name` unless set',
    ),
  },
  AccountQuery: {
    ...pageParameters,
    search: text(
      'search',
      100,
      'Only accounts whose name contains this, in any case, or whose accountId begins with it',
    ),
  },
};

export type Account = Shape<typeof account>;
export type AccountStateChange = Shape<typeof accountSchemas.AccountStateChange>;
export type AccountOverview = Shape<typeof accountSchemas.AccountOverviews>['data'][number];
export type AccountSort = (typeof accountSorts)[number];
export type AccountRequest = Shape<typeof accountSchemas.AccountRequest>;
export type AccountChange = Shape<typeof accountSchemas.AccountChange>;
export type Acting = Shape<typeof accountSchemas.Acting>;
export type ActingRequest = Shape<typeof accountSchemas.ActingRequest>;
export type PartHealth = ServiceHealth['parts'][number];
export type ServiceSetting = Shape<typeof accountSchemas.ServiceSettings>['data'][number];
export type ServiceHealth = Shape<typeof accountSchemas.ServiceHealth>;
