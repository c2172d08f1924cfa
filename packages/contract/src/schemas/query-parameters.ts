import { z } from 'zod';
import { pageLimits } from '../limits.ts';
import { plainPatterns } from '../readable-text.ts';
import { time as timeSchema } from './parts.ts';

export interface QueryParameter<Value = unknown> {
  /** Reads the decoded text. Its error message says what to write. */
  readonly schema: z.ZodType<Value, string>;
  readonly summary: string;
  readonly isRequired?: true;
}

/** The parameters of an operation by name. The service rejects any other parameter. */
export type QueryParameters = Readonly<Record<string, QueryParameter>>;

/** The values of the parameters that a query has. */
export type QueryValues<Parameters> = {
  readonly [Name in keyof Parameters]?: Parameters[Name] extends QueryParameter<infer Value> ? Value : never;
};

/** The cursor's reader rejects an empty one, with its own code. */
const cursor = z.string().meta({ minLength: 1 });

/** The parameters of every list. */
export const pageParameters = {
  limit: { schema: limitUpTo(pageLimits.limitMax), summary: 'Maximum number of elements. Default: 25' },
  cursor: { schema: cursor, summary: '`nextCursor` of the previous page' },
};

/**
 * `json` is one page as an object; `ndjson` has one element per line (NDJSON); `csv` has one row per element,
 * after a header row (RFC 4180).
 */
export type ExportFormat = 'json' | 'ndjson' | 'csv';

/** The parameters of every list that can be exported. */
export const exportParameters = {
  limit: {
    schema: limitUpTo(pageLimits.exportLimitMax),
    summary: 'Maximum number of elements: up to 100 as JSON, up to 10,000 in other formats. Default: 25',
  },
  cursor: {
    schema: cursor,
    summary: '`nextCursor` of the previous page; in other formats its header `Next-Cursor`',
  },
  format: oneOf('format', ['json', 'ndjson', 'csv'], 'Output format. Default: `json`'),
  from: time('from', 'Only from this time on'),
  to: time('to', 'Only before this time'),
};

export function oneOf<const Value extends string>(
  name: string,
  values: readonly Value[],
  summary: string,
): QueryParameter<Value> {
  const schema = z.enum(values, { error: `${name} is one of ${values.join(', ')}` });
  return { schema, summary };
}

/** A text of 1 to `charactersMax` characters. */
export function text(name: string, charactersMax: number, summary: string): QueryParameter<string> {
  const error = `${name} has 1 to ${charactersMax} characters`;
  // No control characters: PostgreSQL rejects a zero byte.
  const pattern = /^[^\p{Cc}\p{Cs}]+$/u;
  return {
    schema: z
      .string()
      .min(1, { error })
      .max(charactersMax, { error })
      .regex(pattern, { error })
      .meta({ pattern: plainPatterns.someLine }),
    summary,
  };
}

function time(name: string, summary: string): QueryParameter<number> {
  const error = `${name} is a time as RFC 3339 in UTC, such as 2026-11-21T12:00:00Z`;
  return {
    schema: z
      .string()
      .refine((value) => timeSchema.safeParse(value).success, { error })
      .transform((value) => Date.parse(value)),
    summary,
  };
}

function limitUpTo(limitMax: number): z.ZodType<number, string> {
  const error = `limit is a whole number from 1 to ${limitMax}`;
  return z
    .string()
    .regex(/^[1-9][0-9]{0,4}$/, { error })
    .transform(Number)
    .refine((limit) => limit <= limitMax, { error });
}
