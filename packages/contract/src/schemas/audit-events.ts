import { z } from 'zod';
import { auditActions, auditFamilies } from '../audit-actions.ts';
import { page, type Shape, timestamp } from './parts.ts';
import { exportParameters, oneOf, text } from './query-parameters.ts';

const content = z.optional(z.record(z.string(), z.unknown()));

export const auditEvent = z
  .strictObject({
    eventId: z.string().describe('The id of the event.'),
    happenedAt: timestamp.describe('When it happened.'),
    accountId: z.string().describe('The account in which it happened.'),
    actor: z
      .strictObject({
        kind: z
          .enum(['client', 'person', 'operator-cli', 'system'])
          .describe(
            'A client by a signed request, a person in the portal, the operator on the machine, or the service by itself.',
          ),
        id: z
          .string()
          .describe('The clientId, the userId, the name of the operator, or what in the service did it.'),
        name: z.optional(z.string()).describe('Only of a person: the name as it was then.'),
        actingReason: z
          .optional(z.string())
          .describe("Why, if a member of the operator's staff acted for the account."),
      })
      .describe('Who did it.'),
    action: z.enum(auditActions).describe('What was done.'),
    targets: z
      .array(
        z.strictObject({
          type: z.enum(['client', 'key', 'role', 'account', 'member', 'invitation']).describe('What it is.'),
          id: z.string().describe('Its id.'),
        }),
      )
      .describe('What it was done to: the thing itself first, then what it belongs to.'),
    before: content.describe('What was there before, as far as it differs; never key material.'),
    after: content.describe('What is there now, as far as it differs; never key material.'),
    sourceAddress: z.optional(z.string()).describe('Where the request came from that did it.'),
    requestId: z.optional(z.string()).describe('The request that did it.'),
  })
  .describe('A change, kept for good. It was written together with the change: there are both or neither.');

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
      'Only events of this kind; `role` stands for all changes of roles, and so on',
    ),
    actorId: text('actorId', 256, 'Only what this client or person did'),
    clientId: text('clientId', 256, 'Only what was done to this client and its keys'),
    accountId: text(
      'accountId',
      64,
      "For the operator only: the events of this account; the caller's own unless set",
    ),
  },
};

export type AuditEvent = Shape<typeof auditEvent>;
export type AuditActor = AuditEvent['actor'];
export type AuditActorKind = AuditActor['kind'];
export type AuditTarget = AuditEvent['targets'][number];
export type AuditTargetType = AuditTarget['type'];
