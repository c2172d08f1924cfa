import type { ApiError, Profile } from '@countersign/contract';
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useCallback } from 'react';
import { auth } from '../../api/auth.ts';
import { useSession } from '../../session/session-context.ts';

const profileKey = ['profile'];

export function useProfile(): UseQueryResult<Profile, ApiError> {
  return useQuery<Profile, ApiError>({
    queryKey: profileKey,
    queryFn: ({ signal }) => auth.profile(signal),
  });
}

/** Returns a function that reloads the profile and the session. */
export function useProfileRefresh(): () => Promise<void> {
  const queryClient = useQueryClient();
  const { refresh } = useSession();
  return useCallback(async () => {
    await Promise.all([queryClient.invalidateQueries({ queryKey: profileKey }), refresh()]);
  }, [queryClient, refresh]);
}
