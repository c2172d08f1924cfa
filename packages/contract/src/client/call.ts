import type { AnswerOf, BodyOf, QueryOf } from '../operation-schemas.ts';
import type { OperationId, OperationTable } from '../operations.ts';
import type { ExportFormat, QueryParameter } from '../schemas/query-parameters.ts';

/** The input of a call. Its members and their types depend on the operation. */
export interface ApiInput {
  /** The path's parameters, not encoded. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  /** The `entityTag` of the response that the caller has seen. */
  readonly ifMatch?: string | undefined;
  /** Identifies this request; only its retries have the same key. */
  readonly idempotencyKey?: string | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal;
}

/** The operations that a signed request can call. */
export type SignedOperationId = {
  [Id in OperationId]: OperationTable[Id] extends { readonly callers: 'people' } ? never : Id;
}[OperationId];

export interface ApiAnswer<Body = unknown> {
  readonly status: number;
  readonly body: Body;
  /** The state that the response shows, for `ifMatch`. */
  readonly entityTag: string | undefined;
  /** The operator finds the request in the log by this ID. */
  readonly requestId: string | undefined;
  readonly headers: Headers;
}

/** The function of an operation. An export resolves with text unless its format is JSON. */
export type CallOf<Id extends OperationId> =
  QueryOf<Id> extends { format: unknown }
    ? {
        (
          input: InputOf<Id> & { readonly query: { readonly format: TextFormat } },
        ): Promise<ApiAnswer<string>>;
        (input?: InputOf<Id, 'json'>): Promise<ApiAnswer<AnswerOf<Id>>>;
      }
    : object extends InputOf<Id>
      ? (input?: InputOf<Id>) => Promise<ApiAnswer<AnswerOf<Id>>>
      : (input: InputOf<Id>) => Promise<ApiAnswer<AnswerOf<Id>>>;

type TextFormat = Exclude<ExportFormat, 'json'>;

/** The input of an operation. */
export type InputOf<Id extends OperationId, Format = ExportFormat> = PathOf<OperationTable[Id]['path']> &
  QueryInput<Id, Format> &
  BodyInput<Id> &
  HeadersOf<OperationTable[Id]> & { readonly signal?: AbortSignal };

type PathOf<Path extends string> =
  ParameterOf<Path> extends never
    ? { readonly path?: never }
    : { readonly path: Readonly<Record<ParameterOf<Path>, string>> };

type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

type QueryInput<Id extends OperationId, Format> =
  QueryOf<Id> extends undefined
    ? { readonly query?: never }
    : object extends ValuesOf<QueryOf<Id>, Format>
      ? { readonly query?: ValuesOf<QueryOf<Id>, Format> }
      : { readonly query: ValuesOf<QueryOf<Id>, Format> };

type ValuesOf<Query, Format> = {
  readonly [Name in keyof Query as IsRequired<Query[Name]> extends true ? Name : never]: string;
} & {
  readonly [Name in keyof Query as IsRequired<Query[Name]> extends true ? never : Name]?:
    | ValueOf<Name, Query[Name], Format>
    | undefined;
};

type IsRequired<Parameter> = Parameter extends { readonly isRequired: true } ? true : false;

/** Times are RFC 3339 in UTC, as in responses. */
type ValueOf<Name, Parameter, Format> = Name extends 'from' | 'to'
  ? string
  : Name extends 'format'
    ? Format
    : Parameter extends QueryParameter<infer Value>
      ? Value
      : never;

type BodyInput<Id extends OperationId> = OperationTable[Id] extends { readonly body: string }
  ? OperationTable[Id] extends { readonly isBodyOptional: true }
    ? { readonly body?: BodyOf<Id> }
    : { readonly body: BodyOf<Id> }
  : { readonly body?: never };

type HeadersOf<Operation> = (Operation extends { ifMatch: 'required' }
  ? { readonly ifMatch: string }
  : Operation extends { ifMatch: 'optional' }
    ? { readonly ifMatch?: string | undefined }
    : { readonly ifMatch?: never }) &
  (Operation extends { takesIdempotencyKey: true }
    ? { readonly idempotencyKey?: string | undefined }
    : { readonly idempotencyKey?: never });
