import { useEffect } from 'react';
import { auth } from '../api/auth.ts';

/** Mouse moves are not enough, and the page itself may scroll. */
const acts = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const;

/** Frequent enough for sessions, which time out after minutes. */
const tellEveryMs = 30_000;

const listeners = new Set<() => void>();

/** Calls back when the service has been informed of the person's activity; returns a function that unsubscribes. */
export function onActivity(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Informs the service of the person's activity. An open page sends requests by itself, which must not keep
 * the session of a person who has left.
 */
export function useActivity(isSignedIn: boolean): void {
  useEffect(() => {
    if (!isSignedIn) return undefined;
    let toldAtMs = -tellEveryMs;
    const onEvent = ({ isTrusted, timeStamp }: Event): void => {
      if (!isTrusted || timeStamp - toldAtMs < tellEveryMs) return;
      toldAtMs = timeStamp;
      // A lost session is reported by the call itself; the next heartbeat retries anything else.
      auth.noteActivity().then(
        () => {
          for (const listener of listeners) listener();
        },
        () => undefined,
      );
    };
    const options = { capture: true, passive: true };
    for (const act of acts) window.addEventListener(act, onEvent, options);
    return () => {
      for (const act of acts) window.removeEventListener(act, onEvent, options);
    };
  }, [isSignedIn]);
}
