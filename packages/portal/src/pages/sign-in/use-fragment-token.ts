import { useEffect, useState } from 'react';

/**
 * Returns the token in the fragment (`#token=…`), which browsers never send. Removes it from the address at once, so
 * that it stays out of the history and off the screen.
 */
export function useFragmentToken(): string | undefined {
  const [token] = useState(() => readFragmentToken(location.hash));
  useEffect(() => {
    if (location.hash !== '')
      history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  }, []);
  return token;
}

/** Undefined if there is no valid token. */
export function readFragmentToken(fragment: string): string | undefined {
  const token = new URLSearchParams(fragment.replace(/^#/, '')).get('token');
  return token !== null && /^[\w.-]{16,512}$/.test(token) ? token : undefined;
}
