/** The account that calls are about; the session decides, which accounts there are. */
let accountId: string | undefined;

/** Names the account of all calls from now on. */
export function setCurrentAccount(next: string | undefined): void {
  accountId = next;
}

/** The account of the calls of now. */
export function currentAccount(): string | undefined {
  return accountId;
}
