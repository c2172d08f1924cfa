import type { SignInStep } from '@countersign/contract';
import { useCallback } from 'react';
import { useLocation } from 'wouter';
import { useSession } from '../../session/session-context.ts';

/** Goes on after a step of the sign-in: who is signed in is asked anew, and the sign-in page knows where to go. */
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
