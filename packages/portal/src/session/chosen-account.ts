import type { SignedInAccount } from '@countersign/contract';

const storageKey = 'countersign-account';

/** The account that the person chose last on this device. */
export function readChosenAccount(): string | undefined {
  try {
    return localStorage.getItem(storageKey) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Remembers the choice on this device; without storage it is forgotten with the page. */
export function writeChosenAccount(accountId: string): void {
  try {
    localStorage.setItem(storageKey, accountId);
  } catch {
    // The choice is a convenience.
  }
}

/** The account that a page opens with: the chosen one while the person has it, else the first. */
export function pickAccount(
  accounts: readonly SignedInAccount[],
  chosen: string | undefined,
): SignedInAccount | undefined {
  return accounts.find(({ accountId }) => accountId === chosen) ?? accounts[0];
}
