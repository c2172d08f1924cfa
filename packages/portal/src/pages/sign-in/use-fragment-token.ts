import { useEffect, useState } from 'react';

/**
 * The token of a link, from the fragment of the address (`#token=…`), which browsers send to nobody. It is taken out of the
 * address at once, so that it stays in no history and on no screen.
 */
export function useFragmentToken(): string | undefined {
  const [token] = useState(() => readFragmentToken(location.hash));
  useEffect(() => {
    if (location.hash !== '')
      history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  }, []);
  return token;
}

/** Reads `#token=…`; undefined when there is none, or one that cannot be a token. */
export function readFragmentToken(fragment: string): string | undefined {
  const token = new URLSearchParams(fragment.replace(/^#/, '')).get('token');
  return token !== null && /^[\w.-]{16,512}$/.test(token) ? token : undefined;
}
