import { type Context, createContext, useContext } from 'react';

let accountId: string | undefined;

/** Sets the account of all calls from now on. */
export function setCurrentAccount(next: string | undefined): void {
  accountId = next;
}

export function currentAccount(): string | undefined {
  return accountId;
}

/** Same account as `currentAccount`, for components. Provided by the session. */
export const AccountIdContext: Context<string> = createContext('');

/** Returns the ID of the account the page shows; empty if there is none. */
export function useAccountId(): string {
  return useContext(AccountIdContext);
}
