import type { SignInState, ApiError } from '@countersign/contract';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  type ReactElement,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { auth } from '../api/auth.ts';
import { AccountIdContext, setCurrentAccount } from '../api/current-account.ts';
import { ignoreSessionDoubts, onSessionDoubt } from '../api/session-events.ts';
import { useActivity } from './activity.ts';
import { pickAccount, readChosenAccount, writeChosenAccount } from './chosen-account.ts';
import { type Session, SessionContext } from './session-context.ts';

const stateKey = ['sign-in-state'];
/** An open page notices so late at most that its session has ended. */
const lookAgainMs = 30_000;

interface SessionProviderProps {
  readonly renderFailure: (error: ApiError, onRetry: () => void) => ReactElement;
  readonly children: ReactNode;
}

/** Asks the service who is signed in and provides the session. Renders nothing until the answer is there. */
export function SessionProvider({ renderFailure, children }: SessionProviderProps): ReactElement | null {
  const queryClient = useQueryClient();
  const {
    data: state,
    error,
    refetch,
  } = useQuery<SignInState, ApiError>({
    queryKey: stateKey,
    queryFn: ({ signal }) => auth.state(signal),
    staleTime: 60_000,
    refetchInterval: ({ state: { data } }) => (data?.state === 'signed-in' ? lookAgainMs : false),
  });
  useEffect(
    () => onSessionDoubt(() => void queryClient.invalidateQueries({ queryKey: stateKey })),
    [queryClient],
  );
  const session = useSessionOf(state, queryClient);
  useActivity(session?.person !== undefined);
  useForgetOthers(session?.person?.userId, queryClient);
  if (session === undefined) return error && renderFailure(error, () => void refetch());
  return (
    <SessionContext value={session}>
      <AccountIdContext value={session.account?.accountId ?? ''}>{children}</AccountIdContext>
    </SessionContext>
  );
}

/** What one person has seen is not for the next one at the same page. Before the effects of the pages, which ask at once. */
function useForgetOthers(userId: string | undefined, queryClient: QueryClient): void {
  const before = useRef(userId);
  useLayoutEffect(() => {
    if (before.current !== undefined && before.current !== userId) {
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== stateKey[0] });
    }
    before.current = userId;
  }, [userId, queryClient]);
}

function useSessionOf(state: SignInState | undefined, queryClient: QueryClient): Session | undefined {
  const [chosen, setChosen] = useState(readChosenAccount);
  const switchAccount = useCallback((accountId: string) => {
    writeChosenAccount(accountId);
    setChosen(accountId);
  }, []);
  const refresh = useCallback(async () => {
    await queryClient.refetchQueries({ queryKey: stateKey });
    // The answer reaches the pages in a turn of its own; who goes on to another page now must find them knowing it.
    await new Promise((resolve) => setTimeout(resolve));
  }, [queryClient]);
  const signOut = useCallback(async () => {
    // Until the next page is there, this one stays: a sign-in that it showed would be gone again at once.
    ignoreSessionDoubts(true);
    try {
      await auth.signOut();
    } catch (error) {
      ignoreSessionDoubts(false);
      throw error;
    }
    // A page that is loaded anew holds nothing of the person in its memory.
    location.assign('/portal/sign-in');
  }, []);

  const session = useMemo((): Session | undefined => {
    if (state === undefined) return undefined;
    const isSignedIn = state.state === 'signed-in';
    const accounts = isSignedIn ? state.accounts : [];
    return {
      state,
      features: state.features,
      person: isSignedIn ? state.person : undefined,
      accounts,
      account: pickAccount(accounts, chosen),
      switchAccount,
      refresh,
      signOut,
    };
  }, [state, chosen, switchAccount, refresh, signOut]);
  // Before the effects of the pages below, which ask at once.
  setCurrentAccount(session?.account?.accountId);
  return session;
}
