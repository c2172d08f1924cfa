import { useEffect, useState } from 'react';
import { readFragmentToken } from './fragment-token.ts';

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
