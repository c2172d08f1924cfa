/** What one permission allows. Permissions are named `resource:action`. */
export interface PermissionDescription {
  /** What a client that holds the permission may do, in a few words. */
  readonly summary: string;
}

const permissionTable = {
  'payments:read': { summary: 'Read and list the payments of the account' },
  'payments:write': { summary: 'Create and cancel payments of the account' },
} as const;

/** A permission that an operation can require. */
export type Permission = keyof typeof permissionTable;

/** Every permission that exists. */
export const permissions: Readonly<Record<Permission, PermissionDescription>> = permissionTable;

/** Whether a text names a permission; stored names may come from a newer version, and count for nothing here. */
export function isPermission(text: string): text is Permission {
  return Object.hasOwn(permissionTable, text);
}

/** A named set of permissions that clients are given. */
export interface RoleDescription {
  /** For whom the role is, in a few words. */
  readonly summary: string;
  readonly permissions: readonly Permission[];
}

const roleTable = {
  'payments-operator': {
    summary: 'Programs that make payments: create, cancel, read and list',
    permissions: ['payments:read', 'payments:write'],
  },
  'payments-reader': {
    summary: 'Programs that only look: read and list payments',
    permissions: ['payments:read'],
  },
} as const;

/** The name of a role that every account has. */
export type BuiltInRole = keyof typeof roleTable;

/** The roles that every account has. What they permit is decided here, not in storage. */
export const builtInRoles: Readonly<Record<BuiltInRole, RoleDescription>> = roleTable;

/** Whether a text names a built-in role. */
export function isBuiltInRole(text: string): text is BuiltInRole {
  return Object.hasOwn(roleTable, text);
}
