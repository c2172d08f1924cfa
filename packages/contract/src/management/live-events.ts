import { z } from 'zod';
import { type QueryParameter, text } from '../query-parameters.ts';
import { type AuditEvent, auditEventSchema } from './audit-events.ts';
import { type RequestEntry, requestEntrySchema } from './requests.ts';

/**
 * One event of the stream `GET /v1/events` (server-sent events): its name, and its data as JSON. `gap` says that more
 * happened than is told: what is shown is to be read anew. A `ping` comes when nothing else does.
 */
export type LiveEvent =
  | { readonly event: 'request'; readonly data: RequestEntry }
  | { readonly event: 'change'; readonly data: AuditEvent }
  | { readonly event: 'gap'; readonly data: Readonly<Record<string, never>> }
  | { readonly event: 'ping'; readonly data: Readonly<Record<string, never>> };

/** Describes an event of the stream. */
export const liveEventSchema: z.ZodType<LiveEvent> = z.discriminatedUnion('event', [
  z.strictObject({ event: z.literal('request'), data: requestEntrySchema }),
  z.strictObject({ event: z.literal('change'), data: auditEventSchema }),
  z.strictObject({ event: z.literal('gap'), data: z.strictObject({}) }),
  z.strictObject({ event: z.literal('ping'), data: z.strictObject({}) }),
]);

/** The query of `GET /v1/events`. */
export interface LiveEventParameters {
  readonly account: QueryParameter<string> & { readonly isRequired: true };
}

/** Whose events: a browser cannot send the header that names the account with this request. */
export const liveEventParameters: LiveEventParameters = {
  account: { ...text('account', 64, 'The account whose events are told'), isRequired: true },
};
