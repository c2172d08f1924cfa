import type { SignedInAccount } from '@countersign/contract';

const storageKey = 'countersign-account';

/** Returns the account last chosen on this device. */
export function readChosenAccount(): string | undefined {
  try {
    return localStorage.getItem(storageKey) ?? undefined;
  } catch {
    return undefined;
  }
}

export function writeChosenAccount(accountId: string): void {
  try {
    localStorage.setItem(storageKey, accountId);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

/** Returns the chosen account if the person still has it, else the first. */
export function pickAccount(
  accounts: readonly SignedInAccount[],
  chosen: string | undefined,
): SignedInAccount | undefined {
  return accounts.find(({ accountId }) => accountId === chosen) ?? accounts[0];
}
