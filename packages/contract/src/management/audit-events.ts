import { z } from 'zod';
import { pageSchema, type Page, timestampSchema } from '../pages.ts';
import {
  type ExportParameters,
  exportParameters,
  oneOf,
  type QueryParameter,
  text,
} from '../query-parameters.ts';

/** What was done. */
export type AuditAction = (typeof auditActions)[number];

/** Everything that is audited. */
export const auditActions = [
  'client.added',
  'client.updated',
  'client.disabled',
  'client.enabled',
  'client.revoked',
  'client.restored',
  'client.archived',
  'network.added',
  'network.removed',
  'network.replaced',
  'key.added',
  'key.activated',
  'key.retiring',
  'key.extended',
  'key.expired',
  'key.revoked',
  'role.added',
  'role.updated',
  'role.removed',
  'account.added',
  'account.updated',
  'member.invited',
  'invitation.revoked',
  'member.joined',
  'member.role_changed',
  'member.removed',
  'policy.updated',
  'acting.started',
  'acting.ended',
] as const;

/**
 * Who did something: a client by a signed request, a person in the portal, the operator on the command line, or the
 * service by itself.
 */
export interface AuditActor {
  readonly kind: AuditActorKind;
  /** The clientId, the userId, the name of the operator on the machine, or what in the service did it. */
  readonly id: string;
  /** Only of a person: the name as it was then. */
  readonly name?: string | undefined;
  /** Only when somebody of the operator acted for the account: why. */
  readonly actingReason?: string | undefined;
}

/** The kinds of actors. */
export type AuditActorKind = (typeof auditActorKinds)[number];

const auditActorKinds = ['client', 'person', 'operator-cli', 'system'] as const;

/** What something was done to. */
export interface AuditTarget {
  readonly type: AuditTargetType;
  readonly id: string;
}

/** The kinds of targets. */
export type AuditTargetType = (typeof auditTargetTypes)[number];

const auditTargetTypes = ['client', 'key', 'role', 'account', 'member', 'invitation'] as const;

/** A change, as it is kept for good. It was written together with the change: there are both or neither. */
export interface AuditEvent {
  readonly eventId: string;
  readonly happenedAt: string;
  readonly accountId: string;
  readonly actor: AuditActor;
  readonly action: AuditAction;
  /** The thing itself first, then what it belongs to. */
  readonly targets: readonly AuditTarget[];
  /** What was there before and after, as far as it differs; never key material. */
  readonly before?: Readonly<Record<string, unknown>> | undefined;
  readonly after?: Readonly<Record<string, unknown>> | undefined;
  /** Where the request came from that did it. */
  readonly sourceAddress?: string | undefined;
  readonly requestId?: string | undefined;
}

const content = z.record(z.string(), z.unknown());

/** Describes an audit event in answers. */
export const auditEventSchema: z.ZodType<AuditEvent> = z.strictObject({
  eventId: z.string(),
  happenedAt: timestampSchema,
  accountId: z.string(),
  actor: z.strictObject({
    kind: z.enum(auditActorKinds),
    id: z.string(),
    name: z.optional(z.string()),
    actingReason: z.optional(z.string()),
  }),
  action: z.enum(auditActions),
  targets: z.array(z.strictObject({ type: z.enum(auditTargetTypes), id: z.string() })),
  before: z.optional(content),
  after: z.optional(content),
  sourceAddress: z.optional(z.string()),
  requestId: z.optional(z.string()),
});

/** Describes a page of audit events. */
export const auditEventListSchema: z.ZodType<Page<AuditEvent>> = pageSchema(auditEventSchema);

/** The query of `GET /v1/audit-events`. */
export interface AuditEventListParameters extends ExportParameters {
  readonly action: QueryParameter<AuditAction>;
  readonly actorId: QueryParameter<string>;
  readonly clientId: QueryParameter<string>;
  readonly accountId: QueryParameter<string>;
}

/** Filters and pages of the list of audit events. */
export const auditEventListParameters: AuditEventListParameters = {
  ...exportParameters,
  action: oneOf('action', auditActions, 'Only events of this kind'),
  actorId: text('actorId', 256, 'Only what this client or person did'),
  clientId: text('clientId', 256, 'Only what was done to this client and its keys'),
  accountId: text(
    'accountId',
    64,
    "For the operator only: the events of this account; the caller's own unless set",
  ),
};
