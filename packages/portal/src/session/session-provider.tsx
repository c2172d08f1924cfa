import type { ApiError, SignedInPerson, SignInState } from '@countersign/contract';
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
import { holdsDraft } from './drafts.ts';
import { type Session, SessionContext, type ShownState } from './session-context.ts';
import { stateQuery } from './state-query.ts';

const stateKey = stateQuery.queryKey;
/** The maximum time until an open page notices a lost session. */
const lookAgainMs = 30_000;

interface SessionProviderProps {
  readonly renderFailure: (error: ApiError, onRetry: () => void) => ReactElement;
  /** Asks the person whose session has ended to sign in again, over a page with unsaved input. */
  readonly renderEnded: (person: SignedInPerson) => ReactElement;
  readonly children: ReactNode;
}

/** Asks the service who is signed in and provides the session. Renders nothing until the response arrives. */
export function SessionProvider({
  renderFailure,
  renderEnded,
  children,
}: SessionProviderProps): ReactElement | null {
  const queryClient = useQueryClient();
  const {
    data: state,
    error,
    refetch,
  } = useQuery<SignInState, ApiError, ShownState>({
    ...stateQuery,
    select: shownStateOf,
    refetchInterval: ({ state: { data } }) => (data?.state === 'signed-in' ? lookAgainMs : false),
  });
  useEffect(
    () => onSessionDoubt(() => void queryClient.invalidateQueries({ queryKey: stateKey })),
    [queryClient],
  );
  const current = useSessionOf(state, queryClient);
  const { kept, hasEnded, isOtherPerson } = useEndedSession(current);
  const shown = kept ?? current;
  useActivity(current?.person !== undefined);
  useForgetOthers(shown?.person?.userId, queryClient);
  useReload(isOtherPerson);
  if (current === undefined || shown === undefined)
    return error && renderFailure(error, () => void refetch());
  // One person's input must not be shown to the next.
  if (isOtherPerson) return null;
  return (
    <>
      <SessionContext value={{ ...shown, hasEnded }}>
        <AccountIdContext value={shown.account?.accountId ?? ''}>{children}</AccountIdContext>
      </SessionContext>
      {kept?.person && <SessionContext value={current}>{renderEnded(kept.person)}</SessionContext>}
    </>
  );
}

function shownStateOf(state: SignInState): ShownState {
  if (state.state !== 'signed-in') return state;
  const { sessionEnds: _, ...shown } = state;
  return shown;
}

interface EndedSession {
  /** The session that has ended, while its page has unsaved input: the page stays until the person is back. */
  readonly kept?: Session | undefined;
  readonly hasEnded: boolean;
  readonly isOtherPerson?: boolean;
}

/** Notices when a session ends while the page is open. */
function useEndedSession(current: Session | undefined): EndedSession {
  const [held, setHeld] = useState<EndedSession & { readonly last?: Session }>({ hasEnded: false });
  if (current === undefined) return held;
  if (current.person !== undefined && held.last !== current) {
    const isOtherPerson = held.kept !== undefined && held.kept.person?.userId !== current.person.userId;
    setHeld({ last: current, hasEnded: false, isOtherPerson });
  } else if (current.person === undefined && held.last !== undefined) {
    setHeld({ kept: holdsDraft() ? held.last : undefined, hasEnded: true });
  }
  return held;
}

function useReload(isDue: boolean | undefined): void {
  useEffect(() => {
    if (isDue) location.reload();
  }, [isDue]);
}

/** Drops cached data when the person changes, before the pages' effects run and load data. */
function useForgetOthers(userId: string | undefined, queryClient: QueryClient): void {
  const before = useRef(userId);
  useLayoutEffect(() => {
    if (before.current !== undefined && before.current !== userId) {
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== stateKey[0] });
    }
    before.current = userId;
  }, [userId, queryClient]);
}

function useSessionOf(state: ShownState | undefined, queryClient: QueryClient): Session | undefined {
  const [chosen, setChosen] = useState(readChosenAccount);
  const switchAccount = useCallback((accountId: string) => {
    writeChosenAccount(accountId);
    setChosen(accountId);
  }, []);
  const refresh = useCallback(async () => {
    await queryClient.refetchQueries({ queryKey: stateKey });
    // Lets the response reach the pages before the caller navigates.
    await new Promise((resolve) => setTimeout(resolve));
  }, [queryClient]);
  const signOut = useCallback(async () => {
    // This page stays until the next one has loaded: it must not flash a sign-in.
    ignoreSessionDoubts(true);
    try {
      await auth.signOut();
    } catch (error) {
      ignoreSessionDoubts(false);
      throw error;
    }
    // A full page load clears the person's data from memory.
    location.assign('/portal/sign-in');
  }, []);

  const session = useMemo((): Session | undefined => {
    if (state === undefined) return undefined;
    const isSignedIn = state.state === 'signed-in';
    const accounts = isSignedIn ? state.accounts : [];
    return {
      state,
      features: state.features,
      hasEnded: false,
      person: isSignedIn ? state.person : undefined,
      accounts,
      account: pickAccount(accounts, chosen),
      switchAccount,
      refresh,
      signOut,
    };
  }, [state, chosen, switchAccount, refresh, signOut]);
  // Runs before the pages' effects, which call the API.
  setCurrentAccount(session?.account?.accountId);
  return session;
}
