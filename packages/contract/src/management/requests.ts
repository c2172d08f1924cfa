import { z } from 'zod';
import { pageSchema, type Page, timestampSchema } from '../pages.ts';
import { type ExportParameters, exportParameters, type QueryParameter, text } from '../query-parameters.ts';

/** What is kept of a request for 30 days: never its body, its signature or a header. Why it failed is apart. */
export interface RequestEntry {
  readonly requestId: string;
  /** When it began. */
  readonly receivedAt: string;
  readonly accountId: string;
  /** The client that the request named; proved only where `isProved`. */
  readonly clientId: string;
  /** Whether the signature was valid, so that the request came from the client. */
  readonly isProved: boolean;
  /** `accepted`, or the code of the refusal, which says what was checked: every check before it was passed. */
  readonly outcome: string;
  /** What is wrong with the request, for its owner: more than the caller was told. */
  readonly reason?: string | undefined;
  readonly method: string;
  /** The path, and the names of the query parameters; values only where the operator allows it. */
  readonly url: string;
  readonly status: number;
  readonly sourceAddress: string;
  readonly keyFingerprint?: string | undefined;
  /** `created` minus the clock of the service. */
  readonly clockDifferenceSeconds?: number | undefined;
  readonly durationMs?: number | undefined;
}

/** Describes a request in answers. */
export const requestEntrySchema: z.ZodType<RequestEntry> = z.strictObject({
  requestId: z.string(),
  receivedAt: timestampSchema,
  accountId: z.string(),
  clientId: z.string(),
  isProved: z.boolean(),
  outcome: z.string(),
  reason: z.optional(z.string()),
  method: z.string(),
  url: z.string(),
  status: z.int(),
  sourceAddress: z.string(),
  keyFingerprint: z.optional(z.string()),
  clockDifferenceSeconds: z.optional(z.number()),
  durationMs: z.optional(z.number()),
});

/** Describes a page of requests. */
export const requestListSchema: z.ZodType<Page<RequestEntry>> = pageSchema(requestEntrySchema);

/** The query of `GET /v1/requests`. */
export interface RequestListParameters extends ExportParameters {
  readonly clientId: QueryParameter<string>;
  readonly outcome: QueryParameter<string>;
  readonly accountId: QueryParameter<string>;
}

/** Filters and pages of the list of requests. */
export const requestListParameters: RequestListParameters = {
  ...exportParameters,
  clientId: text('clientId', 256, 'Only requests that name this client'),
  outcome: text('outcome', 64, 'Only `accepted` ones, only `refused` ones, or only those with this code'),
  accountId: text(
    'accountId',
    64,
    "For the operator only: the requests of this account; the caller's own unless set",
  ),
};
