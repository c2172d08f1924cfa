import type { ApiError, SignInState } from '@countersign/contract';
import type { UseQueryOptions } from '@tanstack/react-query';
import { auth } from '../api/auth.ts';

/** The session state. Several parts of the page use different parts of one response. */
export const stateQuery = {
  queryKey: ['sign-in-state'],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => auth.state(signal),
  staleTime: 60_000,
} as const satisfies UseQueryOptions<SignInState, ApiError>;
