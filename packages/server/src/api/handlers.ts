import type { AnswerOf, BodyOf, OperationId, QueryValuesOf } from '@countersign/contract';
import type { Answer } from '@countersign/gate';
import type { RsaPublicKey } from '@countersign/signature/node';
import type { ApiRequest } from './handler.ts';
import type { ApiParts } from './parts.ts';

/** The query and the body of a request, read by the operation's schemas. */
export interface OperationInput<Id extends OperationId> {
  readonly query: QueryValuesOf<Id>;
  readonly body: BodyOf<Id>;
  /** The key in the body, of an operation that examines it. */
  readonly key: RsaPublicKey | undefined;
}

/** Does the work of one operation. Throws `ProblemError` to refuse. */
export type OperationHandler<Id extends OperationId> = (
  input: OperationInput<Id>,
  request: ApiRequest,
) => Promise<Answer<AnswerOf<Id>>> | Answer<AnswerOf<Id>>;

/** A handler for every operation. */
export type Handlers = { readonly [Id in OperationId]: OperationHandler<Id> };

/** Gives the handlers of a table the types of their operations. */
export function defineHandlers<Some extends Partial<Handlers>>(
  make: (parts: ApiParts) => Some,
): (parts: ApiParts) => Pick<Handlers, keyof Some & OperationId> {
  return make as never;
}
