import type { Client, Permission, Role } from '@countersign/contract';

export interface ClientEffect {
  readonly clientId: string;
  readonly name: string;
  readonly gains: readonly Permission[];
  readonly loses: readonly Permission[];
}

/**
 * Returns the permissions that clients gain and lose when a role changes. Permissions from a client's other
 * roles count as neither.
 *
 * @param clients the clients with the role
 * @param roles all roles of the account, including the changed one in its current version
 * @param permissions the role's permissions after the change
 */
export function roleEffects(
  clients: readonly Pick<Client, 'clientId' | 'name' | 'roles'>[],
  roles: readonly Pick<Role, 'name' | 'permissions'>[],
  role: Pick<Role, 'name' | 'permissions'>,
  permissions: readonly Permission[],
): readonly ClientEffect[] {
  const permissionsOf = new Map(roles.map(({ name, permissions: all }) => [name, all]));
  return clients.flatMap((client): ClientEffect[] => {
    const others = new Set(
      client.roles.filter((name) => name !== role.name).flatMap((name) => permissionsOf.get(name) ?? []),
    );
    const gains = permissions.filter((name) => !role.permissions.includes(name) && !others.has(name));
    const loses = role.permissions.filter((name) => !permissions.includes(name) && !others.has(name));
    return gains.length + loses.length === 0
      ? []
      : [{ clientId: client.clientId, name: client.name, gains, loses }];
  });
}
