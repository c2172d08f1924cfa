import { z } from 'zod';
import { profileNamePattern } from '../ids.ts';
import { plainPatterns } from '../readable-text.ts';
import { isMetadataKey, isMetadataValue, isTag, metadataKeyPattern, tagPattern } from '../client-labels.ts';
import { clientLabelLimits, clientListLimits, clientRolesMax, keyTimes, networkLimits } from '../limits.ts';
import { key, keyRotations } from './keys.ts';
import { networkEntry } from './network-whitelist.ts';
import {
  accountId,
  body,
  clientId,
  clientIdInput,
  createdAt,
  name,
  nameInput,
  countedPage,
  page,
  keyAlgorithm,
  publicKey,
  requestsBurstMax,
  requestsPerMinuteMax,
  roleName,
  type Shape,
  time,
  timestamp,
  updatedAt,
} from './parts.ts';
import { oneOf, pageParameters, text } from './query-parameters.ts';

const clientSorts = ['name', '-name', 'createdAt', '-createdAt', 'lastUsedAt', '-lastUsedAt'] as const;
const statuses = ['active', 'disabled', 'revoked'] as const;
const rolesText = 'Role names.';
/** Names of roles, in requests. */
export const clientRoles: z.ZodArray<typeof roleName> = z
  .array(roleName, { error: 'Write the roles as a list of names.' })
  .max(clientRolesMax, { error: `Give at most ${clientRolesMax} roles.` });
const flag = z.boolean({ error: 'Write true or false.' });
const tagAdvice = `Write a tag with 1 to ${clientLabelLimits.tagCharactersMax} lower-case letters and digits, and single - _ . : / between them.`;
const tagsAdvice = `Give at most ${clientLabelLimits.tagsMax} tags.`;
/** A tag in requests. */
export const clientTag: z.ZodType<string, string> = z
  .string({ error: tagAdvice })
  .refine(isTag, { error: tagAdvice })
  .meta({ minLength: 1, maxLength: clientLabelLimits.tagCharactersMax, pattern: tagPattern.source });
const tags = z
  .array(clientTag, { error: 'Write the tags as a list of strings.' })
  .max(clientLabelLimits.tagsMax, { error: tagsAdvice });
const tagsText = `Tags for grouping clients: at most ${clientLabelLimits.tagsMax}, each of 1 to ${clientLabelLimits.tagCharactersMax} lower-case letters and digits, with single \`-\`, \`_\`, \`.\`, \`:\` or \`/\` between them.`;

const metadataKeyAdvice = `Write a key with 1 to ${clientLabelLimits.metadataKeyCharactersMax} letters, digits, _ . and -, and a letter first.`;
const metadataValueAdvice = `Write a value as text of at most ${clientLabelLimits.metadataValueCharactersMax} characters, without control characters.`;
const metadataKey = z.string().refine(isMetadataKey, { error: metadataKeyAdvice }).meta({
  minLength: 1,
  maxLength: clientLabelLimits.metadataKeyCharactersMax,
  pattern: metadataKeyPattern.source,
});
const metadataValue = z
  .string({ error: metadataValueAdvice })
  .refine(isMetadataValue, { error: metadataValueAdvice })
  .meta({ maxLength: clientLabelLimits.metadataValueCharactersMax, pattern: plainPatterns.line });
const metadataText = `Your own notes on the client, as keys with text values: at most ${clientLabelLimits.metadataEntriesMax} entries. The service only stores them.`;
const metadataError = { error: 'Write the metadata as an object with text values.' };
const metadataMaxAdvice = `Give at most ${clientLabelLimits.metadataEntriesMax} entries.`;
const isMetadataSize = (entries: object): boolean =>
  Object.keys(entries).length <= clientLabelLimits.metadataEntriesMax;

const profileText =
  'The rules for its signatures: `countersign`; `countersign-without-date` for older clients, whose signatures may omit `date`; or the name of another profile that the service accepts, such as `curl-8.22`.';
const profileAdvice = 'Write the name of a profile, such as countersign.';
const profile = z
  .string({ error: profileAdvice })
  .regex(profileNamePattern, { error: profileAdvice })
  .meta({ minLength: 1, maxLength: 64 });
const withoutDateText =
  'The earlier name of the profile: true for `countersign-without-date`, false for `countersign`. It must not contradict `profile`.';
const explanationsText =
  'Whether `/v1/signature-test` explains a rejected request that names this client, to anyone who sends one.';

const directoryAdvice = 'Write the URL of the directory of keys as text of at most 1,024 characters.';
const directoryUrl = z.string({ error: directoryAdvice }).max(1024, { error: directoryAdvice });
const directoryText =
  'The URL of a directory that publishes its public keys (JWK Set), an origin that publishes one for Web Bot Auth, or the URL of an actor (ActivityPub) for the profile `mastodon-4.5`. Its keys are fetched in the background, instead of being registered. Only for clients with another profile than the closed ones.';
const directory = z
  .strictObject({
    url: z.string().describe('The URL that is fetched.'),
    lastAttemptAt: z.nullable(timestamp).describe('When it was last fetched; null if not yet.'),
    nextAttemptAt: timestamp.describe(
      'When it is due to be fetched next. A time that is over means within seconds.',
    ),
    lastSuccessAt: z
      .nullable(timestamp)
      .describe('When it last gave keys; null if not yet. Until then, registered keys still work.'),
    problem: z
      .nullable(z.string())
      .describe('The reason why the last fetch failed, or why its keys no longer work; null if all is well.'),
    keys: z.int().describe('The number of its keys that count: at most ten.'),
    skipped: z
      .record(z.string(), z.int())
      .describe('How many of its entries do not count, by reason, such as `private_key` or `weak`.'),
  })
  .describe('The directory that its keys come from.');

const requestsText =
  "Average limit of requests per minute; null for the account's limit, which it cannot exceed.";
const burstText =
  "How many of them can arrive in a burst; null for the account's limit, which it cannot exceed.";

const limitInForce = z.strictObject({
  value: z.nullable(z.int()).describe('The limit in force; null for no limit.'),
  source: z
    .enum(['client', 'account', 'service'])
    .describe("Where the limit comes from: the client itself, its account, or the service's default."),
  max: z.nullable(z.int()).describe('The highest limit that the client can get; null for no limit.'),
});

const clientLimits = {
  requestsPerMinuteMax: z.optional(requestsPerMinuteMax).describe(requestsText),
  requestsBurstMax: z.optional(requestsBurstMax).describe(burstText),
};

const client = z
  .strictObject({
    clientId,
    accountId,
    name,
    status: z
      .enum(statuses)
      .describe('Its status. A revoked client can be restored for 7 days; after that, it no longer exists.'),
    roles: z.array(z.string()).describe(rolesText),
    tags: z.array(z.string()).describe(tagsText),
    metadata: z.record(z.string(), z.string()).describe(metadataText),
    profile: z.string().describe(profileText),
    acceptWithoutDate: z.boolean().describe(withoutDateText),
    allowExplanations: z.boolean().describe(explanationsText),
    requestsPerMinuteMax: z.nullable(z.int()).describe(requestsText),
    requestsBurstMax: z.nullable(z.int()).describe(burstText),
    keys: z
      .array(key)
      .describe('Its keys that are neither expired nor revoked: at most two, or ten from a directory.'),
    directory: z
      .nullable(directory)
      .describe('The directory that its keys come from; null if they are registered.'),
    createdAt,
    updatedAt,
    network: z
      .strictObject({
        entries: z.int().describe('The number of entries.'),
        isEveryone: z
          .boolean()
          .describe('Whether an entry allows every address, or every IPv4 or IPv6 address.'),
      })
      .describe('A summary of its network whitelist.'),
    lastUsedAt: z
      .optional(timestamp)
      .describe('When its last accepted request arrived; updated with a delay of some seconds.'),
    lastUsedFrom: z.optional(z.string()).describe('Where that request came from.'),
    expiresAt: z
      .optional(timestamp)
      .describe(
        'Only if it is temporary: when its keys stop working and it no longer exists. It cannot be changed.',
      ),
    revokedAt: z.optional(timestamp).describe('Only if revoked.'),
    restorableUntil: z.optional(timestamp).describe('How long a revoked client can be restored.'),
  })
  .describe('An application that can call the API.');

const profileEntry = z.strictObject({
  name: z.string().describe('The name that a client is registered with.'),
  title: z.string().describe('What it is a profile of.'),
  algorithms: z
    .array(z.string())
    .describe(
      "The algorithms of its signatures, as they are named in a signature's `alg`; `PS256` has no name there.",
    ),
  binds: z.array(z.string()).describe('The parts of a request that every signature covers.'),
  leavesOpen: z
    .array(z.string())
    .describe('The parts that a signature need not cover: someone on the way could change them.'),
  parameters: z
    .array(z.string())
    .describe('The parameters that every signature has, such as `created`, `keyid` and `expires`.'),
  notes: z.array(z.string()).describe('Sentences about who signs by it.'),
  definition: z
    .optional(z.record(z.string(), z.unknown()))
    .describe(
      'All its rules, as the setting `profiles` takes them; not for the closed profiles, which every service and library has.',
    ),
});

export const clientSchemas = {
  Client: client,
  ClientPage: countedPage(
    client,
    'A page of clients.',
    'The clients, in the requested order. Default: by client ID.',
    `The number of clients that match the filters; only on the first page, and only if there are at most ${clientListLimits.lookedAtMax} to search.`,
  ),
  ClientRequest: body(
    {
      name: nameInput,
      networkWhitelist: z
        .array(networkEntry, { error: 'Write the network whitelist as a list of entries.' })
        .min(1, { error: networkLimits.emptyAdvice })
        .max(networkLimits.entriesMax, { error: networkLimits.tooManyAdvice })
        .describe('Where it can call from: at least one entry.'),
      publicKey: z
        .optional(publicKey)
        .describe(
          `${publicKey.description} Without one, the client cannot call the API until a key is added.`,
        ),
      algorithm: z.optional(keyAlgorithm).describe(`${keyAlgorithm.description} Only with \`publicKey\`.`),
      keyEndsAt: z.optional(time).describe('When the key expires. Default: never. Only with `publicKey`.'),
      directoryUrl: z.optional(directoryUrl).describe(`${directoryText} Not together with \`publicKey\`.`),
      roles: z.optional(clientRoles).describe(rolesText),
      tags: z.optional(tags).describe(tagsText),
      metadata: z
        .optional(
          z
            .record(metadataKey, metadataValue, metadataError)
            .refine(isMetadataSize, { error: metadataMaxAdvice }),
        )
        .describe(metadataText),
      profile: z.optional(profile).describe(`${profileText} Default: \`countersign\`.`),
      acceptWithoutDate: z.optional(flag).describe(withoutDateText),
      allowExplanations: z.optional(flag).describe(`${explanationsText} Default: false.`),
      ...clientLimits,
      expiresAt: z
        .optional(time)
        .describe(
          `Makes it a temporary client: at this time, within ${keyTimes.endDaysMax} days, its keys stop working and it no longer exists. Not together with \`directoryUrl\`. Default: never.`,
        ),
      clientId: z
        .optional(clientIdInput)
        .describe('Operator only: the existing client ID of a client that is moved here.'),
      accountId: z
        .optional(z.string({ error: 'Write the accountId as text, or leave it out.' }))
        .describe("Operator only: the account that the client belongs to. Default: the operator's own."),
    },
    'The client to register.',
    {
      name: 'Billing',
      networkWhitelist: [{ entry: '203.0.113.0/24', label: 'Office' }],
      publicKey: 'MIIBIjANBgkqhkiG9w0BAQEF…IDAQAB',
      roles: ['payments-operator'],
    },
  ),
  ClientChange: body(
    {
      name: z.optional(nameInput),
      roles: z.optional(clientRoles).describe(`${rolesText} They replace the current ones.`),
      tags: z.optional(tags).describe(`${tagsText} They replace the current ones.`),
      metadata: z
        .optional(
          z
            .record(metadataKey, z.nullable(metadataValue), metadataError)
            .refine(isMetadataSize, { error: metadataMaxAdvice }),
        )
        .describe(`${metadataText} Null removes an entry; other entries are not changed.`),
      profile: z.optional(profile).describe(profileText),
      acceptWithoutDate: z.optional(flag).describe(withoutDateText),
      directoryUrl: z
        .optional(z.nullable(directoryUrl))
        .describe(
          `${directoryText} Null removes it. Keys of the earlier directory expire immediately; registered keys expire when the new one has given keys.`,
        ),
      allowExplanations: z.optional(flag).describe(explanationsText),
      ...clientLimits,
    },
    'The fields to change (JSON merge patch, RFC 7396).',
    { roles: ['payments-reader'] },
  ),

  ProfilePage: page(profileEntry, 'All profiles.', 'The profiles: the closed ones first.'),

  DemoData: z
    .strictObject({
      clients: z.int().describe('The number of demo clients.'),
      members: z.int().describe('The number of demo members.'),
      requests: z.int().describe('The number of requests of these clients.'),
      auditEvents: z.int().describe('The number of demo audit events.'),
    })
    .describe("The account's demo data, or how much of it was removed; all zero if there is none."),

  ClientDirectory: directory,
  RequestLimits: z
    .strictObject({
      requestsPerMinuteMax: limitInForce.describe('Average limit of requests per minute.'),
      requestsBurstMax: limitInForce.describe('How many of them can arrive in a burst.'),
    })
    .describe("A client's request limits."),
  Checklist: z
    .strictObject({
      hasClient: z.boolean().describe('Whether the account has a client.'),
      firstClientId: z.optional(z.string()).describe('The oldest client.'),
      hasAcceptedRequest: z.boolean().describe("Whether a client's request has ever been accepted."),
      hasRestrictedNetwork: z
        .boolean()
        .describe('Whether the account has clients, and none of them can call from anywhere.'),
      hasRotatedKey: z.boolean().describe('Whether a key has ever been rotated.'),
    })
    .describe("The account's progress with its first client."),
};

export const clientQueries = {
  ClientQuery: {
    ...pageParameters,
    status: oneOf('status', statuses, 'Only clients with this status'),
    role: text('role', 64, 'Only clients with this role'),
    tag: text('tag', clientLabelLimits.tagCharactersMax, 'Only clients with this tag'),
    sort: oneOf(
      'sort',
      clientSorts,
      'Sort order; a minus reverses it. Default: by client ID. `lastUsedAt` only works in accounts with up to 20,000 clients',
    ),
    search: text(
      'search',
      256,
      'Only clients whose name contains this (in any case), whose client ID starts with it, that can call from this IP address, or that have a key with this ID, fingerprint (or the start of one) or, for clients of other profiles, JWK thumbprint or URL',
    ),
    rotation: oneOf('rotation', keyRotations, 'Only clients with a key in this rotation state'),
    accountId: text('accountId', 64, "Operator only: the clients of this account. Default: the caller's own"),
  },
};

export type ProfileEntry = Shape<typeof profileEntry>;
export type Client = Shape<typeof client>;
export type ClientSort = (typeof clientSorts)[number];
export type ClientStatus = Client['status'];
export type ClientNetwork = Client['network'];
export type ClientRequest = Shape<typeof clientSchemas.ClientRequest>;
export type ClientChange = Shape<typeof clientSchemas.ClientChange>;
export type DemoData = Shape<typeof clientSchemas.DemoData>;
export type ClientDirectory = Shape<typeof clientSchemas.ClientDirectory>;
export type RequestLimits = Shape<typeof clientSchemas.RequestLimits>;
export type Checklist = Shape<typeof clientSchemas.Checklist>;
