import { useEffect } from 'react';
import { auth } from '../api/auth.ts';

/** What somebody does who is there. Moving the mouse is not enough, and scrolling may be done by the page itself. */
const acts = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const;

/** The service is told so often at most: a session ends after hours without any of it. */
const tellEveryMs = 60_000;

/**
 * Tells the service when somebody acts in the page, while somebody is signed in: everything else that an open page asks it
 * asks by itself, and would keep the session of somebody who has left.
 */
export function useActivity(isSignedIn: boolean): void {
  useEffect(() => {
    if (!isSignedIn) return undefined;
    let toldAtMs = -tellEveryMs;
    const tell = ({ isTrusted, timeStamp }: Event): void => {
      if (!isTrusted || timeStamp - toldAtMs < tellEveryMs) return;
      toldAtMs = timeStamp;
      // That there is no session any more, the call tells the page; anything else, the next one mends.
      auth.noteActivity().catch(() => undefined);
    };
    const options = { capture: true, passive: true };
    for (const act of acts) window.addEventListener(act, tell, options);
    return () => {
      for (const act of acts) window.removeEventListener(act, tell, options);
    };
  }, [isSignedIn]);
}
