import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '@countersign/contract';

/** Makes the memory of answers. What live events do not tell is read anew when the page is looked at again. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        gcTime: 5 * 60_000,
        // A refusal stays a refusal; only what may pass by itself is tried again.
        retry: (count, error) => count < 2 && mayPass(error),
        retryDelay: (attempt) => Math.min(1000 * 2 ** attempt, 8000),
      },
      mutations: { retry: false },
    },
  });
}

function mayPass(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 502 || error.status === 503);
}
