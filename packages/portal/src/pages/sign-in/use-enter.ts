import type { SignInStep } from '@countersign/contract';
import { useCallback } from 'react';
import { useLocation } from 'wouter';
import { useSession } from '../../session/session-context.ts';

/** Returns a function that reloads the session and continues to the next step. */
export function useEnter(): (step: SignInStep) => Promise<void> {
  const { refresh } = useSession();
  const [, navigate] = useLocation();
  return useCallback(
    async ({ next }) => {
      await refresh();
      navigate(next === 'portal' ? '/' : '/sign-in', { replace: true });
    },
    [refresh, navigate],
  );
}
