import type { Permission, RoleHolders } from '@countersign/contract';
import { useLocation } from 'wouter';
import { useParameters } from '../../components/use-raw-search.ts';
import { usePermission } from '../../session/session-context.ts';

const rolesPath = '/settings/roles';

/** The page of the account's own roles for members. */
export const memberRolesPath = `${rolesPath}?for=members`;

/** Returns whose roles the address names, and a function that shows the others. */
export function useRoleHolders(): [RoleHolders, (holders: RoleHolders) => void] {
  const [, navigate] = useLocation();
  const holders = useParameters()[0].get('for') === 'members' ? 'members' : 'clients';
  return [holders, (next) => navigate(next === 'members' ? memberRolesPath : rolesPath)];
}

/** Returns the permission that the person lacks to change such roles, or the one it takes. */
export function useRolePermission(holders: RoleHolders): Permission {
  const managesMembers = usePermission('members:write');
  return holders === 'members' && !managesMembers ? 'members:write' : 'roles:write';
}

export function useMayChangeRoles(holders: RoleHolders): boolean {
  return usePermission(useRolePermission(holders));
}
