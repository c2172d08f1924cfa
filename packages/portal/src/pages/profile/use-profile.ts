import type { Profile, ApiError } from '@countersign/contract';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { auth } from '../../api/auth.ts';
import { useSession } from '../../session/session-context.ts';

const profileKey = ['profile'];

/** What the person sees of themselves. */
export function useProfile(): UseQueryResult<Profile, ApiError> {
  return useQuery<Profile, ApiError>({
    queryKey: profileKey,
    queryFn: ({ signal }) => auth.profile(signal),
  });
}

/** Reads the profile anew, and who is signed in: for after a change. */
export function useProfileRefresh(): () => Promise<void> {
  const queryClient = useQueryClient();
  const { refresh } = useSession();
  return useCallback(async () => {
    await Promise.all([queryClient.invalidateQueries({ queryKey: profileKey }), refresh()]);
  }, [queryClient, refresh]);
}
