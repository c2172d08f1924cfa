import type { Permission } from './permissions.ts';

/** A suspended account's clients are rejected until it is resumed; a closed account never comes back. */
export const accountStatuses = ['active', 'suspended', 'closed'] as const;

export type AccountStatus = (typeof accountStatuses)[number];

/** Returns true if a member's permission applies in an account: unless it is active, only permissions to read do. */
export function countsInStatus(status: AccountStatus, permission: Permission): boolean {
  return status === 'active' || permission.endsWith(':read');
}
