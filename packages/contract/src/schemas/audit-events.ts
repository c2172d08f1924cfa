import { z } from 'zod';
import { auditActions, auditFamilies } from '../audit-actions.ts';
import { page, type Shape, timestamp } from './parts.ts';
import { exportParameters, oneOf, text } from './query-parameters.ts';

const content = z.optional(z.record(z.string(), z.unknown()));

export const auditEvent = z
  .strictObject({
    eventId: z.string().describe("The event's ID."),
    happenedAt: timestamp.describe('When it happened.'),
    accountId: z.string().describe('The account in which it happened.'),
    actor: z
      .strictObject({
        kind: z
          .enum(['client', 'person', 'operator-cli', 'system'])
          .describe(
            'A client with a signed request, a person in the portal, the operator on the command line, or the service itself.',
          ),
        id: z
          .string()
          .describe("The client ID, the user ID, the operator's name, or the part of the service."),
        name: z.optional(z.string()).describe("The person's name at that time; only for a person."),
        actingReason: z
          .optional(z.string())
          .describe("The reason, if a member of the operator's staff acted for the account."),
        approvedBy: z
          .optional(
            z.strictObject({
              userId: z.string().describe("That person's ID."),
              name: z.string().describe("That person's name at that time."),
            }),
          )
          .describe('The second person who approved it, if the account requires one.'),
      })
      .describe('Who did it.'),
    action: z.enum(auditActions).describe('What was done.'),
    targets: z
      .array(
        z.strictObject({
          type: z
            .enum([
              'client',
              'key',
              'role',
              'account',
              'member',
              'invitation',
              'webhook',
              'alert_rule',
              'pending_change',
              'saved_view',
            ])
            .describe('Its type.'),
          id: z.string().describe('Its ID.'),
        }),
      )
      .describe('The target itself first, then what it belongs to.'),
    before: content.describe('The previous values of what changed; never key material.'),
    after: content.describe('The new values of what changed; never key material.'),
    sourceAddress: z.optional(z.string()).describe('The source address of the request that did it.'),
    requestId: z.optional(z.string()).describe('The request that did it.'),
  })
  .describe('A change, recorded permanently, in the same transaction as the change itself.');

export const auditEventSchemas = {
  AuditEvent: auditEvent,
  AuditEventPage: page(auditEvent, 'A page of audit events.', 'The events, newest first.'),
};

export const auditEventQueries = {
  AuditEventQuery: {
    ...exportParameters,
    action: oneOf(
      'action',
      [...auditFamilies, ...auditActions],
      'Only events of this kind; `role` matches all changes to roles, and so on',
    ),
    actorId: text('actorId', 256, 'Only events caused by this client or person'),
    clientId: text('clientId', 256, 'Only changes to this client and its keys'),
    accountId: text('accountId', 64, "Operator only: the events of this account. Default: the caller's own"),
  },
};

export type AuditEvent = Shape<typeof auditEvent>;
export type AuditActor = AuditEvent['actor'];
export type AuditActorKind = AuditActor['kind'];
export type AuditTarget = AuditEvent['targets'][number];
export type AuditTargetType = AuditTarget['type'];
