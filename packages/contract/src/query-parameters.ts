import { z } from 'zod';
import { pageLimits, timeSchema } from './pages.ts';

/** One parameter of a query: how its text is read, and what it does. */
export interface QueryParameter<Value = unknown> {
  /** Reads the decoded text; the message of its error says what to write. */
  readonly schema: z.ZodType<Value, string>;
  readonly summary: string;
  /** Whether the operation needs it. */
  readonly isRequired?: true;
}

/** The parameters that an operation has, by their names. Any other parameter is refused. */
export type QueryParameters = Readonly<Record<string, QueryParameter>>;

/** What a query says: the values of the parameters that are there. */
export type QueryValues<Parameters extends QueryParameters> = {
  readonly [Name in keyof Parameters]?: Parameters[Name] extends QueryParameter<infer Value> ? Value : never;
};

/** The parameters of every list. The form of a cursor is the service's own affair. */
export interface PageParameters {
  readonly limit: QueryParameter<number>;
  readonly cursor: QueryParameter<string>;
}

/** `limit` and `cursor`. */
export const pageParameters: PageParameters = {
  limit: { schema: limitUpTo(pageLimits.limitMax), summary: 'How many elements, 25 unless set' },
  cursor: { schema: z.string(), summary: '`nextCursor` of the page before' },
};

/** The parameters of a list that can also be exported. */
export interface ExportParameters extends PageParameters {
  readonly format: QueryParameter<ExportFormat>;
  readonly from: QueryParameter<number>;
  readonly to: QueryParameter<number>;
}

/** `json` is one page as an object, `ndjson` an element a line (NDJSON), `csv` a row each after a row of names (RFC 4180). */
export type ExportFormat = 'json' | 'ndjson' | 'csv';

/** The page, its form, and the time that it is about. */
export const exportParameters: ExportParameters = {
  limit: {
    schema: limitUpTo(pageLimits.exportLimitMax),
    summary: 'How many elements, 25 unless set; as JSON at most 100, in the other formats at most 10,000',
  },
  cursor: {
    schema: z.string(),
    summary: '`nextCursor` of the page before; in the other formats the header `Next-Cursor`',
  },
  format: oneOf('format', ['json', 'ndjson', 'csv'], 'How the page is written, `json` unless set'),
  from: time('from', 'Only what happened at this time or later'),
  to: time('to', 'Only what happened before this time'),
};

/** A parameter that has one of some values. */
export function oneOf<const Value extends string>(
  name: string,
  values: readonly Value[],
  summary: string,
): QueryParameter<Value> {
  const schema = z.enum(values, { error: `${name} is one of ${values.join(', ')}` });
  return { schema, summary };
}

/** A parameter that is some text of a limited length. */
export function text(name: string, charactersMax: number, summary: string): QueryParameter<string> {
  const error = `${name} has 1 to ${charactersMax} characters`;
  // No control characters: PostgreSQL takes a text with a zero byte for a mistake of the program.
  const pattern = /^[^\p{Cc}\p{Cs}]+$/u;
  return {
    schema: z.string().min(1, { error }).max(charactersMax, { error }).regex(pattern, { error }),
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
