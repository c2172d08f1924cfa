import { z } from 'zod';
import { pendingChangeStatuses } from '../pending-change-statuses.ts';
import { isReadableText, plainPatterns } from '../readable-text.ts';
import { auditEvent } from './audit-events.ts';
import { body, page, type Shape, timestamp } from './parts.ts';
import { oneOf, pageParameters } from './query-parameters.ts';

const person = z.strictObject({
  userId: z.string().describe("That person's ID."),
  name: z.string().describe("That person's name at that time."),
});
const { before, after } = auditEvent.shape;
const targetType = auditEvent.shape.targets.element.shape.type;
const reasonAdvice = 'Write a reason of 1 to 500 characters without control characters.';

export const pendingChange = z
  .strictObject({
    pendingChangeId: z.string().describe('Its ID.'),
    operation: z.string().describe('The ID of the operation that was called, such as `revokeClient`.'),
    target: z
      .strictObject({
        type: targetType,
        id: z.string().describe('Its ID.'),
        name: z.string().describe('Its name when the change was requested.'),
        clientId: z.optional(z.string()).describe('Only of a key: the client that it belongs to.'),
      })
      .describe('What would be changed.'),
    before,
    after,
    requestedBy: person
      .extend({
        actingReason: z
          .optional(z.string())
          .describe("The reason, if a member of the operator's staff acted for the account."),
      })
      .describe('Who asked for it.'),
    requestedAt: timestamp.describe('When it was requested.'),
    expiresAt: timestamp.describe('When it can no longer be approved.'),
    status: z.enum(pendingChangeStatuses).describe('`waiting`, or how it ended.'),
    decidedBy: z.optional(person).describe('Who approved, rejected or withdrew it.'),
    decidedAt: z.optional(timestamp).describe('When it ended.'),
    reason: z.optional(z.string()).describe('Why it was rejected, or why it could not be made.'),
    mayDecide: z.boolean().describe('Whether the caller may approve or reject it now.'),
    isOwn: z.boolean().describe('Whether the caller asked for it, and so can withdraw it.'),
  })
  .describe('A change that waits for a second person, or did.');

export const pendingChangeSchemas = {
  PendingChange: pendingChange,
  PendingChangePage: page(pendingChange, 'A page of pending changes.', 'The changes, newest first.'),
  PendingChangeRejection: body(
    {
      reason: z
        .string({ error: reasonAdvice })
        .refine((value) => value.trim() !== '' && isReadableText(value, 500), { error: reasonAdvice })
        .meta({ minLength: 1, maxLength: 500, pattern: plainPatterns.line })
        .describe('Why not. Everyone who can see the change can read it.'),
    },
    'The reason.',
    { reason: 'Use the address of the gateway instead.' },
  ),
};

export const pendingChangeQueries = {
  PendingChangeQuery: {
    ...pageParameters,
    show: oneOf(
      'show',
      ['waiting', 'all'],
      'Also changes that have ended within the last 90 days, with `all`. Default: `waiting`',
    ),
  },
};

export type PendingChange = Shape<typeof pendingChange>;
export type PendingChangePage = Shape<typeof pendingChangeSchemas.PendingChangePage>;
export type PendingChangeRejection = Shape<typeof pendingChangeSchemas.PendingChangeRejection>;
