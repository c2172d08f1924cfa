import { z } from 'zod';
import { type BulkAction, bulkActions } from '../bulk-actions.ts';
import { bulkLimits, clientLabelLimits } from '../limits.ts';
import { clientQueries, clientRoles, clientTag } from './clients.ts';
import { networkEntry } from './network-whitelist.ts';
import { body, type Shape } from './parts.ts';

const actionNames = Object.keys(bulkActions) as [BulkAction, ...BulkAction[]];
const choiceAdvice = 'Give either clients or filter.';
const flag = z.boolean({ error: 'Write true or false.' });
const { status, role, tag, search, rotation } = clientQueries.ClientQuery;

const filter = z
  .strictObject(
    {
      status: z.optional(status.schema).describe(status.summary),
      role: z.optional(role.schema).describe(role.summary),
      tag: z.optional(tag.schema).describe(tag.summary),
      search: z.optional(search.schema).describe(search.summary),
      rotation: z.optional(rotation.schema).describe(rotation.summary),
    },
    { error: ({ code }) => (code === 'invalid_type' ? 'Write the filter as an object.' : undefined) },
  )
  .describe(
    `Which clients to change, with the filters of the list: at most ${bulkLimits.clientsMax} clients. An empty filter matches all.`,
  );

const idAdvice = 'Write a clientId as text.';
const chosen = z
  .array(
    z.strictObject(
      {
        clientId: z
          .string({ error: idAdvice })
          .min(1, { error: idAdvice })
          .max(256, { error: idAdvice })
          .describe('The client.'),
        etag: z
          .optional(z.string({ error: 'Write the ETag as text, with its quotes.' }))
          .describe('The ETag you have seen. If the client has changed since, it is not modified.'),
      },
      {
        error: ({ code }) =>
          code === 'invalid_type' ? 'Write a client as an object with the field clientId.' : undefined,
      },
    ),
    { error: 'Write the clients as a list.' },
  )
  .min(1, { error: 'Give at least one client.' })
  .max(bulkLimits.clientsMax, { error: `Give at most ${bulkLimits.clientsMax} clients.` })
  .check(({ value, issues }) => {
    const seen = new Set<string>();
    for (const [index, { clientId }] of value.entries()) {
      if (seen.has(clientId)) {
        const message = 'Give each client once.';
        issues.push({ code: 'custom', message, path: [index, 'clientId'], input: clientId });
      }
      seen.add(clientId);
    }
  })
  .describe(`The clients to change: at most ${bulkLimits.clientsMax}.`);

const content = z.optional(z.record(z.string(), z.unknown()));

const result = z.strictObject({
  clientId: z.string().describe('The client.'),
  name: z.optional(z.string()).describe('Its name, if the account has such a client.'),
  outcome: z
    .enum(['changed', 'unchanged', 'failed'])
    .describe('Whether it was changed, needed no change, or could not be changed.'),
  etag: z.optional(z.string()).describe('Its current ETag, to send with the change that follows a dry run.'),
  before: content.describe('The previous values of what changed.'),
  after: content.describe('The new values of what changed.'),
  problem: z
    .optional(
      z.strictObject({
        code: z.string().describe('The error code that the single change would be rejected with.'),
        reason: z.string().describe('What happened, and what to do.'),
      }),
    )
    .describe('Only if it failed.'),
});

export const clientChangeSchemas = {
  ClientsChangeRequest: body(
    {
      clients: z.optional(chosen),
      filter: z.optional(filter),
      action: z
        .enum(actionNames, { error: `action is one of ${actionNames.join(', ')}` })
        .describe('What to do with each client.'),
      tags: z
        .optional(
          z
            .array(clientTag, { error: 'Write the tags as a list of strings.' })
            .min(1, { error: 'Give at least one tag.' })
            .max(clientLabelLimits.tagsMax, { error: `Give at most ${clientLabelLimits.tagsMax} tags.` }),
        )
        .describe('For `add_tags` and `remove_tags`.'),
      roles: z
        .optional(clientRoles.min(1, { error: 'Give at least one role.' }))
        .describe('For `add_roles` and `remove_roles`: role names.'),
      networkEntry: z.optional(networkEntry).describe('For `add_network_entry` and `remove_network_entry`.'),
      dryRun: z
        .optional(flag)
        .describe('Whether to change nothing and only return what would happen. Default: false.'),
    },
    'A change to many clients.',
    {
      filter: { tag: 'partner' },
      action: 'remove_network_entry',
      networkEntry: { entry: '203.0.113.0/24' },
      dryRun: true,
    },
  ).check(({ value, issues }) => {
    const wrong = (member: string, message: string): void =>
      void issues.push({ code: 'custom', message, path: [member], input: value });
    if ((value.clients === undefined) === (value.filter === undefined)) wrong('clients', choiceAdvice);
    const needed = bulkActions[value.action];
    for (const member of ['tags', 'roles', 'networkEntry'] as const) {
      if (member === needed && value[member] === undefined) wrong(member, `${value.action} needs ${member}.`);
      if (member !== needed && value[member] !== undefined)
        wrong(member, `Leave this field out: ${value.action} does not use it.`);
    }
  }),
  ClientsChange: z
    .strictObject({
      isDryRun: z.boolean().describe('Whether this was a dry run.'),
      changed: z.int().describe('How many clients were changed.'),
      unchanged: z.int().describe('How many needed no change.'),
      failed: z.int().describe('How many could not be changed.'),
      results: z.array(result).describe('What happened to each client, in the order of the request.'),
    })
    .describe('The result of a change to many clients. Each client is changed completely or not at all.'),
};

export type ClientsChangeRequest = Shape<typeof clientChangeSchemas.ClientsChangeRequest>;
export type ClientsChange = Shape<typeof clientChangeSchemas.ClientsChange>;
export type ClientsChangeResult = ClientsChange['results'][number];
