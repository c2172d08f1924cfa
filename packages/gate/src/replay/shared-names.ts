import { createHash } from 'node:crypto';
import { nameBytes } from './shared-memory.ts';

/** Returns the name under which a client's entries are counted. */
export function nameOf(keyid: string): string {
  return shortened(keyid, nameBytes - 1);
}

/**
 * Returns the name under which an account's entries are counted, which never equals a client's; empty for no
 * account.
 */
export function accountNameOf(accountId: string | undefined): string {
  return accountId === undefined ? '' : ` ${shortened(accountId, nameBytes - 2)}`;
}

/** Returns an account's id, or its substitute, from the name that `accountNameOf` returned. */
export function accountIdOf(name: string): string {
  return name.slice(1);
}

/** Names that are too long are hashed; a hash is short enough to stay as it is. */
function shortened(name: string, lengthMax: number): string {
  return name.length <= lengthMax ? name : `#${createHash('sha256').update(name).digest('base64url')}`;
}
