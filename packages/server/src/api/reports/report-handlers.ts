import type { AnswerOf, BodyOf, OperationId, QueryValuesOf } from '@countersign/contract';
import type { Answer } from '@countersign/gate';
import type { Database } from '../../storage/transaction.ts';
import type { Caller } from '../caller.ts';
import type { ApiRequest } from '../handler.ts';

/** The facts about its request that a report needs: plain values, so that another thread can make it. */
export interface ReportRequest extends Pick<ApiRequest, 'parameters' | 'nowMs'> {
  readonly caller: Pick<Caller, 'kind' | 'accountId' | 'permissions'>;
}

/** A request's query, read by the operation's schema; reports have no body. */
export interface ReportInput<Id extends OperationId> {
  readonly query: QueryValuesOf<Id>;
  readonly body?: BodyOf<Id> & undefined;
}

/** Reads the response of one operation. Throws `ProblemError` to reject the request. */
export type ReportHandler<Id extends OperationId> = (
  input: ReportInput<Id>,
  request: ReportRequest,
) => Promise<Answer<AnswerOf<Id>>>;

type ReportHandlers = { readonly [Id in OperationId]: ReportHandler<Id> };

/** Types the reports in a table by their operations. */
export function defineReports<Some extends Partial<ReportHandlers>>(
  make: (database: Database) => Some,
): (database: Database) => Pick<ReportHandlers, keyof Some & OperationId> {
  return make as never;
}
