import {
  type AnswerOf,
  type ApiAnswer,
  ApiError,
  type ApiInput,
  callOperation,
  type InputOf,
  type OperationId,
  type SendRequest,
} from '@countersign/contract';
import { localProblems } from '#messages/problem-advice.ts';
import { currentAccount } from './current-account.ts';
import { sendWithSession, withStepUp } from './session-request.ts';

/** A resource and its state, for `ifMatch` of the next change. */
export type Entity<Body> = Pick<ApiAnswer<Body>, 'body' | 'entityTag'>;

/** The input is optional if the operation needs nothing. */
type Arguments<Id extends OperationId> =
  object extends InputOf<Id> ? [input?: InputOf<Id>] : [input: InputOf<Id>];

/**
 * Calls the management API with the session, for the current account. Rejects with `ApiError`. A call that needs a fresh
 * proof of identity asks the person for it, and rejects with `cancelled` if they decline.
 *
 * @example
 * const { data } = await api.call('listClients', { query: { limit: 50 } });
 */
export const api = {
  async call<Id extends OperationId>(id: Id, ...[input]: Arguments<Id>): Promise<AnswerOf<Id>> {
    return (await callWithSession(id, input)).body;
  },

  callWithEntityTag<Id extends OperationId>(
    id: Id,
    ...[input]: Arguments<Id>
  ): Promise<Entity<AnswerOf<Id>>> {
    return callWithSession(id, input);
  },

  /** Resolves with the text of an export (`format: 'csv'` or `'ndjson'`) and the cursor of the next part. */
  async export(
    id: 'listRequests' | 'listAuditEvents' | 'getRequestAnalytics',
    input: ApiInput,
  ): Promise<{ readonly text: string; readonly nextCursor: string | undefined }> {
    const { body, headers } = await callWithSession(id, input as InputOf<typeof id>);
    return { text: body as unknown as string, nextCursor: headers.get('Next-Cursor') ?? undefined };
  },
} as const;

async function callWithSession<Id extends OperationId>(
  id: Id,
  input: InputOf<Id> | undefined,
): Promise<ApiAnswer<AnswerOf<Id>>> {
  const answer = await withStepUp(() => callOperation(sendForAccount, id, input ?? ({} as InputOf<Id>)));
  // Nothing has been changed, so nothing that follows a change may happen.
  if (answer.status === 202)
    throw new ApiError({ code: 'waits_for_second_person', status: 202, ...localProblems.waiting });
  return answer;
}

const sendForAccount: SendRequest = ({ headers, ...request }) => {
  const accountId = currentAccount();
  const account = accountId === undefined ? undefined : { 'Countersign-Account': accountId };
  return sendWithSession({ ...request, headers: { ...account, ...headers } });
};
