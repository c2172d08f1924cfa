import type { AnswerOf, ApiError, ApiInput, InputOf, OperationId } from '@countersign/contract';
import {
  keepPreviousData,
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useAccountId } from '../session/session-context.ts';
import { api, type Entity } from './api.ts';

/** What may be said of a query besides what it asks. */
export interface QueryChoices {
  /** false: nothing is asked, for instance without the permission. */
  readonly enabled?: boolean;
  readonly refetchIntervalMs?: number;
  /** Shows what was there before while a changed question is asked: for filters and pages. */
  readonly keepsPrevious?: boolean;
}

/** What is asked, which may be left out when an operation needs nothing, and how. */
type QueryArguments<Id extends OperationId> =
  object extends InputOf<Id>
    ? [input?: InputOf<Id>, choices?: QueryChoices]
    : [input: InputOf<Id>, choices?: QueryChoices];

/** The key under which an answer is kept: everything of an account can be thrown away at once. */
export function queryKeyOf(accountId: string, id: OperationId, input?: unknown): QueryKey {
  return input === undefined ? ['account', accountId, id] : ['account', accountId, id, input];
}

/**
 * Asks an operation that reads, for the current account.
 *
 * @example
 * const clients = useApiQuery('listClients', { query: { limit: 25 } });
 */
export function useApiQuery<Id extends OperationId>(
  id: Id,
  ...[input, choices]: QueryArguments<Id>
): UseQueryResult<AnswerOf<Id>, ApiError> {
  return useQuery<AnswerOf<Id>, ApiError>({
    queryKey: queryKeyOf(useAccountId(), id, input),
    queryFn: ({ signal }) => api.call(id, { ...input, signal } as InputOf<Id>),
    ...optionsOf(choices),
  });
}

/** Like `useApiQuery`, with the entity tag that the next change must name. */
export function useEntityQuery<Id extends OperationId>(
  id: Id,
  ...[input, choices]: QueryArguments<Id>
): UseQueryResult<Entity<AnswerOf<Id>>, ApiError> {
  return useQuery<Entity<AnswerOf<Id>>, ApiError>({
    queryKey: [...queryKeyOf(useAccountId(), id, input), 'entity'],
    queryFn: ({ signal }) => api.callWithEntityTag(id, { ...input, signal } as InputOf<Id>),
    ...optionsOf(choices),
  });
}

/** An operation that answers a page of a list. */
type PagedOperation = {
  [Id in OperationId]: AnswerOf<Id> extends {
    readonly data: readonly unknown[];
    readonly nextCursor: string | null;
  }
    ? Id
    : never;
}[OperationId];

/** Asks for a list page after page; the pages are in `data.pages`, the next one comes with `fetchNextPage()`. */
export function usePagedQuery<Id extends PagedOperation>(
  id: Id,
  ...[input, choices]: QueryArguments<Id>
): UseInfiniteQueryResult<InfiniteData<AnswerOf<Id>>, ApiError> {
  return useInfiniteQuery<AnswerOf<Id>, ApiError, InfiniteData<AnswerOf<Id>>, QueryKey, string | undefined>({
    queryKey: [...queryKeyOf(useAccountId(), id, input), 'pages'],
    queryFn: ({ signal, pageParam }) => {
      const query = (input as ApiInput | undefined)?.query;
      return api.call(id, {
        ...input,
        query: { ...query, cursor: pageParam },
        signal,
      } as unknown as InputOf<Id>);
    },
    initialPageParam: undefined,
    getNextPageParam: (page) => (page as { nextCursor: string | null }).nextCursor ?? undefined,
    ...optionsOf(choices),
  });
}

/**
 * An operation that changes something. After success everything that is known of the account is read anew.
 *
 * @example
 * const disable = useApiMutation('disableClient');
 * disable.mutate({ path: { clientId } });
 */
export function useApiMutation<Id extends OperationId>(
  id: Id,
): UseMutationResult<AnswerOf<Id>, ApiError, InputOf<Id>> {
  const accountId = useAccountId();
  const queryClient = useQueryClient();
  return useMutation<AnswerOf<Id>, ApiError, InputOf<Id>>({
    mutationFn: (input) => api.call(id, input),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: ['account', accountId] }),
  });
}

function optionsOf({ enabled, refetchIntervalMs, keepsPrevious }: QueryChoices = {}): {
  enabled?: boolean;
  refetchInterval?: number;
  placeholderData?: typeof keepPreviousData;
} {
  return {
    ...(enabled !== undefined && { enabled }),
    ...(refetchIntervalMs !== undefined && { refetchInterval: refetchIntervalMs }),
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
  };
}
