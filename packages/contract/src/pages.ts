import { z } from 'zod';

/** How a list is cut into pages; an export may be longer. */
export const pageLimits: {
  readonly limitDefault: number;
  readonly limitMax: number;
  readonly exportLimitMax: number;
} = {
  limitDefault: 25,
  limitMax: 100,
  exportLimitMax: 10_000,
};

/** One page of a list. */
export interface Page<Element> {
  readonly data: readonly Element[];
  /** Where the next page starts, for the query parameter `cursor`; null on the last page. */
  readonly nextCursor: string | null;
}

/** Describes a page of what another schema describes. */
export function pageSchema<Element>(element: z.ZodType<Element>): z.ZodType<Page<Element>> {
  return z.strictObject({ data: z.array(element), nextCursor: z.nullable(z.string()) });
}

/** A time in answers, RFC 3339 in UTC. */
export const timestampSchema: z.ZodType<string> = z.iso.datetime();

const timeAdvice = 'Write a time as RFC 3339 in UTC, such as 2026-11-21T12:00:00Z.';

/** A time in requests, RFC 3339 in UTC. */
export const timeSchema: z.ZodType<string, string> = z.iso.datetime({ error: timeAdvice });
