import { z } from 'zod';
import { isMetadataKey, isMetadataValue, isTag } from '../client-labels.ts';
import { clientLabelLimits, clientListLimits, clientRolesMax, networkLimits } from '../limits.ts';
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
  publicKey,
  requestsBurstMax,
  requestsPerMinuteMax,
  roleName,
  type Shape,
  timestamp,
  updatedAt,
} from './parts.ts';
import { oneOf, pageParameters, text } from './query-parameters.ts';

const clientSorts = ['name', '-name', 'createdAt', '-createdAt', 'lastUsedAt', '-lastUsedAt'] as const;
const statuses = ['active', 'disabled', 'revoked'] as const;
const rolesText = 'Names of roles.';
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
  .refine(isTag, { error: tagAdvice });
const tags = z
  .array(clientTag, { error: 'Write the tags as a list of texts.' })
  .max(clientLabelLimits.tagsMax, { error: tagsAdvice });
const tagsText = `Words that group clients: at most ${clientLabelLimits.tagsMax}, each of 1 to ${clientLabelLimits.tagCharactersMax} lower-case letters and digits, with single \`-\`, \`_\`, \`.\`, \`:\` or \`/\` between them.`;

const metadataKeyAdvice = `Write a key with 1 to ${clientLabelLimits.metadataKeyCharactersMax} letters, digits, _ . and -, and a letter first.`;
const metadataValueAdvice = `Write a value as text of at most ${clientLabelLimits.metadataValueCharactersMax} characters, without control characters.`;
const metadataKey = z.string().refine(isMetadataKey, { error: metadataKeyAdvice });
const metadataValue = z
  .string({ error: metadataValueAdvice })
  .refine(isMetadataValue, { error: metadataValueAdvice });
const metadataText = `Your own notes on the client, as texts by key: at most ${clientLabelLimits.metadataEntriesMax} entries. The service only stores them.`;
const metadataError = { error: 'Write the metadata as an object of texts.' };
const metadataMaxAdvice = `Give at most ${clientLabelLimits.metadataEntriesMax} entries.`;
const isMetadataSize = (entries: object): boolean =>
  Object.keys(entries).length <= clientLabelLimits.metadataEntriesMax;

const withoutDateText = 'Whether its signatures may leave out `date`, as an earlier signer does.';
const explanationsText =
  'Whether a refusal by `/v1/signature-test` of a request that names it is explained, to whoever sent it.';

const requestsText =
  'How many requests a minute it may make, on average; null for as many as its account allows, which is also the most.';
const burstText =
  'How many of these may come at once; null for as many as its account allows, which is also the most.';

const limitInForce = z.strictObject({
  value: z.nullable(z.int()).describe('The figure in force; null for no limit.'),
  source: z
    .enum(['client', 'account', 'service'])
    .describe("Whose figure that is: the client's own, its account's, or the service's for every client."),
  max: z
    .nullable(z.int())
    .describe('The most that counts if the client gets a figure of its own; null for no limit.'),
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
      .describe('Where it stands. A revoked client can be restored for 7 days; after that it is gone.'),
    roles: z.array(z.string()).describe(rolesText),
    tags: z.array(z.string()).describe(tagsText),
    metadata: z.record(z.string(), z.string()).describe(metadataText),
    acceptWithoutDate: z.boolean().describe(withoutDateText),
    allowExplanations: z.boolean().describe(explanationsText),
    requestsPerMinuteMax: z.nullable(z.int()).describe(requestsText),
    requestsBurstMax: z.nullable(z.int()).describe(burstText),
    keys: z.array(key).describe('Its keys that are neither expired nor revoked: two at most.'),
    createdAt,
    updatedAt,
    network: z
      .strictObject({
        entries: z.int().describe('How many entries it has.'),
        isEveryone: z
          .boolean()
          .describe('Whether one of them allows every address, or every one of IPv4 or IPv6.'),
      })
      .describe('How wide its network whitelist is.'),
    lastUsedAt: z.optional(timestamp).describe('When its last accepted request came; some seconds late.'),
    lastUsedFrom: z.optional(z.string()).describe('Where that request came from.'),
    revokedAt: z.optional(timestamp).describe('Only when revoked.'),
    restorableUntil: z.optional(timestamp).describe('Until when a revoked client can be restored.'),
  })
  .describe('A program that may call the API.');

export const clientSchemas = {
  Client: client,
  ClientPage: countedPage(
    client,
    'A page of clients.',
    'The clients, in the order that was asked for; by id unless set.',
    `How many clients the filters find, on the first page; left out if there are more than ${clientListLimits.lookedAtMax} to look through.`,
  ),
  ClientRequest: body(
    {
      name: nameInput,
      networkWhitelist: z
        .array(networkEntry, { error: 'Write the network whitelist as a list of entries.' })
        .min(1, { error: networkLimits.emptyAdvice })
        .max(networkLimits.entriesMax, { error: networkLimits.tooManyAdvice })
        .describe('Where it may call from: at least one entry.'),
      publicKey: z
        .optional(publicKey)
        .describe(`${publicKey.description} Without one the client cannot call until a key is added.`),
      roles: z.optional(clientRoles).describe(rolesText),
      tags: z.optional(tags).describe(tagsText),
      metadata: z
        .optional(
          z
            .record(metadataKey, metadataValue, metadataError)
            .refine(isMetadataSize, { error: metadataMaxAdvice }),
        )
        .describe(metadataText),
      acceptWithoutDate: z.optional(flag).describe(`${withoutDateText} No, unless set.`),
      allowExplanations: z.optional(flag).describe(`${explanationsText} No, unless set.`),
      ...clientLimits,
      clientId: z
        .optional(clientIdInput)
        .describe('For the operator only: the clientId of a client that moves here from elsewhere.'),
      accountId: z
        .optional(z.string({ error: 'Write the accountId as text, or leave it out.' }))
        .describe(
          "For the operator only: the account that the client belongs to; the operator's own unless set.",
        ),
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
      roles: z.optional(clientRoles).describe(`${rolesText} They replace those that it has.`),
      tags: z.optional(tags).describe(`${tagsText} They replace those that it has.`),
      metadata: z
        .optional(
          z
            .record(metadataKey, z.nullable(metadataValue), metadataError)
            .refine(isMetadataSize, { error: metadataMaxAdvice }),
        )
        .describe(`${metadataText} Null removes an entry; keys that are left out stay as they are.`),
      acceptWithoutDate: z.optional(flag).describe(withoutDateText),
      allowExplanations: z.optional(flag).describe(explanationsText),
      ...clientLimits,
    },
    'What to change of a client; what is left out stays as it is (RFC 7396).',
    { roles: ['payments-reader'] },
  ),

  DemoData: z
    .strictObject({
      clients: z.int().describe('How many made-up clients there are.'),
      members: z.int().describe('How many made-up people are on the team.'),
      requests: z.int().describe('How many requests of these clients are kept.'),
      auditEvents: z.int().describe('How many audit events are made up.'),
    })
    .describe('The demo data of an account, or what was removed of it; all zero without any.'),

  RequestLimits: z
    .strictObject({
      requestsPerMinuteMax: limitInForce.describe('How many requests a minute it may make, on average.'),
      requestsBurstMax: limitInForce.describe('How many of these may come at once.'),
    })
    .describe('The request limits in force for a client.'),
  Checklist: z
    .strictObject({
      hasClient: z.boolean().describe('Whether it has a client.'),
      firstClientId: z.optional(z.string()).describe('The oldest client.'),
      hasAcceptedRequest: z.boolean().describe('Whether a request of a client was ever accepted.'),
      hasRestrictedNetwork: z
        .boolean()
        .describe('Whether there are clients, and none of them may call from everywhere.'),
      hasRotatedKey: z.boolean().describe('Whether a key was ever replaced by another one.'),
    })
    .describe('How far an account has come with its first client.'),
};

export const clientQueries = {
  ClientQuery: {
    ...pageParameters,
    status: oneOf('status', statuses, 'Only clients in this state'),
    role: text('role', 64, 'Only clients that have this role'),
    tag: text('tag', clientLabelLimits.tagCharactersMax, 'Only clients that have this tag'),
    sort: oneOf(
      'sort',
      clientSorts,
      'What orders the clients, in reverse after a minus; by id unless set. By `lastUsedAt` only in accounts of up to 20,000 clients',
    ),
    search: text(
      'search',
      256,
      'Only clients whose name contains this, in any case, whose clientId begins with it, that may call from this IP address, or that have the key with this fingerprint (or the beginning of one) or id',
    ),
    rotation: oneOf('rotation', keyRotations, 'Only clients with a key in this state of rotation'),
    accountId: text(
      'accountId',
      64,
      "For the operator only: the clients of this account; the caller's own unless set",
    ),
  },
};

export type Client = Shape<typeof client>;
export type ClientSort = (typeof clientSorts)[number];
export type ClientStatus = Client['status'];
export type ClientNetwork = Client['network'];
export type ClientRequest = Shape<typeof clientSchemas.ClientRequest>;
export type ClientChange = Shape<typeof clientSchemas.ClientChange>;
export type DemoData = Shape<typeof clientSchemas.DemoData>;
export type RequestLimits = Shape<typeof clientSchemas.RequestLimits>;
export type Checklist = Shape<typeof clientSchemas.Checklist>;
