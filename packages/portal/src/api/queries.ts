import type { AnswerOf, ApiError, ApiInput, InputOf, OperationId } from '@countersign/contract';
import {
  keepPreviousData,
  type InfiniteData,
  QueryClient,
  type QueryKey,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useAccountId } from './current-account.ts';
import { api, type Entity } from './api.ts';
import { isApiError } from './api-error.ts';

export interface QueryChoices {
  /** False to load nothing, for example without permission. */
  readonly enabled?: boolean;
  readonly refetchIntervalMs?: number;
  /** Keeps the previous data while a changed filter or page loads. */
  readonly keepsPrevious?: boolean;
}

/** The input is optional if the operation needs nothing. */
type QueryArguments<Id extends OperationId> =
  object extends InputOf<Id>
    ? [input?: InputOf<Id>, choices?: QueryChoices]
    : [input: InputOf<Id>, choices?: QueryChoices];

/** Returns a query's key. It starts with the account, so that an account can be invalidated as a whole. */
export function queryKeyOf(accountId: string, id: OperationId, input?: unknown): QueryKey {
  return input === undefined ? ['account', accountId, id] : ['account', accountId, id, input];
}

/**
 * Loads an operation's response for the current account.
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

/** Like `useApiQuery`, with the entity tag for the next change. */
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

type PagedOperation = {
  [Id in OperationId]: AnswerOf<Id> extends {
    readonly data: readonly unknown[];
    readonly nextCursor: string | null;
  }
    ? Id
    : never;
}[OperationId];

/** Loads a list page by page: `data.pages` has the pages, `fetchNextPage()` loads the next. */
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
 * Calls an operation that changes something, and invalidates all data of the account afterwards.
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
    onError: (error) => {
      if (isApiError(error, 'waits_for_second_person'))
        void queryClient.invalidateQueries({ queryKey: queryKeyOf(accountId, 'listPendingChanges') });
    },
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

/** Creates the query cache. Live events invalidate most of it; the rest is refetched when the window gets focus. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        gcTime: 5 * 60_000,
        // Offline, a call fails at once, so that the page can say so instead of waiting.
        networkMode: 'always',
        refetchOnReconnect: true,
        // Retries only temporary failures.
        retry: (count, error) => count < 2 && navigator.onLine && isTransient(error),
        retryDelay: (attempt) => Math.min(1000 * 2 ** attempt, 8000),
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}

function isTransient(error: unknown): boolean {
  return isApiError(error) && [0, 502, 503].includes(error.status);
}
