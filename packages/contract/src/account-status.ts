import type { Permission } from './permissions.ts';

/** A suspended account's clients are refused until it is resumed; a closed account never comes back. */
export const accountStatuses = ['active', 'suspended', 'closed'] as const;

export type AccountStatus = (typeof accountStatuses)[number];

/** Whether a permission of a member counts in an account: unless it is active, only those to read do. */
export function countsInStatus(status: AccountStatus, permission: Permission): boolean {
  return status === 'active' || permission.endsWith(':read');
}
