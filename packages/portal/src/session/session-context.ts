import type {
  Features,
  Permission,
  SignedInAccount,
  SignedInPerson,
  SignInState,
} from '@countersign/contract';
import { createContext, useContext } from 'react';

/** Who uses the page, and for which account. */
export interface Session {
  readonly state: SignInState;
  readonly features: Features;
  /** Undefined while nobody is signed in. */
  readonly person: SignedInPerson | undefined;
  readonly accounts: readonly SignedInAccount[];
  /** The account that the page is about. */
  readonly account: SignedInAccount | undefined;
  /** Makes the page about another account of the person. */
  readonly switchAccount: (accountId: string) => void;
  /** Asks again who is signed in, with which accounts. */
  readonly refresh: () => Promise<void>;
  readonly signOut: () => Promise<void>;
}

/** Provided by `SessionProvider`. */
export const SessionContext: React.Context<Session | undefined> = createContext<Session | undefined>(
  undefined,
);

/** Who uses the page; only below `SessionProvider`. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('useSession needs a SessionProvider above.');
  return session;
}

/** Whether the person's role in the account permits something. It decides what is shown; the service decides what is done. */
export function usePermission(permission: Permission): boolean {
  return useSession().account?.permissions.includes(permission) ?? false;
}

/** The person who is signed in; only on pages within the layout. */
export function usePerson(): SignedInPerson {
  const { person } = useSession();
  if (person === undefined) throw new Error('usePerson needs somebody who is signed in.');
  return person;
}
