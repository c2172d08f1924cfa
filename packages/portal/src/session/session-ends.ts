import type { ApiError, SessionEnds, SignInState } from '@countersign/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { auth } from '../api/auth.ts';
import { onActivity } from './activity.ts';
import { stateQuery } from './state-query.ts';

/** Enough to notice the warning and to react (WCAG 2.2 success criterion 2.2.1 asks for 20 seconds). */
const warnedSeconds = 120;

interface SessionEnding {
  /** True if it ends soon. */
  readonly isNear: boolean;
  /** True if the person's activity would extend it. */
  readonly isAvoidable: boolean;
  /** Keeps the session alive on the person's behalf. */
  readonly stay: () => void;
}

/**
 * Watches the end of the session, which only the service knows: the person may be active in another window, and the page's
 * clock may be wrong. The page asks when a warning is due, and when the session should be over.
 */
export function useSessionEnding(): SessionEnding {
  const { data, dataUpdatedAt, refetch } = useQuery<SignInState, ApiError, SessionEnds | undefined>({
    ...stateQuery,
    select: endsIn,
    enabled: false,
  });
  const secondsLeft = data && Math.min(data.idleSecondsLeft, data.secondsLeft);
  const isNear = secondsLeft !== undefined && secondsLeft <= warnedSeconds;
  useEffect(() => {
    if (secondsLeft === undefined) return undefined;
    const waitSeconds = isNear ? secondsLeft : secondsLeft - warnedSeconds;
    const timer = setTimeout(() => void refetch(), Math.max(waitSeconds, 1) * 1000);
    return () => clearTimeout(timer);
    // Each response restarts the wait.
  }, [secondsLeft, isNear, dataUpdatedAt, refetch]);
  useEffect(() => (isNear ? onActivity(() => void refetch()) : undefined), [isNear, refetch]);
  return {
    isNear,
    isAvoidable: data !== undefined && data.idleSecondsLeft < data.secondsLeft,
    stay: () =>
      void auth.noteActivity().then(
        () => refetch(),
        () => undefined,
      ),
  };
}

function endsIn(state: SignInState): SessionEnds | undefined {
  return state.state === 'signed-in' ? state.sessionEnds : undefined;
}
