import { z } from 'zod';

/** Where a request comes from, as the service sees it. */
export interface Source {
  /** In canonical text; undefined when it is not known, because a proxy does not tell. */
  readonly sourceAddress?: string | undefined;
}

/** Describes where a request comes from in answers. */
export const sourceSchema: z.ZodType<Source> = z.strictObject({ sourceAddress: z.optional(z.string()) });
