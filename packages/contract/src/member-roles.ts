import { builtInRoles, type OwnPermission, type RoleDescription } from './permissions.ts';

const managingPeople: readonly OwnPermission[] = ['members:read', 'members:write', 'policy:write'];

/** A role that people can have in every account of its kind. Accounts can also make roles of their own. */
export type MemberRole = 'owner' | 'admin' | 'developer' | 'viewer' | 'account-manager' | 'operator';

/** The built-in roles of people. Their permissions are defined here, not in storage. */
export const memberRoles: Readonly<Record<MemberRole, RoleDescription>> = {
  owner: {
    summary: 'Full access, including adding and removing owners',
    permissions: [...builtInRoles.administrator.permissions, ...managingPeople],
    includesDeployment: true,
  },
  admin: {
    summary: 'Manages everything in the account except its owners',
    permissions: [...builtInRoles.administrator.permissions, ...managingPeople],
    includesDeployment: true,
  },
  developer: {
    summary: 'Manages clients, keys and alert rules; read-only access to the rest',
    permissions: [
      'payments:read',
      'payments:write',
      'clients:read',
      'clients:write',
      'keys:read',
      'keys:write',
      'self:rotate',
      'roles:read',
      'requests:read',
      'audit:read',
      'webhooks:read',
      'alerts:read',
      'alerts:write',
      'members:read',
    ],
    includesDeployment: true,
  },
  viewer: {
    summary: 'Read-only access to everything',
    permissions: [...builtInRoles.auditor.permissions, 'members:read'],
  },
  'account-manager': {
    summary: 'Finds accounts and acts for them, giving a reason they can read',
    permissions: ['accounts:read', 'accounts:act', 'members:read'],
  },
  operator: {
    summary: 'Runs the service: manages all accounts and acts for them',
    permissions: [...builtInRoles.operator.permissions, 'accounts:act', ...managingPeople],
    includesDeployment: true,
  },
};

export function isMemberRole(text: string): text is MemberRole {
  return Object.hasOwn(memberRoles, text);
}

/** Returns the built-in roles that people can have in an account, most powerful first. */
export function memberRolesOf({ isOperator }: { readonly isOperator: boolean }): readonly MemberRole[] {
  return isOperator ? ['operator', 'account-manager', 'viewer'] : ['owner', 'admin', 'developer', 'viewer'];
}

/**
 * Returns the role that only its holders can give and take, and that each account always has at least one
 * holder of.
 */
export function leadingRole({ isOperator }: { readonly isOperator: boolean }): MemberRole {
  return isOperator ? 'operator' : 'owner';
}
