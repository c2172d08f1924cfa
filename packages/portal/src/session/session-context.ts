import type {
  Features,
  Permission,
  SignedInAccount,
  SignedInPerson,
  SignInState,
} from '@countersign/contract';
import { createContext, useContext } from 'react';

/** The state without the seconds, which differ in every response and would render every page again. */
export type ShownState =
  | Exclude<SignInState, { readonly state: 'signed-in' }>
  | Omit<Extract<SignInState, { readonly state: 'signed-in' }>, 'sessionEnds'>;

export interface Session {
  readonly state: ShownState;
  readonly features: Features;
  /** True if the session ended while this page was open. */
  readonly hasEnded: boolean;
  /** Undefined if nobody is signed in. */
  readonly person: SignedInPerson | undefined;
  readonly accounts: readonly SignedInAccount[];
  /** The account the pages show. */
  readonly account: SignedInAccount | undefined;
  readonly switchAccount: (accountId: string) => void;
  /** Reloads the signed-in person and their accounts. */
  readonly refresh: () => Promise<void>;
  readonly signOut: () => Promise<void>;
}

export const SessionContext: React.Context<Session | undefined> = createContext<Session | undefined>(
  undefined,
);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('useSession needs a SessionProvider.');
  return session;
}

/** Returns how long the account's requests are kept: as long as the service keeps them, or less. */
export function useRequestsKept(): Features['requestsKept'] {
  const { account, features } = useSession();
  const { days, max } = features.requestsKept;
  const own = account?.requestsKeptDays;
  if (own === undefined) return features.requestsKept;
  return { days: days === 0 ? own : Math.min(days, own), max };
}

/** Returns true if the person's role grants a permission. Decides only what is shown: the service enforces it. */
export function usePermission(permission: Permission): boolean {
  return useSession().account?.permissions.includes(permission) ?? false;
}

/** Returns the signed-in person. For pages inside the layout. */
export function usePerson(): SignedInPerson {
  const { person } = useSession();
  if (person === undefined) throw new Error('usePerson needs a signed-in person.');
  return person;
}
