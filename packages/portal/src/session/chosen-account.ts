import type { SignedInAccount } from '@countersign/contract';
import { keepOnDevice, readFromDevice } from './device-storage.ts';

const storageKey = 'countersign-account';

/** Returns the account last chosen on this device. */
export function readChosenAccount(): string | undefined {
  return readFromDevice(storageKey);
}

export function writeChosenAccount(accountId: string): void {
  keepOnDevice(storageKey, accountId);
}

/** Returns the chosen account if the person still has it, else the first that can be used from here. */
export function pickAccount(
  accounts: readonly SignedInAccount[],
  chosen: string | undefined,
): SignedInAccount | undefined {
  return (
    accounts.find(({ accountId }) => accountId === chosen) ??
    accounts.find(({ blockedAddress }) => blockedAddress === undefined) ??
    accounts[0]
  );
}
