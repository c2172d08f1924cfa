import type { AnswerOf, BodyOf, OperationId, QueryValuesOf } from '@countersign/contract';
import type { Answer } from '@countersign/gate';
import type { OfferedPublicKey } from '@countersign/signature/keys';
import type { ApiRequest } from './handler.ts';
import type { ApiParts } from './parts.ts';

/** A request's query and body, read by the operation's schemas. */
export interface OperationInput<Id extends OperationId> {
  readonly query: QueryValuesOf<Id>;
  readonly body: BodyOf<Id>;
  /** The key in the body, if the operation examines one. */
  readonly key: OfferedPublicKey | undefined;
}

/** Does one operation's work. Throws `ProblemError` to reject the request. */
export type OperationHandler<Id extends OperationId> = (
  input: OperationInput<Id>,
  request: ApiRequest,
) => Promise<Answer<AnswerOf<Id>>> | Answer<AnswerOf<Id>>;

/** A handler for every operation. */
export type Handlers = { readonly [Id in OperationId]: OperationHandler<Id> };

/** Types the handlers in a table by their operations. */
export function defineHandlers<Some extends Partial<Handlers>>(
  make: (parts: ApiParts) => Some,
): (parts: ApiParts) => Pick<Handlers, keyof Some & OperationId> {
  return make as never;
}
