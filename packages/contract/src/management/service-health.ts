import { z } from 'zod';
import { timestampSchema } from '../pages.ts';

/** How the node that answers is doing. */
export interface ServiceHealth {
  readonly isReady: boolean;
  /** Why not, when it is not. */
  readonly reason?: string | undefined;
  readonly version: string;
  readonly startedAt: string;
  readonly database: 'sqlite' | 'postgresql';
  /** Where used signatures are kept. */
  readonly guard: 'memory' | 'redis' | 'postgres';
  readonly registry: {
    readonly clients: number;
    /** How long ago the registry was last looked at. */
    readonly ageMs: number;
  };
  /** Where mails go. */
  readonly mail: 'smtp' | 'folder';
  /** Requests that were not kept since the start, and those that wait to be written. */
  readonly requestLog: { readonly dropped: number; readonly queued: number };
  /** Refused requests that were explained since the start, and those for which there was no time. */
  readonly explanations: { readonly explained: number; readonly skipped: number };
}

/** Describes the health of a node in answers. */
export const serviceHealthSchema: z.ZodType<ServiceHealth> = z.strictObject({
  isReady: z.boolean(),
  reason: z.optional(z.string()),
  version: z.string(),
  startedAt: timestampSchema,
  database: z.enum(['sqlite', 'postgresql']),
  guard: z.enum(['memory', 'redis', 'postgres']),
  registry: z.strictObject({ clients: z.int(), ageMs: z.int() }),
  mail: z.enum(['smtp', 'folder']),
  requestLog: z.strictObject({ dropped: z.int(), queued: z.int() }),
  explanations: z.strictObject({ explained: z.int(), skipped: z.int() }),
});
