import type { z } from 'zod';
import { type OperationId, operations, type OperationTable } from './operations.ts';
import { queries, type QueryName, type SchemaName, schemas } from './schemas.ts';
import type { Shape } from './schemas/parts.ts';
import type { QueryParameters, QueryValues } from './schemas/query-parameters.ts';

/** The schemas of an operation, for validation and for documentation. */
export interface OperationSchemas {
  /** Empty if the operation has no query parameters. */
  readonly query: QueryParameters;
  /** Undefined if the operation takes no body. */
  readonly body: z.ZodType | undefined;
  /** For a stream, the schema of one event. */
  readonly answer: z.ZodType;
}

export const operationSchemas: Readonly<Record<OperationId, OperationSchemas>> = Object.fromEntries(
  Object.values(operations).map(({ id, query, body, answer }) => [
    id,
    { query: query ? queries[query] : {}, body: body && schemas[body], answer: schemas[answer] },
  ]),
) as Record<OperationId, OperationSchemas>;

/** The response of an operation; for a stream, one of its events. */
export type AnswerOf<Id extends OperationId> = Shape<(typeof schemas)[OperationTable[Id]['answer']]>;

/** The body that an operation takes; undefined if it takes none. */
export type BodyOf<Id extends OperationId> = OperationTable[Id] extends {
  readonly body: infer Name extends SchemaName;
}
  ? Shape<(typeof schemas)[Name]>
  : undefined;

/** The table of an operation's query parameters; undefined if it has none. */
export type QueryOf<Id extends OperationId> = OperationTable[Id] extends {
  readonly query: infer Name extends QueryName;
}
  ? (typeof queries)[Name]
  : undefined;

/** The values in an operation's query. */
export type QueryValuesOf<Id extends OperationId> =
  QueryOf<Id> extends undefined ? undefined : QueryValues<QueryOf<Id>>;
